import type { Limits } from '../config/types.ts'
import type { RequestError } from '../wire/request-error.ts'
import { parseMediaType } from './media-type.ts'
import {
  bodyLength,
  contentEncoding,
  onlyPost,
  type RequestHead,
  unsupportedEncoding,
  unsupportedType,
} from './request-head.ts'

/** What the headers of an OTLP/HTTP request say about its body. */
export interface OtlpHeaders {
  /** What the answer is written in too. */
  readonly content: 'protobuf' | 'json'
  readonly encoding: 'identity' | 'gzip' | 'deflate' | 'zstd'
  /** Declared bytes of the body; undefined when none were declared. */
  readonly length: number | undefined
}

const ENCODINGS: ReadonlyMap<string, OtlpHeaders['encoding']> = new Map([
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  // RFC 9110 8.4.1.3: to be taken as gzip.
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['zstd', 'zstd'],
])
const ACCEPTED = 'application/x-protobuf, application/json'
const ACCEPTED_ENCODINGS = 'gzip, zstd, deflate, identity'

/**
 * Judges an OTLP/HTTP request by its headers alone (OTLP 1.x, "OTLP/HTTP"). The content type must be there; its parameters mean
 * nothing, except that JSON is UTF-8. Throws a RequestError with 405, 415, 400 (bad Content-Length) or 413 (over
 * `limits.body`).
 */
export function judgeOtlp(request: RequestHead, limits: Pick<Limits, 'body'>): OtlpHeaders {
  onlyPost(request, 'OTLP')
  const content = contentOf(request.headers.get('content-type'))
  const encoding = encodingOf(contentEncoding(request))
  return { content, encoding, length: bodyLength(request, limits) }
}

/** What an answer to this request is written in, whatever is wrong with it; undefined where its type is neither. */
export function otlpContent({
  headers,
}: Pick<RequestHead, 'headers'>): OtlpHeaders['content'] | undefined {
  const essence = parseMediaType(headers.get('content-type') ?? '')?.essence
  if (essence === 'application/json') return 'json'
  return essence === 'application/x-protobuf' ? 'protobuf' : undefined
}

function contentOf(contentType: string | null): OtlpHeaders['content'] {
  if (contentType === null || contentType === '') {
    throw refusedType('the Content-Type header is missing')
  }
  const type = parseMediaType(contentType)
  if (type === undefined) throw refusedType('the Content-Type header is malformed')
  if (type.essence === 'application/x-protobuf') return 'protobuf'
  if (type.essence !== 'application/json') throw refusedType(`not ${type.essence}`)
  const charset = type.parameters.get('charset') ?? 'utf-8'
  if (/^utf-?8$/i.test(charset)) return 'json'
  throw refusedType(`JSON is UTF-8, not ${charset}`)
}

function encodingOf(encoding: string | undefined): OtlpHeaders['encoding'] {
  if (encoding === undefined) return 'identity'
  const known = ENCODINGS.get(encoding)
  if (known !== undefined) return known
  throw unsupportedEncoding(
    `this receiver takes OTLP with Content-Encoding gzip, zstd, deflate or none, not ${encoding}`,
    ACCEPTED_ENCODINGS,
  )
}

function refusedType(why: string): RequestError {
  return unsupportedType(
    `this receiver takes OTLP/HTTP as application/x-protobuf or application/json: ${why}`,
    ACCEPTED,
  )
}
