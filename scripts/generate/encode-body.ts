import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { compress } from 'snappyjs'
import type { Encoding, Protocol } from './request-writer.ts'

/** Which encodings a protocol's receivers take. */
export const encodingsOf: Readonly<Record<Protocol, readonly Encoding[]>> = {
  remotewrite1: ['snappy', 'zstd'],
  remotewrite2: ['snappy', 'zstd'],
  otlp: ['gzip', 'zstd', 'none'],
  'otlp-json': ['gzip', 'zstd', 'none'],
}

/** Levels that cost little: what is measured is the receiver. */
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const GZIP = { level: 1 }

/** Compresses a message: the result is lent as long as `message` is, for without compression it is the same memory. */
export const encodeBody: Readonly<Record<Encoding, (message: Uint8Array) => Uint8Array>> = {
  // As plain bytes: of a Buffer it would make a Buffer of its pool.
  snappy: (message) => compress(message),
  zstd: (message) => zstdCompressSync(message, ZSTD),
  gzip: (message) => gzipSync(message, GZIP),
  none: (message) => message,
}
