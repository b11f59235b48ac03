import { fromBinary } from '@bufbuild/protobuf'
import { type FromJson, protobufFromJson } from '../../src/otlp/protobuf-from-json.ts'
import {
  type ExportMetricsServiceRequest,
  ExportMetricsServiceRequestSchema,
  type Metric,
} from '../../src/wire/gen/opentelemetry_pb.js'
import { RequestError } from '../../src/wire/request-error.ts'

const MOST = 64 * 1024 * 1024

/** The JSON of a request with these metrics, each as JSON. */
export function withMetrics(...metrics: readonly string[]): string {
  return `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[${metrics.join(',')}]}]}]}`
}

/** The JSON of a gauge named `m` with these points, each as JSON. */
export function gauge(...points: readonly string[]): string {
  return `{"name":"m","gauge":{"dataPoints":[${points.join(',')}]}}`
}

/** protobufFromJson of a text, or of bytes. */
export function convert(text: string | Uint8Array, most = MOST): FromJson {
  return protobufFromJson(typeof text === 'string' ? new TextEncoder().encode(text) : text, most)
}

/** The request that a text says. */
export function read(text: string): ExportMetricsServiceRequest {
  return fromBinary(ExportMetricsServiceRequestSchema, convert(text).message)
}

/** All metrics of a request. */
export function metricsOf(request: ExportMetricsServiceRequest): Metric[] {
  return request.resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) => metrics),
  )
}

/** The first data point of the first metric, of whatever type, as its fields. */
// biome-ignore lint/suspicious/noExplicitAny: tests ask for fields of any type of point.
export function firstPoint(text: string): any {
  return metricsOf(read(text))[0]!.data.value!.dataPoints[0]
}

/** The RequestError of what must not succeed. */
export function refusal(text: string | Uint8Array, most?: number): RequestError {
  try {
    convert(text, most)
  } catch (error) {
    if (error instanceof RequestError) return error
    throw error
  }
  throw new Error('it was taken')
}
