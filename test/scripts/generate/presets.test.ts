import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { expected } from '../../../scripts/generate/expected.ts'
import { type PresetName, presets } from '../../../scripts/generate/presets.ts'
import { requestWriter } from '../../../scripts/generate/request-writer.ts'
import { generationOf, type SeriesSet } from '../../../scripts/generate/series-set.ts'
import { attributeName } from '../../../src/translate/label-name.ts'
import { metricName } from '../../../src/translate/metric-name.ts'
import { ExportMetricsServiceRequestSchema } from '../../../src/wire/gen/opentelemetry_pb.js'

/** As Prometheus translates by default. */
const NAMING = { escape: true, underscoreSanitization: true, preserveMultipleUnderscores: false }

const NAMES = Object.keys(presets) as PresetName[]

const keysOf = (set: SeriesSet, ids: Iterable<number>, round: number) =>
  Array.from(ids, (id) =>
    JSON.stringify([...expected('remotewrite1', set).series(id, round).labels]),
  )
const upTo = (count: number) => Array(count).keys()

describe.each(NAMES)('%s', (name) => {
  const series = presets[name].series()

  test('has no series twice', () => {
    const ids = [...upTo(5_000), ...Array.from(upTo(2_000), (i) => 15_000_000 + i)]
    expect(new Set(keysOf(series, ids, 9)).size).toBe(7_000)
  })

  test('has names and labels that translation from OTLP leaves as they are', () => {
    const writer = requestWriter({ protocol: 'otlp', encoding: 'none', series })
    const { body } = writer.write(0, series.shapes.length, 1_764_550_000_000, 1, 0)
    const { resourceMetrics } = fromBinary(ExportMetricsServiceRequestSchema, body)
    const metrics = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics[0]!.metrics)
    expect(metrics.length).toBeGreaterThan(0)
    for (const { name: metric, unit, data } of metrics) {
      const kind = data.case === 'sum' ? 'counter' : (data.case as 'gauge' | 'histogram')
      expect(metricName(metric, unit, kind, { escape: true, suffixes: true })).toBe(metric)
    }
    for (const label of new Set(series.shapes.flatMap(({ labels }) => [...labels.keys()]))) {
      if (label === '__name__') continue
      expect(attributeName(label, NAMING)).toBe(label)
    }
  })

  test('has a job and an instance on every series', () => {
    for (const { labels } of series.shapes) {
      expect([labels.has('job'), labels.has('instance')]).toEqual([true, true])
    }
  })
})

test('wide has 60 labels', () => {
  const [shape] = presets.wide.series().shapes
  expect(shape!.labels.size).toBe(60)
})

test('long-values has values of about 1 and 4 kB', () => {
  const { labels } = expected('remotewrite1', presets['long-values'].series()).series(0, 0)
  const sizes = [...labels.values()].map((value) => Buffer.byteLength(value))
  const [longest, next] = sizes.sort((a, b) => b - a)
  expect([longest! > 3_500 && longest! < 4_500, next! > 800 && next! < 1_200]).toEqual([true, true])
})

test('kubernetes has pods of 50 series', () => {
  const set = presets.kubernetes.series()
  const of = expected('remotewrite1', set)
  const pods = Array.from(upTo(500), (id) => of.series(id, 0).labels.get('pod'))
  expect(new Set(pods).size).toBe(10)
  expect(new Set(pods.slice(0, 50)).size).toBe(1)
})

test('churn replaces one in twenty of its series each round, by others that never were', () => {
  const set = presets.churn.series()
  const seen = new Set(keysOf(set, upTo(2_000), 0))
  for (let round = 1; round <= 45; round++) {
    const before = seen.size
    for (const key of keysOf(set, upTo(2_000), round)) seen.add(key)
    expect(seen.size - before).toBe(100)
  }
  expect(generationOf(set, 0, 45)).toBe(2)
})
