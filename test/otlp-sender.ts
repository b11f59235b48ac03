import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { StatusSchema } from '../src/wire/gen/google-rpc_pb.js'
import {
  ExportMetricsServiceRequestSchema,
  ExportMetricsServiceResponseSchema,
  type MetricSchema,
} from '../src/wire/gen/opentelemetry_pb.js'
import { plainJson } from './otlp/write-json.ts'
import { type PushOptions, type Rig, T } from './pipeline-rig.ts'

export type Metric = MessageInitShape<typeof MetricSchema>
type Attributes = Readonly<Record<string, string>>
export type Content = 'protobuf' | 'json'

export const TYPES = { protobuf: 'application/x-protobuf', json: 'application/json' } as const

/** T and this many milliseconds, as OTLP has it. */
export const nanos = (after = 0): bigint => BigInt(T + after) * 1_000_000n

export function attributes(pairs: Attributes) {
  return Object.entries(pairs).map(([key, text]) => ({
    key,
    value: { value: { case: 'stringValue' as const, value: text } },
  }))
}

/** A point of a gauge or sum. */
export function point(value: number, pairs: Attributes = {}, after = 0) {
  return {
    timeUnixNano: nanos(after),
    attributes: attributes(pairs),
    value: { case: 'asDouble' as const, value },
  }
}

export function gauge(name: string, ...dataPoints: ReturnType<typeof point>[]): Metric {
  return { name, data: { case: 'gauge', value: { dataPoints } } }
}

/** A monotonic sum; temporality 1 is delta, 2 cumulative. */
export function counter(
  name: string,
  temporality: 1 | 2,
  ...dataPoints: ReturnType<typeof point>[]
) {
  const value = { dataPoints, isMonotonic: true, aggregationTemporality: temporality }
  return { name, data: { case: 'sum' as const, value } }
}

/** An explicit histogram of one point: 1 below 1, 2 below 5, 3 above. */
export function histogram(name: string, pairs: Attributes = {}, after = 0): Metric {
  const dataPoint = {
    timeUnixNano: nanos(after),
    attributes: attributes(pairs),
    count: 6n,
    sum: 40,
    explicitBounds: [1, 5],
    bucketCounts: [1n, 2n, 3n],
  }
  const value = { dataPoints: [dataPoint], aggregationTemporality: 2 }
  return { name, data: { case: 'histogram', value } }
}

/** `n` gauges of one point each: `m0` 0, `m1` 1, … */
export function numbered(n: number, pairs: Attributes = {}): Metric[] {
  return Array.from({ length: n }, (_, i) => gauge(`m${i}`, point(i, pairs)))
}

/** These metrics of one resource, in the binary form or as JSON. */
export function otlpBody(
  metrics: readonly Metric[],
  content: Content = 'protobuf',
  resource: Attributes = {},
): Uint8Array {
  const request = create(ExportMetricsServiceRequestSchema, {
    resourceMetrics: [
      {
        resource: { attributes: attributes(resource) },
        scopeMetrics: [{ metrics: [...metrics] }],
      },
    ],
  })
  return content === 'json'
    ? new TextEncoder().encode(plainJson(request))
    : toBinary(ExportMetricsServiceRequestSchema, request)
}

export interface OtlpOptions extends PushOptions {
  readonly content?: Content
}

/** Sends metrics, or a body, and reads the answer, whose type must be that of the request. */
export async function pushOtlp(
  rig: Rig,
  what: readonly Metric[] | Uint8Array,
  { content = 'protobuf', ...options }: OtlpOptions = {},
) {
  const body = what instanceof Uint8Array ? what : otlpBody(what, content)
  const headers = { 'Content-Type': TYPES[content], ...options.headers }
  return rig.push(body, { path: '/v1/metrics', ...options, headers })
}

/** What a 200 says. */
export function partialOf({ bytes, headers }: { bytes: Uint8Array; headers: Headers }) {
  const response =
    headers.get('Content-Type') === TYPES.json
      ? JSON.parse(new TextDecoder().decode(bytes))
      : fromBinary(ExportMetricsServiceResponseSchema, bytes)
  const { partialSuccess } = response
  if (!partialSuccess) return undefined
  const { rejectedDataPoints = 0, errorMessage = '' } = partialSuccess
  return { rejected: Number(rejectedDataPoints), message: errorMessage as string }
}

/** What the body of a refusal says. */
export function statusOf({ bytes, headers }: { bytes: Uint8Array; headers: Headers }) {
  if (headers.get('Content-Type') === TYPES.json) {
    return JSON.parse(new TextDecoder().decode(bytes)) as { code: number; message: string }
  }
  const { code, message } = fromBinary(StatusSchema, bytes)
  return { code, message }
}
