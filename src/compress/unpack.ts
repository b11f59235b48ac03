import { constants, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { badRequest, type RequestError } from '../wire/request-error.ts'
import { explainDecodeFailure } from './magic.ts'
import { decodedTooLarge } from './too-large.ts'

/** Encodings that node:zlib reads. */
export type Packed = 'gzip' | 'deflate' | 'zstd'

/** Larger windows would let a small body ask for much memory. */
const WINDOW_LOG = 23
/** Bytes that are taken for the output before any is there: no more than this for each byte of the body. */
const EXPECTED_RATIO = 32
const SMALLEST_CHUNK = 16 * 1024
const LARGEST_CHUNK = 1024 * 1024

type Unzip = (body: Uint8Array, options: object) => Unzipped
interface Unzipped {
  readonly buffer: Uint8Array
  /** `bytesWritten`: those of the body that were read. */
  readonly engine: { readonly bytesWritten: number }
}

/**
 * What is in a body: gzip of one member or several (RFC 1952), deflate in its zlib wrapper (RFC 9110 8.4.1.2) or, as some senders have it, raw, or
 * one zstd frame. `body` stays the caller's and so is the result. Throws a RequestError: 413 when the result would be
 * longer than `most` bytes, as soon as that is seen; 400 when the body is empty, corrupt, cut short or followed by more, with the
 * name of what it seems to be instead.
 */
export function unpack(body: Uint8Array, encoding: Packed, most: number): Uint8Array {
  if (body.length === 0) throw corrupt(encoding, 'the body is empty, not')
  let unzipped: Unzipped
  try {
    // Of the two ways that workerd has, only the one with `info` keeps to the cap exactly.
    unzipped = unzipOf(body, encoding)(body, {
      maxOutputLength: most,
      chunkSize: chunkSize(body, encoding, most),
      info: true,
      ...(encoding === 'zstd' && { params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG } }),
    })
  } catch (error) {
    // Both runtimes throw a RangeError for too much output, and other errors for what is corrupt.
    if (error instanceof RangeError) throw explain(decodedTooLarge(most), body, encoding)
    const early = error instanceof Error && error.message === 'unexpected end of file'
    throw explain(
      corrupt(encoding, early ? 'the body ends early, it is not' : undefined),
      body,
      encoding,
    )
  }
  // Decoders stop after zlib data, after one zstd frame (also one that says to be skipped), and at zeros after gzip: what follows would be lost.
  const { buffer, engine } = unzipped
  if (engine.bytesWritten === body.length) return buffer
  throw corrupt(encoding, 'the body goes on after its end, it is not')
}

function unzipOf(body: Uint8Array, encoding: Packed): Unzip {
  const name = encoding === 'deflate' && !hasZlibHeader(body) ? 'raw' : encoding
  return UNZIP[name] as unknown as Unzip
}

const UNZIP = {
  gzip: gunzipSync,
  deflate: inflateSync,
  raw: inflateRawSync,
  zstd: zstdDecompressSync,
}

/** RFC 1950 2.2. Raw deflate does not begin so: that would be a stored block with bits set where encoders leave zeros. */
function hasZlibHeader([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 15) === 8 && first >> 4 <= 7 && (first * 256 + second) % 31 === 0
}

/**
 * One chunk that holds all, and a byte more, is half the work of many. A gzip body ends with the length of its last member, which may be a lie; of the others a
 * guess is made.
 */
function chunkSize(body: Uint8Array, encoding: Packed, most: number): number {
  const n = body.length
  const at = (i: number) => body[n - i] ?? 0
  const claimed =
    encoding === 'gzip' ? at(4) + at(3) * 2 ** 8 + at(2) * 2 ** 16 + at(1) * 2 ** 24 : n * 8
  const largest = encoding === 'gzip' ? most : LARGEST_CHUNK
  return Math.max(SMALLEST_CHUNK, Math.min(claimed + 1, n * EXPECTED_RATIO, largest))
}

function explain(failure: RequestError, body: Uint8Array, encoding: Packed): RequestError {
  return explainDecodeFailure(failure, body, encoding)
}

function corrupt(encoding: Packed, what = 'the body is not'): RequestError {
  return badRequest(`corrupt_${encoding}`, `${what} ${NAMES[encoding]}`)
}

const NAMES = { gzip: 'valid gzip', deflate: 'valid deflate (zlib)', zstd: 'a valid zstd frame' }
