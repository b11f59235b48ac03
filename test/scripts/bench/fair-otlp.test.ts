import { fromBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import { describe, expect, test } from 'vitest'
import { benchConfig } from '../../../scripts/bench/bench-config.ts'
import { bodiesOf } from '../../../scripts/bench/cases/remotewrite2.ts'
import {
  HISTOGRAM_SERIES,
  otlpHistograms,
  otlpRequests,
  POINTS_PER_REQUEST,
} from '../../../scripts/bench/otlp-shape.ts'
import { plainRules } from '../../../scripts/bench/plain.ts'
import { plainConversion } from '../../../scripts/bench/plain-conversion.ts'
import { type Plain, readPlain1, readPlain2 } from '../../../scripts/bench/plain-messages.ts'
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

/** The series of a payload. */
function read(config: Config, payload: Uint8Array): Plain[] {
  return (config.origins[0]!.message === 2 ? readPlain2 : readPlain1)(unpacked(payload))
}

/** What Sluice sends of a body. */
function sent(config: Config, protocol: Protocol, body: Uint8Array): Plain[] {
  const { run } = inProcess(config, protocol)
  const series: Plain[] = []
  run(body) // once, so that all is known
  run(body, ({ cargos }) => {
    for (const { bytes } of cargos[0]!.pieces) series.push(...read(config, bytes))
  })
  return series
}

describe.each([1, 2] as const)('to remote write %i', (message) => {
  test.each([
    ['points', otlpRequests(1, 1)[0]!],
    ['histograms', otlpHistograms(1)[0]!],
  ])('of OTLP %s Sluice and the plain way make the same series', (_, body) => {
    const config = benchConfig({ samplesPerSend: 1_000_000, message })
    const theirs = read(config, plainConversion(config, 'otlp')(body))
    expect(lines(sent(config, 'otlp', body))).toEqual(lines(theirs))
    expect(theirs.length).toBeGreaterThan(1000)
  })

  test.each([1, 2] as const)('of remote write %i the same', (version) => {
    const config = benchConfig({ message })
    const protocol = version === 2 ? 'remotewrite2' : 'remotewrite1'
    const [body] = bodiesOf(version, 'kubernetes', 1) as [Uint8Array]
    const theirs = read(config, plainConversion(config, protocol)(body))
    expect(lines(sent(config, protocol, body))).toEqual(lines(theirs))
    expect(theirs.length).toBeGreaterThan(1000)
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
