import type { Limits } from '../config/types.ts'
import { RequestError, tooLarge } from '../wire/request-error.ts'
import { declaredLength } from './content-length.ts'

/** The part of a request that is judged before its body is read. */
export interface RequestHead {
  readonly method: string
  readonly headers: { get(name: string): string | null }
}

/** Throws a 405 for any method but POST; `what` names the protocol. */
export function onlyPost({ method }: RequestHead, what: string): void {
  if (method === 'POST') return
  throw new RequestError(405, 'method_not_allowed', `${what} takes POST only`, {
    headers: { Allow: 'POST' },
  })
}

/** The Content-Encoding in lower case; undefined when there is none. A list of several stays a list: it is none that is known. */
export function contentEncoding({ headers }: RequestHead): string | undefined {
  return headers.get('content-encoding')?.trim().toLowerCase() || undefined
}

/**
 * Declared bytes of the body; undefined when none were declared. Throws a RequestError: 400 for a bad Content-Length,
 * 413 over `limits.body`.
 */
export function bodyLength(
  { headers }: RequestHead,
  limits: Pick<Limits, 'body'>,
): number | undefined {
  const length = declaredLength(headers)
  if (length !== undefined && length > limits.body) throw bodyTooLarge(limits.body)
  return length
}

/** The 413 for a body of more than `limit` bytes as it arrives. */
export function bodyTooLarge(limit: number): RequestError {
  return tooLarge('body_too_large', `the body is larger than limits.body, ${limit} bytes`)
}

/** The 415 for a media type; `message` says what is taken, `accept` is the header that says it again. */
export function unsupportedType(message: string, accept: string): RequestError {
  return new RequestError(415, 'unsupported_media_type', message, { headers: { Accept: accept } })
}

/** The 415 for an encoding; `accept` is the Accept-Encoding header that says what is taken (RFC 7694). */
export function unsupportedEncoding(message: string, accept: string): RequestError {
  return new RequestError(415, 'unsupported_encoding', message, {
    headers: { 'Accept-Encoding': accept },
  })
}
