import { decodedTooLarge } from './too-large.ts'
import { type Packed, unpack } from './unpack.ts'

/**
 * What is in a body of OTLP, at most `most` bytes. `body` stays the caller's; the result is the caller's too, and is the body
 * itself where the encoding is `identity`. Throws a RequestError: 413 when it is longer decoded; 400 when it is corrupt, as
 * `unpack` says. An empty body is a message only as it is: each real encoding of nothing has bytes.
 */
export function decodeBody(
  body: Uint8Array,
  encoding: 'identity' | Packed,
  most: number,
): Uint8Array {
  if (encoding !== 'identity') return unpack(body, encoding, most)
  if (body.length > most) throw decodedTooLarge(most)
  return body
}
