import { fromBinary, fromJsonString } from '@bufbuild/protobuf'
import {
  type ExportMetricsServiceResponse,
  ExportMetricsServiceResponseSchema,
} from '../../src/wire/gen/opentelemetry_pb.js'
import type { Answer } from './answer.ts'
import type { Protocol } from './request-writer.ts'

/**
 * Whether the receiver said that it took all of a request with so many samples: true, or why not, as one may show it when
 * it is made printable. A 2xx, but for OTLP with a partial_success that rejects, and for remote write 2.0 with headers
 * that tell of fewer, or without them.
 */
export function acknowledgement(
  protocol: Protocol,
  answer: Answer,
  samples: number,
): true | string {
  if ('failure' in answer) return `${answer.failure}: ${answer.message}`
  const { status } = answer
  if (status < 200 || status > 299) return `${status} ${textOf(answer.body)}`
  if (protocol === 'remotewrite1') return true
  if (protocol === 'remotewrite2') return writtenOf(answer.headers, samples, status)
  const { partialSuccess } = responseOf(protocol, answer.body) ?? {}
  if (partialSuccess === undefined || partialSuccess.rejectedDataPoints <= 0n) return true
  const { rejectedDataPoints, errorMessage } = partialSuccess
  return `${status}, but ${rejectedDataPoints} points were rejected: ${errorMessage}`
}

const WRITTEN = [
  'x-prometheus-remote-write-samples-written',
  'x-prometheus-remote-write-histograms-written',
]

function writtenOf(
  headers: Readonly<Record<string, unknown>>,
  samples: number,
  status: number,
): true | string {
  const told = WRITTEN.map((name) => headers[name]).filter((value) => value !== undefined)
  if (told.length === 0) return `${status}, but without the headers that say what was written`
  const written = told.reduce((sum: number, value) => sum + Number(value), 0)
  return written >= samples || `${status}, but ${written} of ${samples} samples were written`
}

/** Undefined where the answer is none of OTLP: then its status says that all was taken. */
function responseOf(
  protocol: Protocol,
  body: Uint8Array,
): ExportMetricsServiceResponse | undefined {
  try {
    return protocol === 'otlp'
      ? fromBinary(ExportMetricsServiceResponseSchema, body)
      : fromJsonString(ExportMetricsServiceResponseSchema, textOf(body), {
          ignoreUnknownFields: true,
        })
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body)
}
