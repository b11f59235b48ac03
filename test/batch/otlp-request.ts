import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import {
  type AnyValueSchema,
  type ExemplarSchema,
  type ExponentialHistogramDataPointSchema,
  type ExportMetricsServiceRequest,
  ExportMetricsServiceRequestSchema,
  type HistogramDataPointSchema,
  type KeyValueSchema,
  type MetricSchema,
  type NumberDataPointSchema,
  type SummaryDataPointSchema,
} from '../../src/wire/gen/opentelemetry_pb.js'
import { NOW } from './harness.ts'

// Requests of OTLP for tests, by hand and by chance.

type Next = (n: number) => number
export type Value = MessageInitShape<typeof AnyValueSchema>
export type Pair = MessageInitShape<typeof KeyValueSchema>
export type NumberPoint = MessageInitShape<typeof NumberDataPointSchema>
export type HistogramPoint = MessageInitShape<typeof HistogramDataPointSchema>
export type ExponentialPoint = MessageInitShape<typeof ExponentialHistogramDataPointSchema>
export type SummaryPoint = MessageInitShape<typeof SummaryDataPointSchema>
export type AnyMetric = MessageInitShape<typeof MetricSchema>
type AnyExemplar = MessageInitShape<typeof ExemplarSchema>

/** A minute before now, ms. */
export const T = NOW - 60_000
export const nanos = (ms: number): bigint => BigInt(ms) * 1_000_000n

export const stringOf = (value: string): Value => ({ value: { case: 'stringValue', value } })
export const intOf = (value: bigint): Value => ({ value: { case: 'intValue', value } })
export const boolOf = (value: boolean): Value => ({ value: { case: 'boolValue', value } })
export const doubleOf = (value: number): Value => ({ value: { case: 'doubleValue', value } })
export const bytesOf = (...value: number[]): Value => ({
  value: { case: 'bytesValue', value: Uint8Array.from(value) },
})
export const listOf = (...values: Value[]): Value => ({
  value: { case: 'arrayValue', value: { values } },
})
export const mapOf = (...values: Pair[]): Value => ({
  value: { case: 'kvlistValue', value: { values } },
})

/** Attributes with strings as values. */
export function attributes(pairs: Readonly<Record<string, string | Value>>): Pair[] {
  return Object.entries(pairs).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? stringOf(value) : value,
  }))
}

/** A point of T with this value. */
export function point(value: number, more: NumberPoint = {}): NumberPoint {
  return { timeUnixNano: nanos(T), value: { case: 'asDouble', value }, ...more }
}

export const gauge = (name: string, ...dataPoints: NumberPoint[]): AnyMetric => ({
  name,
  data: { case: 'gauge', value: { dataPoints } },
})

export function counter(name: string, ...dataPoints: NumberPoint[]): AnyMetric {
  const value = { dataPoints, aggregationTemporality: 2, isMonotonic: true }
  return { name, data: { case: 'sum', value } }
}

export function histogram(name: string, ...dataPoints: HistogramPoint[]): AnyMetric {
  const points = dataPoints.map((one) => ({ timeUnixNano: nanos(T), ...one }))
  return {
    name,
    data: { case: 'histogram', value: { dataPoints: points, aggregationTemporality: 2 } },
  }
}

export function exponential(name: string, ...dataPoints: ExponentialPoint[]): AnyMetric {
  const points = dataPoints.map((one) => ({ timeUnixNano: nanos(T), ...one }))
  const value = { dataPoints: points, aggregationTemporality: 2 }
  return { name, data: { case: 'exponentialHistogram', value } }
}

export function summary(name: string, ...dataPoints: SummaryPoint[]): AnyMetric {
  const points = dataPoints.map((one) => ({ timeUnixNano: nanos(T), ...one }))
  return { name, data: { case: 'summary', value: { dataPoints: points } } }
}

/** The bytes of a request of one resource, without attributes, and one scope. */
export function requestOf(...metrics: AnyMetric[]): Uint8Array {
  return resourceOf({}, ...metrics)
}

/** The same with resource attributes. */
export function resourceOf(
  of: Readonly<Record<string, string | Value>>,
  ...metrics: AnyMetric[]
): Uint8Array {
  const resource = { attributes: attributes(of) }
  return bytesOfRequest({ resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] })
}

export function bytesOfRequest(
  request: MessageInitShape<typeof ExportMetricsServiceRequestSchema>,
): Uint8Array {
  return toBinary(
    ExportMetricsServiceRequestSchema,
    create(ExportMetricsServiceRequestSchema, request),
  )
}

const KEYS = ['a', 'b.c', 'b_c', 'le', 'é', 'quantile', '__name__', 'job', 'x.y', 'z']

function anyValue(next: Next, depth = 0): Value {
  switch (next(depth > 2 ? 9 : 12)) {
    case 0:
      return intOf(BigInt(next(1000)) - 500n)
    case 1:
      return boolOf(next(2) === 0)
    case 2:
      return doubleOf([1.5, 0, -0, 1e21, 1e-7, Number.NaN, 3][next(depth ? 5 : 7)]! || 1.25)
    case 3:
      return bytesOf(...Array.from({ length: 1 + next(5) }, () => next(256)))
    case 4:
      return {}
    case 5:
      return stringOf('')
    case 9:
      return listOf(...Array.from({ length: next(4) }, () => anyValue(next, depth + 1)))
    case 10:
    case 11:
      return mapOf(
        ...['p', 'q', 'r'].slice(next(4)).map((key) => ({ key, value: anyValue(next, depth + 1) })),
      )
    default:
      return stringOf(['v', 'w', '"quoted"', 'ünïcode 𝄞', 'v'.repeat(40)][next(5)]!)
  }
}

function anyAttributes(next: Next, most: number): Pair[] {
  const keys = KEYS.filter(() => next(3) === 0).slice(0, most)
  return keys.map((key) => ({ key, value: next(3) ? stringOf(`v${next(3)}`) : anyValue(next) }))
}

function anyTime(next: Next): bigint {
  const kind = next(40)
  if (kind === 0) return 0n
  if (kind === 1) return nanos(NOW + 3_600_000)
  if (kind === 2) return 2n ** 64n - 1n
  if (kind === 3) return nanos(T - 1_000_000) + 7n
  return nanos(T + next(5)) + BigInt(next(3))
}

function anyExemplars(next: Next): AnyExemplar[] {
  const id = (size: number) =>
    next(3) ? Uint8Array.from({ length: size }, () => next(256)) : new Uint8Array(next(20))
  return Array.from({ length: next(3) ? 0 : next(4) }, () => ({
    timeUnixNano: next(9) ? nanos(T + next(3)) : anyTime(next),
    value: next(2)
      ? { case: 'asDouble' as const, value: next(20) / 4 }
      : { case: 'asInt' as const, value: BigInt(next(9)) - 3n },
    traceId: id(16),
    spanId: id(8),
    filteredAttributes: [
      ...(next(2) ? anyAttributes(next, 3) : []),
      ...(next(6) ? [] : attributes({ trace_id: 'mine' })),
      ...(next(9) ? [] : attributes({ long: 'é'.repeat(50 + next(90)) })),
    ],
  }))
}

function common(next: Next) {
  return {
    attributes: anyAttributes(next, 5),
    timeUnixNano: anyTime(next),
    startTimeUnixNano: next(2) ? nanos(T - 5000) : 0n,
    flags: next(12) ? 2 * next(2) : 1,
  }
}

function anyNumber(next: Next): NumberPoint {
  const value: NumberPoint['value'] = next(30)
    ? next(2)
      ? { case: 'asDouble', value: next(100) / 8 - 3 }
      : { case: 'asInt', value: (BigInt(next(2 ** 31)) << BigInt(next(33))) * (next(2) ? 1n : -1n) }
    : { case: undefined }
  return { ...common(next), value, exemplars: anyExemplars(next) }
}

const BOUNDS = [
  [],
  [1, 2, 5],
  [1, 2.5, 5],
  [0.005, 1e-7, 3],
  [-1, 0, 10, Infinity],
  [Infinity],
  [Infinity, Infinity],
  [1],
  [1, 1],
  [Number.NaN],
]

function anyHistogram(next: Next): HistogramPoint {
  const explicitBounds = BOUNDS[next(next(3) ? 3 : BOUNDS.length)]!
  const n = next(12)
  const size = n === 0 ? 0 : explicitBounds.length + (n === 1 ? 0 : n === 2 ? 2 : 1)
  const bucketCounts = Array.from({ length: size }, () => BigInt(next(9)))
  return {
    ...common(next),
    explicitBounds,
    bucketCounts,
    count: bucketCounts.reduce((a, b) => a + b, BigInt(next(2))),
    ...(next(4) && { sum: next(90) / 4 }),
    ...(next(2) && { min: 1, max: 2 }),
    exemplars: anyExemplars(next),
  }
}

function anyExponential(next: Next): ExponentialPoint {
  const side = () => ({
    offset: next(60) - 30,
    bucketCounts: Array.from({ length: next(12) }, () => (next(3) ? BigInt(next(400)) : 0n)),
  })
  const [positive, negative] = [side(), side()]
  const zeroCount = BigInt(next(3))
  const all = [...positive.bucketCounts, ...negative.bucketCounts].reduce((a, b) => a + b, 0n)
  return {
    ...common(next),
    scale: next(26) - 5,
    zeroCount,
    count: all + zeroCount + (next(15) ? 0n : 1n),
    ...(next(4) && { sum: next(90) / 4 }),
    ...(next(6) && { positive }),
    ...(next(2) ? { negative } : {}),
    exemplars: anyExemplars(next),
  }
}

function anySummary(next: Next): SummaryPoint {
  const quantiles = [0, 0.5, 0.99, 1, next(2) ? 0.999 : 0.5].slice(0, next(6))
  return {
    ...common(next),
    count: BigInt(next(1000)),
    sum: next(1000) / 8,
    quantileValues: quantiles.map((quantile) => ({ quantile, value: next(80) / 8 })),
  }
}

function anyMetric(next: Next): AnyMetric {
  const name = ['http.requests', 'x', 'a_b', 'latency', '', '___'][next(next(6) ? 4 : 6)]!
  const unit = ['', 's', 'By/s', '1', '{things}'][next(5)]!
  const temporality = next(12) ? 2 : next(2)
  const some = <P>(one: (next: Next) => P) => Array.from({ length: next(5) }, () => one(next))
  const base = { name, unit, description: ['', 'Help', 'ü'][next(3)]! }
  switch (next(8)) {
    case 0:
      return { ...base, data: { case: 'gauge', value: { dataPoints: some(anyNumber) } } }
    case 1:
    case 2: {
      const sum = { aggregationTemporality: temporality, isMonotonic: next(2) === 0 }
      return { ...base, data: { case: 'sum', value: { ...sum, dataPoints: some(anyNumber) } } }
    }
    case 3:
    case 4: {
      const value = { aggregationTemporality: temporality, dataPoints: some(anyHistogram) }
      return { ...base, data: { case: 'histogram', value } }
    }
    case 5: {
      const value = { aggregationTemporality: temporality, dataPoints: some(anyExponential) }
      return { ...base, data: { case: 'exponentialHistogram', value } }
    }
    case 6:
      return { ...base, data: { case: 'summary', value: { dataPoints: some(anySummary) } } }
    default:
      return base
  }
}

/** A request by chance: few names and values, so that much is equal. */
export function anyRequest(next: Next): ExportMetricsServiceRequest {
  const resource = () => ({
    attributes: [
      ...(next(4) ? attributes({ 'service.name': `s${next(2)}` }) : []),
      ...(next(2) ? attributes({ 'service.namespace': ['', 'ns'][next(2)]! }) : []),
      ...(next(2) ? attributes({ 'service.instance.id': `i${next(2)}` }) : []),
      ...anyAttributes(next, 2),
    ],
  })
  const scopes = () => ({
    scope: {
      name: ['', 'lib'][next(2)]!,
      version: ['', '1.0'][next(2)]!,
      attributes: next(3) ? [] : anyAttributes(next, 2),
    },
    schemaUrl: ['', 'https://schema'][next(2)]!,
    metrics: Array.from({ length: next(5) }, () => anyMetric(next)),
  })
  return create(ExportMetricsServiceRequestSchema, {
    resourceMetrics: Array.from({ length: 1 + next(4) }, () => ({
      ...(next(8) && { resource: resource() }),
      scopeMetrics: Array.from({ length: 1 + next(2) }, scopes),
    })),
  })
}
