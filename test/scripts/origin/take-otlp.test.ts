import type { MessageInitShape } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import type { MetricSchema } from '../../../src/wire/gen/opentelemetry_pb.js'
import { number } from '../../batch/message.ts'
import { bytesOtlp, found, KINDS, NANOS, T } from './requests.ts'

type Metric = MessageInitShape<typeof MetricSchema>
const kind = KINDS.otlp
const text = (key: string, value: string) => ({
  key,
  value: { value: { case: 'stringValue' as const, value } },
})
const double = (value: number) => ({ case: 'asDouble' as const, value })
const POINT = { timeUnixNano: NANOS, value: double(1) }
const gauge = (...dataPoints: object[]): Metric => ({
  name: 'a.b',
  data: { case: 'gauge', value: { dataPoints } },
})
const sum = (aggregationTemporality: number): Metric => ({
  name: 'a',
  data: { case: 'sum', value: { dataPoints: [POINT], aggregationTemporality } },
})
const histogram = (more: object): Metric => ({
  name: 'h',
  data: {
    case: 'histogram',
    value: {
      aggregationTemporality: 2,
      dataPoints: [
        {
          timeUnixNano: NANOS,
          count: 3n,
          sum: 9,
          explicitBounds: [1, 5],
          bucketCounts: [1n, 1n, 1n],
          ...more,
        },
      ],
    },
  },
})
const exponential = (more: object): Metric => ({
  name: 'e',
  data: {
    case: 'exponentialHistogram',
    value: {
      aggregationTemporality: 2,
      dataPoints: [
        {
          timeUnixNano: NANOS,
          count: 4n,
          zeroCount: 1n,
          sum: 9,
          scale: 1,
          positive: { offset: 2, bucketCounts: [1n, 0n, 2n] },
          ...more,
        },
      ],
    },
  },
})
const summary = (...quantileValues: { quantile: number; value: number }[]): Metric => ({
  name: 's',
  data: {
    case: 'summary',
    value: { dataPoints: [{ timeUnixNano: NANOS, count: 2n, sum: 3, quantileValues }] },
  },
})
const body = (metric: Metric, resource: ReturnType<typeof text>[] = []) =>
  bytesOtlp({
    resourceMetrics: [
      { resource: { attributes: resource }, scopeMetrics: [{ metrics: [metric] }] },
    ],
  })
const exemplar = (more: object) =>
  gauge({ ...POINT, exemplars: [{ timeUnixNano: NANOS, value: double(1), ...more }] })

test.each<[string, Metric]>([
  ['a gauge', gauge(POINT)],
  ['a gauge without points', gauge()],
  ['a sum', sum(2)],
  ['deltas', sum(1)],
  ['a histogram', histogram({})],
  ['a histogram without buckets', histogram({ explicitBounds: [], bucketCounts: [] })],
  ['a histogram with one bucket', histogram({ explicitBounds: [], bucketCounts: [3n] })],
  ['an exponential histogram', exponential({})],
  ['a summary', summary({ quantile: 0, value: 1 }, { quantile: 1, value: 2 })],
  ['no value, and said so', gauge({ timeUnixNano: NANOS, flags: 1 })],
  ['an exemplar', exemplar({ traceId: new Uint8Array(16), spanId: new Uint8Array(8) })],
])('nothing is wrong with %s', (_, metric) => {
  expect(found(kind, body(metric)).messages).toEqual([])
})

test.each<[string, string[], Metric]>([
  ['no name', ['metric'], { ...gauge(POINT), name: '' }],
  ['no data', ['metric'], { name: 'a' }],
  ['no temporality', ['metric'], sum(0)],
  ['an unknown temporality', ['metric'], sum(3)],
  ['no value', ['point'], gauge({ timeUnixNano: NANOS })],
  ['no time', ['time'], gauge({ value: double(1) })],
  ['a start after its time', ['time'], gauge({ ...POINT, startTimeUnixNano: NANOS + 1n })],
  ['a time of the future', ['time'], gauge({ ...POINT, timeUnixNano: NANOS * 2n })],
  ['an attribute without a key', ['attributes'], gauge({ ...POINT, attributes: [text('', 'x')] })],
  [
    'an attribute twice',
    ['attributes'],
    gauge({ ...POINT, attributes: [text('a', 'x'), text('a', 'y')] }),
  ],
  ['a point twice', ['duplicate'], gauge(POINT, POINT)],
  ['two values at a time', ['conflict'], gauge(POINT, { ...POINT, value: double(2) })],
  [
    'an older point',
    ['out_of_order'],
    gauge(POINT, { ...POINT, timeUnixNano: NANOS - 5_000_000n }),
  ],
  ['a bucket too few', ['point'], histogram({ bucketCounts: [1n, 2n] })],
  ['buckets without bounds', ['point'], histogram({ explicitBounds: [] })],
  ['bounds without buckets', ['point'], histogram({ bucketCounts: [] })],
  ['bounds out of order', ['point'], histogram({ explicitBounds: [5, 1] })],
  ['a bound of NaN', ['point'], histogram({ explicitBounds: [1, Number.NaN] })],
  ['buckets that are not its count', ['point'], histogram({ count: 4n })],
  ['a min above its max', ['point'], histogram({ min: 2, max: 1 })],
  ['exponential buckets that are not its count', ['point'], exponential({ count: 5n })],
  ['a zero threshold below zero', ['point'], exponential({ zeroThreshold: -1 })],
  ['an exponential min above its max', ['point'], exponential({ min: 2, max: 1 })],
  ['a quantile above 1', ['point'], summary({ quantile: 1.5, value: 1 })],
  [
    'quantiles out of order',
    ['point'],
    summary({ quantile: 0.9, value: 1 }, { quantile: 0.5, value: 1 }),
  ],
  ['an exemplar without a value', ['exemplar'], exemplar({ value: undefined })],
  ['an exemplar without a time', ['exemplar'], exemplar({ timeUnixNano: 0n })],
  ['a short trace id', ['exemplar'], exemplar({ traceId: new Uint8Array(3) })],
  ['a short span id', ['exemplar'], exemplar({ spanId: new Uint8Array(3) })],
])('%s: %j', (_, codes, metric) => {
  expect(found(kind, body(metric)).codes).toEqual(codes)
})

test('an unknown field is told', () => {
  expect(found(kind, Uint8Array.from([...body(gauge(POINT)), ...number(5, 1)])).codes).toEqual([
    'unknown_field',
  ])
})

test.each<[string, string[], string]>([
  [
    'bare numbers, each digit of them',
    [],
    '{"timeUnixNano":1700000000000000001,"asInt":"9007199254740993"}',
  ],
  ['an unknown key', ['unknown_field'], '{"timeUnixNano":"1","asInt":1,"what":2}'],
  ['snake_case', ['json'], '{"time_unix_nano":"1","asInt":1}'],
  [
    'a trace id in base64',
    ['json'],
    '{"timeUnixNano":"1","asInt":1,"exemplars":[{"timeUnixNano":"1","asInt":1,"traceId":"AAAAAAAAAAAAAAAAAAAAAA=="}]}',
  ],
  [
    'a trace id in hex',
    [],
    '{"timeUnixNano":"1","asInt":1,"exemplars":[{"timeUnixNano":"1","asInt":1,"traceId":"5B8EFFF798038103D269B633813FC60C"}]}',
  ],
  ['a number that is none', ['not_decoded'], '{"timeUnixNano":"one","asInt":1}'],
  ['no JSON', ['not_decoded'], '{'],
])('JSON with %s: %j', (_, codes, point) => {
  const json = `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"a","gauge":{"dataPoints":[${point}]}}]}]}]}`
  expect(found(KINDS.json, Buffer.from(json)).codes).toEqual(codes)
})

test('an enum by its name is told', () => {
  const json = `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"a","sum":{"aggregationTemporality":"AGGREGATION_TEMPORALITY_DELTA"}}]}]}]}`
  expect(found(KINDS.json, Buffer.from(json)).codes).toEqual(['json'])
})

test.each<[string, Metric, ReturnType<typeof text>[], string[]]>([
  [
    'attributes of resource and point',
    gauge({
      ...POINT,
      attributes: [text('http.route', '/'), text('empty', ''), text('region', 'point')],
    }),
    [
      text('service.name', 'shop'),
      text('service.namespace', 'eu'),
      text('service.instance.id', 'pod'),
      text('region', 'resource'),
      text('1st', 'x'),
    ],
    [
      '["_1st","x","__name__","a_b","http_route","/","instance","pod","job","eu/shop","region","point"] 1',
    ],
  ],
  [
    'a histogram',
    histogram({}),
    [],
    [
      '["__name__","h_bucket","le","+Inf"] 3',
      '["__name__","h_bucket","le","1"] 1',
      '["__name__","h_bucket","le","5"] 2',
      '["__name__","h_count"] 3',
      '["__name__","h_sum"] 9',
    ],
  ],
  [
    'a summary',
    summary({ quantile: 0.5, value: 7 }),
    [],
    ['["__name__","s","quantile","0.5"] 7', '["__name__","s_count"] 2', '["__name__","s_sum"] 3'],
  ],
])('%s is stored by the plain rule', (_, metric, resource, lines) => {
  const { store } = found(kind, body(metric, resource))
  const stored = [...store.all()].map((one) => `${one.key} ${one.value(one.first)}`)
  expect(stored.sort()).toEqual(lines)
  expect([...store.all()].every((one) => one.time(one.first) === T)).toBe(true)
})
