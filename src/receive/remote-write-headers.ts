import type { Limits } from '../config/types.ts'
import { RequestError, tooLarge } from '../wire/request-error.ts'
import { declaredLength } from './content-length.ts'
import { parseMediaType } from './media-type.ts'

/** What the headers of a remote write request say about its body. */
export interface RemoteWriteHeaders {
  readonly version: 1
  readonly encoding: 'snappy' | 'zstd'
  /** Declared bytes of the body; undefined when none were declared. */
  readonly length: number | undefined
}

/** The part of a request that is judged before its body is read. */
export interface RequestHead {
  readonly method: string
  readonly headers: { get(name: string): string | null }
}

const ACCEPTED = 'application/x-protobuf;proto=prometheus.WriteRequest'

/**
 * Judges a remote write request by its headers alone (remote write 1.0 and 2.0, "Protocol"). The
 * content type is the only thing that selects the version. A missing type means 1.0, a missing
 * encoding snappy; zstd is vmagent's own protocol, the same message. Throws a RequestError with
 * 405, 415, 400 (bad Content-Length) or 413 (over `limits.body`).
 */
export function judgeRemoteWrite(
  request: RequestHead,
  limits: Pick<Limits, 'body'>,
): RemoteWriteHeaders {
  if (request.method !== 'POST') {
    throw new RequestError(405, 'method_not_allowed', 'remote write takes POST only', {
      headers: { Allow: 'POST' },
    })
  }
  const version = versionOf(request.headers.get('content-type'))
  const encoding = encodingOf(request.headers.get('content-encoding'))
  const length = declaredLength(request.headers)
  if (length !== undefined && length > limits.body) throw bodyTooLarge(limits.body)
  return { version, encoding, length }
}

/** The 413 for a compressed body of more than `limit` bytes. */
export function bodyTooLarge(limit: number): RequestError {
  return tooLarge('body_too_large', `the body is larger than limits.body, ${limit} bytes`)
}

function versionOf(contentType: string | null): 1 {
  if (contentType === null || contentType === '') return 1
  const type = parseMediaType(contentType)
  if (type === undefined) throw unsupportedType('the Content-Type header is malformed')
  if (type.essence !== 'application/x-protobuf') throw unsupportedType(`not ${type.essence}`)
  const proto = type.parameters.get('proto') ?? 'prometheus.WriteRequest'
  if (proto === 'prometheus.WriteRequest') return 1
  throw unsupportedType(`not the message ${proto}`)
}

function encodingOf(contentEncoding: string | null): 'snappy' | 'zstd' {
  if (contentEncoding === null || contentEncoding === '') return 'snappy'
  const encoding = contentEncoding.trim().toLowerCase()
  if (encoding === 'snappy' || encoding === 'zstd') return encoding
  throw new RequestError(
    415,
    'unsupported_encoding',
    `this receiver takes Content-Encoding snappy (block format) or zstd, not ${contentEncoding}`,
    { headers: { 'Accept-Encoding': 'snappy, zstd' } },
  )
}

function unsupportedType(why: string): RequestError {
  return new RequestError(
    415,
    'unsupported_media_type',
    `this receiver takes application/x-protobuf of prometheus.WriteRequest (1.0): ${why}`,
    { headers: { Accept: ACCEPTED } },
  )
}
