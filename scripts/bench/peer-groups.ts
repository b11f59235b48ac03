import { type Group, onLinux } from './group.ts'
import { otlpPeersGroup } from './peers/otlp.ts'
import { remoteWritePeersGroup } from './peers/remote-write.ts'

/** The benchmark beside other programs, in the order it is run. */
export const peerGroups: readonly Group[] = [
  onLinux(remoteWritePeersGroup),
  onLinux(otlpPeersGroup),
]
