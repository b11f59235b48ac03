import { create, toBinary } from '@bufbuild/protobuf'
import { ExportMetricsServiceRequestSchema } from '../../src/wire/gen/opentelemetry_pb.js'
import { type Attribute, text } from './otlp-attributes.ts'
import type { MetricInit } from './otlp-requests.ts'

/** One way in which Sluice is not as Prometheus; docs/otlp.md has a line with the same name, and the reason. */
export interface Difference {
  readonly name: string
  /** Whether it shows under this `otlp` block; it does under all if missing. */
  readonly when?: (otlp: OtlpBlock) => boolean
  /** The request that shows it. Beside what is odd it has `neighbour(id)`. */
  readonly body: (id: string, at: bigint) => Uint8Array | string
  readonly headers?: Readonly<Record<string, string>>
  readonly prometheus: Outcome
  readonly sluice: Outcome & { readonly rejected: number; readonly message?: string }
}

/** What was answered, and what is stored then: lines of `storedLines`, sorted. */
export interface Outcome {
  readonly status: number
  readonly stored: readonly string[]
}

/** An `otlp` block of a config, as far as differences depend on it. */
export interface OtlpBlock {
  readonly [key: string]: unknown
  readonly translation_strategy: string
  readonly convert_histograms_to_nhcb?: boolean
  readonly promote_all_resource_attributes?: boolean
}

export const escaped = (otlp: OtlpBlock) => otlp.translation_strategy.startsWith('Underscore')
export const unescaped = (otlp: OtlpBlock) => !escaped(otlp)
export const classic = (otlp: OtlpBlock) => otlp.convert_histograms_to_nhcb !== true
export const custom = (otlp: OtlpBlock) => !classic(otlp)

const CUMULATIVE = 2

/** The body of a request of service `id` with these metrics, and `neighbour`. */
export function request(
  id: string,
  at: bigint,
  metrics: readonly MetricInit[],
  attributes: readonly Attribute[] = [],
): Uint8Array {
  const resource = { attributes: [text('service.name', id), ...attributes] }
  const scopeMetrics = [{ metrics: [...metrics, gauge(`${id}n`, { timeUnixNano: at })] }]
  return toBinary(
    ExportMetricsServiceRequestSchema,
    create(ExportMetricsServiceRequestSchema, { resourceMetrics: [{ resource, scopeMetrics }] }),
  )
}

/** The same in JSON, with one metric as JSON. */
export function jsonRequest(id: string, at: bigint, metric: string): string {
  const resource = `{"attributes":[{"key":"service.name","value":{"stringValue":"${id}"}}]}`
  const neighbour = `{"name":"${id}n","gauge":{"dataPoints":[{"timeUnixNano":"${at}","asInt":"1"}]}}`
  return `{"resourceMetrics":[{"resource":${resource},"scopeMetrics":[{"metrics":[${metric},${neighbour}]}]}]}`
}

/** `body` with the bytes of `from`, ASCII, replaced by as many of `to`. */
export function withBytes(body: Uint8Array, from: string, to: readonly number[]): Uint8Array {
  const bytes = Buffer.from(body)
  bytes.set(to, bytes.indexOf(from))
  return bytes
}

type Data = NonNullable<MetricInit['data']>
type Points<Case extends Data['case']> = NonNullable<
  Extract<Data, { case: Case }>['value']
>['dataPoints']
type PointOf<Case extends Data['case']> = NonNullable<Points<Case>>[number]

/** A gauge; its points are 1 where they say nothing else. */
export function gauge(name: string, ...points: readonly PointOf<'gauge'>[]): MetricInit {
  const one = { value: { case: 'asInt' as const, value: 1n } }
  const dataPoints = points.map((point) => ({ ...one, ...point }))
  return { name, data: { case: 'gauge', value: { dataPoints } } }
}

/** A sum that is not monotonic, so that nothing is added to its name. */
export function sum(
  name: string,
  point: PointOf<'sum'>,
  aggregationTemporality = CUMULATIVE,
): MetricInit {
  const dataPoints = [{ value: { case: 'asInt' as const, value: 1n }, ...point }]
  return { name, data: { case: 'sum', value: { dataPoints, aggregationTemporality } } }
}

/** A histogram with one value each below 1, below 2, and above. */
export function histogram(name: string, point: PointOf<'histogram'>): MetricInit {
  const plain = { count: 3n, sum: 6, explicitBounds: [1, 2], bucketCounts: [1n, 1n, 1n] }
  const value = { aggregationTemporality: CUMULATIVE, dataPoints: [{ ...plain, ...point }] }
  return { name, data: { case: 'histogram', value } }
}

/** An exponential histogram with three values between 1 and 2. */
export function exponential(name: string, point: PointOf<'exponentialHistogram'>): MetricInit {
  const plain: PointOf<'exponentialHistogram'> = {
    count: 3n,
    sum: 4,
    positive: { offset: 0, bucketCounts: [3n] },
  }
  const dataPoints = [{ ...plain, ...point } as PointOf<'exponentialHistogram'>]
  const value = { aggregationTemporality: CUMULATIVE, dataPoints }
  return { name, data: { case: 'exponentialHistogram', value } }
}

/** A summary of three values. */
export function summary(name: string, point: PointOf<'summary'>): MetricInit {
  const dataPoints = [{ count: 3n, sum: 6, ...point }]
  return { name, data: { case: 'summary', value: { dataPoints } } }
}
