import { peerBinary } from '../../peers.ts'

/** A line for each program that is not built. */
export function missing(name: string, ...binaries: readonly string[]): string[] {
  return binaries
    .filter((binary) => peerBinary(binary) === undefined)
    .map((binary) => `${name}: without ${binary}, which is not built (npm run peers)`)
}
