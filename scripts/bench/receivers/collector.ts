import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { peerBinary } from '../../peers.ts'
import type { Sink } from '../sink.ts'
import { startProgram } from './program.ts'
import type { Receiver } from './receiver.ts'

const configFile = join(import.meta.dirname, '../../../test/peers/otelcol/config.yaml')

/**
 * The OpenTelemetry Collector with its OTLP receiver, processors that do what the rules do as far as they can, and its remote write exporter; undefined when
 * `npm run peers -- otelcol` has not built it. It answers first and sends on from its batches.
 */
export async function startCollector(sink: Sink): Promise<Receiver | undefined> {
  const binary = peerBinary('otelcol')
  if (binary === undefined) return undefined
  const empty = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
  const { pid, address, stop } = await startProgram(
    binary,
    (address, folder) => {
      const file = join(folder, 'config.yaml')
      const config = readFileSync(configFile, 'utf8')
        .replace('127.0.0.1:9303', address)
        .replace('http://127.0.0.1:9301/api/v1/write', sink.url)
      writeFileSync(file, config)
      return ['--config', `file:${file}`]
    },
    async (address) => (await fetch(`http://${address}/v1/metrics`, empty)).ok,
  )
  return {
    name: 'Collector',
    otlpUrl: `http://${address}/v1/metrics`,
    pid,
    // It has no metric that tells: all is sent on when nothing has arrived for a while.
    drained: async () => {
      let before = -1
      for (let left = 60; left > 0; left--) {
        await setTimeout(1500)
        const { bytes } = await sink.counts()
        if (bytes === before) return
        before = bytes
      }
    },
    ownMetric: async () => Number.NaN,
    stop,
  }
}
