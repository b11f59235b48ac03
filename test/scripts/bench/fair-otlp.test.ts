import { fromBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import { describe, expect, test } from 'vitest'
import { benchConfig } from '../../../scripts/bench/bench-config.ts'
import { bodiesOf, sending } from '../../../scripts/bench/cases/remotewrite2.ts'
import {
  HISTOGRAM_SERIES,
  otlpHistograms,
  otlpRequests,
  POINTS_PER_REQUEST,
} from '../../../scripts/bench/otlp-shape.ts'
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
import { ExportMetricsServiceRequestSchema } from '../../../src/wire/gen/opentelemetry_pb.js'

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
  expect(run(otlpRequests(1, 1)[0]!).points?.received).toBe(POINTS_PER_REQUEST)
})

/** Series without those of target_info, which is not counted. */
const counted = (series: readonly Plain[]) =>
  series.filter(({ labels }) => labels.get('__name__') !== 'target_info').length

test('what a line of the table counts is what there is without rules', () => {
  const config = benchConfig({ rules: 'none', samplesPerSend: 1_000_000 })
  const of = (body: Uint8Array) => counted(sent(config, 'otlp', body))
  expect(of(otlpRequests(1, 1)[0]!)).toBe(POINTS_PER_REQUEST)
  expect(of(otlpHistograms(1)[0]!)).toBe(HISTOGRAM_SERIES)
})

test('the rules drop the points of kube-system, whose attribute all receivers see, and no other', () => {
  const kept = sent(benchConfig(), 'otlp', otlpRequests(1, 1)[0]!)
  expect(counted(kept)).toBe(POINTS_PER_REQUEST * 0.96)
})

test('a metric is dropped neither by the name it comes with nor by the one Prometheus gives it', () => {
  const [body] = otlpRequests(1, 1) as [Uint8Array]
  const { resourceMetrics } = fromBinary(ExportMetricsServiceRequestSchema, body)
  const metrics = resourceMetrics
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap((s) => s.metrics)
  const translated = sent(benchConfig({ rules: 'none' }), 'otlp', body).map(({ labels }) =>
    labels.get('__name__'),
  )
  const isKept = plainRules(benchConfig().origins[0]!.writeRelabelConfigs)
  const names = new Set([...metrics.map(({ name }) => name), ...translated])
  expect(names.size).toBe(4 + 5)
  for (const name of names)
    expect([name, isKept(new Map([['__name__', name!]]))]).toEqual([name, true])
})
