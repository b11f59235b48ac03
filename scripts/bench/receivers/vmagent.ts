import { setTimeout } from 'node:timers/promises'
import { peerBinary } from '../../peers.ts'
import { rulesFile } from '../bench-config.ts'
import { startProgram, until } from './program.ts'
import { metricAt, type Receiver } from './receiver.ts'

/** vmagent, or undefined when `npm run peers` has not built it. It answers first and sends on from its queue. */
export async function startVmagent(origin: string): Promise<Receiver | undefined> {
  const binary = peerBinary('vmagent')
  if (binary === undefined) return undefined
  const { pid, address, stop } = await startProgram(
    binary,
    (address, folder) => [
      `-httpListenAddr=${address}`,
      `-remoteWrite.url=${origin}`,
      '-remoteWrite.forcePromProto',
      `-remoteWrite.relabelConfig=${rulesFile}`,
      `-remoteWrite.tmpDataPath=${folder}`,
      '-loggerLevel=ERROR',
    ],
    async (address) => (await fetch(`http://${address}/health`)).ok,
  )
  const ownMetric = (name: string) => metricAt(`http://${address}/metrics`, name)
  const pending = async () =>
    (await ownMetric('vmagent_remotewrite_pending_data_bytes')) +
    (await ownMetric('vmagent_remotewrite_pending_inmemory_blocks'))
  return {
    name: 'vmagent',
    url: `http://${address}/api/v1/write`,
    otlpUrl: `http://${address}/opentelemetry/v1/metrics`,
    pid,
    drained: async () => {
      // What is not in a block yet goes out after a second at the latest.
      await setTimeout(1500)
      await until(async () => (await pending()) === 0)
    },
    ownMetric,
    stop,
  }
}
