import { badRequest } from '../wire/request-error.ts'

/**
 * The length a request declares for its body, bytes; undefined when it declares none (a chunked
 * body). Throws a 400 when the header is no number. A number too large to be exact comes back as
 * Infinity.
 */
export function declaredLength(headers: { get(name: string): string | null }): number | undefined {
  const value = headers.get('content-length')
  if (value === null) return undefined
  if (!/^[0-9]+$/.test(value)) {
    throw badRequest('bad_content_length', 'the Content-Length header is not a number')
  }
  return Number(value)
}
