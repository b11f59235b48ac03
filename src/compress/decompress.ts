import type { Kernel } from '../kernel/kernel.ts'
import { E_TOO_BIG } from '../wire/layout.ts'
import { badRequest, type RequestError } from '../wire/request-error.ts'
import { explainDecodeFailure } from './magic.ts'
import { decodedTooLarge } from './too-large.ts'
import { unpack } from './unpack.ts'

const CORRUPT = badRequest('corrupt_snappy', 'the body is not a valid snappy block')

/**
 * Decodes a body of remote write into the kernel's message region and returns the message's length in bytes, at most `limit`. `body` stays the caller's. Throws a
 * RequestError: 413 when it is longer decoded, 400 when it is corrupt, with the name of what it seems to be instead.
 */
export function decompress(
  kernel: Kernel,
  body: Uint8Array,
  encoding: 'snappy' | 'zstd',
  limit: number,
): number {
  return encoding === 'snappy'
    ? snappy(kernel, body, limit)
    : kernel.load(unpack(body, 'zstd', limit))
}

function snappy(kernel: Kernel, body: Uint8Array, limit: number): number {
  const n = kernel.decodeSnappy(body)
  if (n > limit || n === E_TOO_BIG) throw explainTooLarge(body, limit)
  if (n < 0) throw explainDecodeFailure(CORRUPT, body, 'snappy')
  return n
}

/** A body that is no snappy at all often claims a huge length: then what it is says more than how large it is. */
function explainTooLarge(body: Uint8Array, limit: number): RequestError {
  return explainDecodeFailure(decodedTooLarge(limit), body, 'snappy')
}
