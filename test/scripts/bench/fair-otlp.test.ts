import SnappyJS from 'snappyjs'
import { describe, expect, test } from 'vitest'
import { benchConfig } from '../../../scripts/bench/bench-config.ts'
import { bodiesOf, sending } from '../../../scripts/bench/cases/remotewrite2.ts'
import { otlpHistograms, otlpRequests } from '../../../scripts/bench/otlp-shape.ts'
import { plainRules } from '../../../scripts/bench/plain.ts'
import {
  type Plain,
  readPlain1,
  readPlain2,
  writePlain1,
  writePlain2,
} from '../../../scripts/bench/plain-messages.ts'
import { plainOtlp } from '../../../scripts/bench/plain-otlp.ts'
import { inProcess } from '../../../scripts/bench/section.ts'
import type { Protocol } from '../../../src/batch/protocol.ts'
import type { Config } from '../../../src/config/types.ts'

// What is compared must do the same work.

const unpacked = (body: Uint8Array) => new Uint8Array(SnappyJS.uncompress(body))

/** Series with their samples as text, sorted: in which order they go out is each way's own. */
function lines(series: readonly Plain[]): string[] {
  return series
    .map(({ labels, samples }) => {
      const sorted = [...labels].sort(([a], [b]) => (a < b ? -1 : 1))
      return `${JSON.stringify(sorted)} ${samples.map((s) => `${s.value}@${s.timestamp}`)}`
    })
    .sort()
}

/** What Sluice sends of a body. */
function sent(config: Config, protocol: Protocol, body: Uint8Array): Plain[] {
  const { run } = inProcess(config, protocol)
  const read = config.origins[0]!.message === 2 ? readPlain2 : readPlain1
  const series: Plain[] = []
  run(body) // once, so that all is known
  run(body, ({ cargos }) => {
    for (const { bytes } of cargos[0]!.pieces) series.push(...read(unpacked(bytes)))
  })
  return series
}

test.each([
  ['points', otlpRequests(1, 1)[0]!],
  ['histograms', otlpHistograms(1)[0]!],
])('of OTLP %s Sluice and the plain way make the same series', (_, body) => {
  const config = benchConfig({ samplesPerSend: 1_000_000 })
  const plain = plainOtlp(config.otlp, config.origins[0]!.writeRelabelConfigs)
  const theirs = readPlain1(unpacked(plain(body)))
  expect(lines(sent(config, 'otlp', body))).toEqual(lines(theirs))
  expect(theirs.length).toBeGreaterThan(1000)
})

describe.each([
  [2, 2],
  [2, 1],
  [1, 2],
] as const)('from %i to %i', (from, to) => {
  test('Sluice and the plain way make the same series', () => {
    const config = sending(to)
    const [body] = bodiesOf(from, 'kubernetes', 1) as [Uint8Array]
    const isKept = plainRules(config.origins[0]!.writeRelabelConfigs)
    const [read, write] = [
      from === 2 ? readPlain2 : readPlain1,
      to === 2 ? writePlain2 : writePlain1,
    ]
    const kept = read(unpacked(body)).filter(({ labels }) => isKept(labels))
    const theirs = (to === 2 ? readPlain2 : readPlain1)(write(kept))
    expect(lines(sent(config, from === 2 ? 'remotewrite2' : 'remotewrite1', body))).toEqual(
      lines(theirs),
    )
  })
})

test('a request of OTLP has 2,000 points', () => {
  const { run } = inProcess(benchConfig(), 'otlp')
  expect(run(otlpRequests(1, 1)[0]!).points?.received).toBe(2000)
})
