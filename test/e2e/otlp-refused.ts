import { deflateSync, zstdCompressSync } from 'node:zlib'
import { text } from './otlp-attributes.ts'
import {
  custom,
  type Difference,
  escaped,
  exponential,
  gauge,
  histogram,
  jsonRequest,
  request,
  sum,
  unescaped,
} from './otlp-difference.ts'

const HOUR = 3_600_000_000_000n
const DELTA = 1
const PROTOBUF = 'application/x-protobuf'
const JSON_TYPE = { 'content-type': 'application/json' }
const traceId = (length: number) => new Uint8Array(length).fill(7)
const exemplarValue = { case: 'asDouble' as const, value: 0.5 }

const refused = { status: 500, stored: [] }
const bad = { status: 400, stored: [] }
const one = { status: 200, rejected: 1, stored: ['n 1'] }
const all = { status: 200, rejected: 0, stored: ['n 1'] }

/** What Prometheus refuses with all that comes with it, and Sluice takes but for what is wrong. */
export const refusedByPrometheus: readonly Difference[] = [
  {
    name: 'delta temporality',
    body: (id, timeUnixNano) => request(id, timeUnixNano, [sum(id, { timeUnixNano }, DELTA)]),
    prometheus: refused,
    sluice: { ...one, message: 'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=cumulative' },
  },
  {
    name: 'no temporality',
    body: (id, timeUnixNano) => request(id, timeUnixNano, [sum(id, { timeUnixNano }, 0)]),
    prometheus: refused,
    sluice: { ...one, message: 'no aggregation temporality' },
  },
  {
    name: 'a metric name without letters and digits, escaped',
    when: escaped,
    body: (id, timeUnixNano) => request(id, timeUnixNano, [gauge('-.-', { timeUnixNano })]),
    prometheus: refused,
    sluice: { ...one, message: 'metric "-.-" has a name of which no Prometheus name' },
  },
  {
    name: "an attribute's key without letters and digits, escaped",
    when: escaped,
    body: (id, timeUnixNano) =>
      request(id, timeUnixNano, [gauge(id, { timeUnixNano, attributes: [text('--', 'x')] })]),
    prometheus: refused,
    sluice: { ...one, message: 'an attribute of whose key no label name' },
  },
  {
    name: 'such a key of a resource attribute',
    when: (otlp) => escaped(otlp) && !otlp.promote_all_resource_attributes,
    body: (id, timeUnixNano) => request(id, timeUnixNano, [], [text('--', 'x')]),
    prometheus: refused,
    sluice: { ...all, message: 'series target_info{} has an attribute of whose key no label' },
  },
  {
    name: 'an empty key',
    body: (id, timeUnixNano) =>
      request(id, timeUnixNano, [gauge(id, { timeUnixNano, attributes: [text('', 'x')] })]),
    prometheus: refused,
    sluice: { ...one, message: 'an attribute of whose key no label name' },
  },
  {
    name: 'the same key twice, not escaped',
    when: unescaped,
    body: (id, timeUnixNano) => {
      const attributes = [text('k', 'x'), text('k', 'y')]
      return request(id, timeUnixNano, [gauge(id, { timeUnixNano, attributes })])
    },
    prometheus: refused,
    sluice: { ...one, message: 'has a label twice' },
  },
  {
    name: 'no time',
    body: (id, at) => request(id, at, [gauge(id, { timeUnixNano: 0n })]),
    prometheus: bad,
    sluice: { ...one, message: 'without time_unix_nano' },
  },
  {
    name: 'a time in the future',
    body: (id, at) => request(id, at, [gauge(id, { timeUnixNano: at + HOUR })]),
    prometheus: bad,
    sluice: { ...one, message: 'too far in the future' },
  },
  {
    name: 'a metric without a type',
    body: (id, at) => request(id, at, [{ name: id }]),
    prometheus: refused,
    sluice: all,
  },
  {
    name: 'a scale below -4',
    body: (id, timeUnixNano) =>
      request(id, timeUnixNano, [exponential(id, { timeUnixNano, scale: -5 })]),
    prometheus: refused,
    sluice: { ...one, message: 'a scale below -4' },
  },
  {
    name: 'an exponential histogram whose count is not that of its buckets',
    body: (id, timeUnixNano) =>
      request(id, timeUnixNano, [exponential(id, { timeUnixNano, count: 4n })]),
    prometheus: refused,
    sluice: { ...one, message: 'buckets, spans and count do not agree' },
  },
  {
    name: 'an explicit histogram whose count is not that of its buckets, made native',
    when: custom,
    body: (id, timeUnixNano) =>
      request(id, timeUnixNano, [histogram(id, { timeUnixNano, count: 4n })]),
    prometheus: refused,
    sluice: { ...one, message: 'buckets, spans and count do not agree' },
  },
  {
    name: 'an explicit histogram without buckets, made native',
    when: custom,
    body: (id, timeUnixNano) => {
      const point = { timeUnixNano, bucketCounts: [], explicitBounds: [] }
      return request(id, timeUnixNano, [histogram(id, point)])
    },
    prometheus: refused,
    sluice: {
      ...all,
      stored: [
        'm native schema=-53 count=3 zero=0/0 negative={} positive={"0":"3"} bounds=',
        'n 1',
      ],
    },
  },
  {
    name: 'an explicit bound +Inf, made native',
    when: custom,
    body: (id, timeUnixNano) => {
      const point = { timeUnixNano, explicitBounds: [1, Number.POSITIVE_INFINITY] }
      return request(id, timeUnixNano, [histogram(id, { ...point, bucketCounts: [1n, 2n, 0n] })])
    },
    prometheus: refused,
    sluice: {
      ...all,
      stored: [
        'm native schema=-53 count=3 zero=0/0 negative={} positive={"0":"1","1":"2"} bounds=1',
        'n 1',
      ],
    },
  },
  {
    name: 'an exemplar without a value',
    body: (id, timeUnixNano) => {
      const exemplars = [{ timeUnixNano, traceId: traceId(16) }]
      return request(id, timeUnixNano, [sum(id, { timeUnixNano, exemplars })])
    },
    prometheus: refused,
    sluice: {
      ...all,
      stored: ['m 1', 'n 1'],
    },
  },
  {
    name: "an exemplar's id of another length",
    body: (id, timeUnixNano) => {
      const exemplars = [{ timeUnixNano, value: exemplarValue, traceId: traceId(8) }]
      return request(id, timeUnixNano, [sum(id, { timeUnixNano, exemplars })])
    },
    prometheus: bad,
    sluice: { ...all, stored: ['exemplar m 0.5', 'm 1', 'n 1'] },
  },
  {
    name: 'a value in JSON that is none',
    headers: JSON_TYPE,
    body: (id, at) =>
      jsonRequest(id, at, `{"name":"${id}","gauge":{"dataPoints":[{"timeUnixNano":"x"}]}}`),
    prometheus: bad,
    sluice: { ...one, message: 'timeUnixNano' },
  },
  {
    name: '`null` in JSON',
    headers: JSON_TYPE,
    body: (id, at) => {
      const point = `{"timeUnixNano":"${at}","asInt":2,"flags":null}`
      return jsonRequest(id, at, `{"name":"${id}","gauge":{"dataPoints":[${point}]}}`)
    },
    prometheus: bad,
    sluice: { ...all, stored: ['m 2', 'n 1'] },
  },
  {
    name: 'a `Content-Type` with parameters',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: (id, at) => jsonRequest(id, at, '{}'),
    prometheus: bad,
    sluice: all,
  },
  {
    name: '`Content-Encoding: zstd`',
    headers: { 'content-type': PROTOBUF, 'content-encoding': 'zstd' },
    body: (id, at) => zstdCompressSync(request(id, at, [])),
    prometheus: bad,
    sluice: all,
  },
  {
    name: '`Content-Encoding: deflate`',
    headers: { 'content-type': PROTOBUF, 'content-encoding': 'deflate' },
    body: (id, at) => deflateSync(request(id, at, [])),
    prometheus: bad,
    sluice: all,
  },
  {
    name: '`Content-Encoding: identity`',
    headers: { 'content-type': PROTOBUF, 'content-encoding': 'identity' },
    body: (id, at) => request(id, at, []),
    prometheus: bad,
    sluice: all,
  },
]
