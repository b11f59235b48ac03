import { answer, refusalHeaders, refusalText, type Told } from '../receive/answer.ts'
import type { RefusalStatus } from '../wire/request-error.ts'
import { ProtobufWriter } from './protobuf-writer.ts'

/** How an OTLP/HTTP request is encoded, and so its answer. */
export type Encoding = 'protobuf' | 'json'

/** What a request was taken with nevertheless. */
export interface PartialSuccess {
  /** Data points rejected; 0 makes of the message a warning. */
  readonly rejected: number
  readonly message: string
}

/** What the sender of a request that can't be served is told. */
export interface Refused extends Omit<Told, 'status'> {
  readonly status: RefusalStatus
}

const TYPES: Readonly<Record<Encoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
}
/** google.rpc.Code: what the Collector has for the status, or what gRPC has for the case. */
const CODES: Readonly<Record<RefusalStatus, number>> = {
  // INVALID_ARGUMENT
  400: 3,
  // UNAUTHENTICATED
  401: 16,
  // PERMISSION_DENIED
  403: 7,
  // NOT_FOUND
  404: 5,
  // UNIMPLEMENTED
  405: 12,
  // RESOURCE_EXHAUSTED, as gRPC servers say of a message over their limit.
  413: 8,
  415: 3,
  // UNAVAILABLE
  503: 14,
}
const MAX_MESSAGE = 64 * 1024

/**
 * 200: the request was taken. The body is an ExportMetricsServiceResponse (spec 3.4): empty or `{}`
 * where all of it was, else with the partial success; its message is cut to what senders read.
 */
export function exportAnswer(encoding: Encoding, partial?: PartialSuccess): Response {
  const rejected = partial?.rejected ?? 0
  const message = refusalText(partial?.message ?? '')
  return new Response(
    encoding === 'json' ? exportJson(rejected, message) : exportProtobuf(rejected, message),
    { headers: { 'Content-Type': TYPES[encoding], 'X-Content-Type-Options': 'nosniff' } },
  )
}

/**
 * The answer to a request that can't be served: a google.rpc.Status with code and message, in the
 * request's encoding; plain text where that is not known, as with a 415 or 405. Headers as those of
 * remote write: Retry-After with each 503.
 */
export function statusAnswer(
  encoding: Encoding | undefined,
  told: Refused,
  random: () => number = Math.random,
): Response {
  if (encoding === undefined) return answer(told, random)
  const { status } = told
  const headers = refusalHeaders(told, TYPES[encoding], random)
  const code = CODES[status]
  const message = refusalText(told.message)
  const body = encoding === 'json' ? JSON.stringify({ code, message }) : rpcStatus(code, message)
  return new Response(body, { status, headers })
}

/** As proto3 JSON: 64-bit integers are strings, and zero is left out. */
function exportJson(rejected: number, message: string): string {
  if (rejected === 0 && message === '') return '{}'
  return JSON.stringify({
    partialSuccess: {
      ...(rejected > 0 && { rejectedDataPoints: String(rejected) }),
      ...(message !== '' && { errorMessage: message }),
    },
  })
}

/** ExportMetricsServiceResponse { partial_success=1 { rejected_data_points=1 int64, error_message=2 string } } */
function exportProtobuf(rejected: number, message: string): Uint8Array<ArrayBuffer> {
  const out = writer()
  if (rejected === 0 && message === '') return out.finish()
  out.varint(0x0a)
  const from = out.begin(2)
  writeNumberAndText(out, rejected, message)
  out.end(from, 2)
  return out.finish()
}

/** google.rpc.Status { code=1 int32, message=2 string } */
function rpcStatus(code: number, message: string): Uint8Array<ArrayBuffer> {
  const out = writer()
  writeNumberAndText(out, code, message)
  return out.finish()
}

function writer(): ProtobufWriter {
  return new ProtobufWriter(256, MAX_MESSAGE, () => new Error('BUG: an answer this long'))
}

/** Fields 1 and 2 of both messages. */
function writeNumberAndText(out: ProtobufWriter, number: number, text: string): void {
  if (number > 0) {
    out.varint(0x08)
    out.varint64(number >>> 0, Math.floor(number / 2 ** 32))
  }
  if (text === '') return
  const bytes = new TextEncoder().encode(text)
  out.varint(0x12)
  out.varint(bytes.length)
  out.copy(bytes, 0, bytes.length)
}
