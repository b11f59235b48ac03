import { type RequestError, tooLarge } from '../wire/request-error.ts'

/** The 413 for a body that is longer than `limit` bytes once decoded. */
export function decodedTooLarge(limit: number): RequestError {
  return tooLarge(
    'decoded_too_large',
    `the decoded body is larger than limits.decoded, ${limit} bytes`,
  )
}
