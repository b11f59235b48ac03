import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { SnappyCompressor } from 'snappyjs/snappy_compressor.js'
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

/**
 * Compresses messages, one after the other. What it returns is lent until the next one, and as long as the message is: without compression it is the same memory.
 * Snappy's memory belongs to the encoder, grows and is used again.
 */
export function bodyEncoder(encoding: Encoding): (message: Uint8Array) => Uint8Array {
  switch (encoding) {
    case 'snappy':
      return snappyEncoder()
    case 'zstd':
      return (message) => zstdCompressSync(message, ZSTD)
    case 'gzip':
      return (message) => gzipSync(message, GZIP)
    case 'none':
      return (message) => message
  }
}

function snappyEncoder(): (message: Uint8Array) => Uint8Array {
  let memory = new Uint8Array(0)
  return (message) => {
    const compressor = new SnappyCompressor(message)
    const most = compressor.maxCompressedLength()
    if (most > memory.length) memory = new Uint8Array(Math.max(most, memory.length * 2))
    return memory.subarray(0, compressor.compressToBuffer(memory))
  }
}
