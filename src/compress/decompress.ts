import { constants, zstdDecompressSync } from 'node:zlib'
import type { Kernel } from '../kernel/kernel.ts'
import { E_TOO_BIG } from '../wire/layout.ts'
import { badRequest, type RequestError, tooLarge } from '../wire/request-error.ts'
import { type Encoding, explainDecodeFailure } from './magic.ts'

/** Larger windows would let a small body ask for much memory. */
const WINDOW_LOG = 23

/**
 * Decodes a body into the kernel's message region and returns the message's length in bytes, at most `limit`. `body` stays the caller's. Throws a
 * RequestError: 413 when it is longer decoded, 400 when it is corrupt, with the name of what it seems to be instead.
 */
export function decompress(
  kernel: Kernel,
  body: Uint8Array,
  encoding: Encoding,
  limit: number,
): number {
  return encoding === 'snappy' ? snappy(kernel, body, limit) : zstd(kernel, body, limit)
}

function snappy(kernel: Kernel, body: Uint8Array, limit: number): number {
  const n = kernel.decodeSnappy(body)
  if (n > limit || n === E_TOO_BIG) throw explainTooLarge(body, limit)
  if (n < 0) throw explainDecodeFailure(corrupt('snappy'), body, 'snappy')
  return n
}

function zstd(kernel: Kernel, body: Uint8Array, limit: number): number {
  let decoded: { readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } }
  try {
    decoded = zstdDecompressSync(body, {
      maxOutputLength: limit,
      params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG },
      info: true,
    } as object) as never
  } catch (error) {
    // Both runtimes throw a RangeError for too much output, and other errors for what is no zstd.
    if (error instanceof RangeError) throw decodedTooLarge(limit)
    throw explainDecodeFailure(corrupt('zstd'), body, 'zstd')
  }
  // Both stop after one frame, also after one that says to be skipped: what follows would be lost.
  const { buffer, engine } = decoded
  if (body.length === 0 || engine.bytesWritten !== body.length) throw corrupt('zstd')
  return kernel.load(buffer)
}

/** A body that is no snappy at all often claims a huge length: then what it is says more than how large it is. */
function explainTooLarge(body: Uint8Array, limit: number): RequestError {
  return explainDecodeFailure(decodedTooLarge(limit), body, 'snappy')
}

function decodedTooLarge(limit: number): RequestError {
  return tooLarge(
    'decoded_too_large',
    `the decoded body is larger than limits.decoded, ${limit} bytes`,
  )
}

function corrupt(encoding: Encoding): RequestError {
  return badRequest(
    `corrupt_${encoding}`,
    `the body is not a valid ${encoding === 'snappy' ? 'snappy block' : 'zstd frame'}`,
  )
}
