import { constants, zstdCompressSync } from 'node:zlib'
import { storeZstd } from './store-zstd.ts'

/** Of 600 kB of series: 24 kB in 0.7 ms. Levels below are no faster in workerd, those above no smaller. */
const LEVEL = 1

/**
 * The bytes as one zstd frame that says how long they are, for an origin with `compression: zstd`. `bytes` stay the caller's and the result, which has
 * memory of its own, is too. Where the platform's encoder is known to fail, the frame is stored, not compressed.
 */
export function compressZstd(bytes: Uint8Array): Uint8Array {
  try {
    const params = { [constants.ZSTD_c_compressionLevel]: LEVEL }
    // The buffer may be the start of a larger one.
    return new Uint8Array(zstdCompressSync(bytes, { params }))
  } catch (error) {
    // workerd before 2026-11-17 fails with this once the output is larger than about 50 kB (cloudflare/workerd#6769).
    if (error instanceof Error && error.message.includes('nexpected end of file')) {
      return storeZstd(bytes)
    }
    throw error
  }
}
