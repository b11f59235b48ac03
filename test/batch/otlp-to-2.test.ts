import { expect, test } from 'vitest'
import { configWith, Sluice } from './harness.ts'
import {
  attributes,
  counter,
  exponential,
  gauge,
  histogram,
  nanos,
  point,
  requestOf,
  T,
} from './otlp-request.ts'
import { lines2 } from './request2.ts'

const origin = 'protobuf_message: io.prometheus.write.v2.Request, send_exemplars: true'
const startTimeUnixNano = nanos(T - 9000)

test('points of OTLP have start timestamps and metadata for origins that are sent 2.0', () => {
  const sluice = new Sluice(configWith('[]', { origin }))
  const value = { case: 'asDouble' as const, value: 0 }
  const exemplars = [{ timeUnixNano: nanos(T), value, filteredAttributes: attributes({ k: 'v' }) }]
  const body = requestOf(
    { ...counter('c', point(1, { startTimeUnixNano, exemplars })), description: 'Help' },
    { ...gauge('g', point(2)), unit: 'By' },
    histogram('h', { count: 3n, sum: 4, startTimeUnixNano }),
    exponential('e', { count: 5n, zeroCount: 5n, sum: 6, startTimeUnixNano }),
  )
  const want = [
    '# 1 Help/',
    'c_total 1@0 start -9000',
    'c_total x0@0 k=v',
    '# 2 /bytes',
    'g_bytes 2@0',
    '# 3 /',
    'h_bucket,le=+Inf 3@0 start -9000',
    '# 3 /',
    'h_count 3@0 start -9000',
    '# 3 /',
    'h_sum 4@0 start -9000',
    '# 3 /',
    'e h6@0 start -9000',
  ]
  for (let i = 0; i < 2; i++) {
    const { batch, raw } = sluice.run(body, 0, 'otlp')
    expect(lines2(raw[0]!, T)).toEqual(want)
    expect(batch.cargos[0]!.pieces.reduce((n, { points }) => n + points, 0)).toBe(4)
  }
})

test('explicit histograms go to them as native ones where the config says so', () => {
  const otlp = 'convert_histograms_to_nhcb: true'
  const one = { explicitBounds: [1, 2], bucketCounts: [1n, 0n, 2n], count: 3n, sum: 4 }
  const { batch, raw } = new Sluice(configWith('[]', { origin, otlp })).run(
    requestOf(histogram('h', { ...one, startTimeUnixNano })),
    0,
    'otlp',
  )
  expect(lines2(raw[0]!, T)).toEqual(['# 3 /', 'h h4@0 start -9000'])
  expect(batch.received).toMatchObject({ samples: 0, histograms: 1 })
})
