import { Buffer } from 'node:buffer'
import { zstdDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { seeded } from '../../scripts/seeded.ts'
import { compressZstd } from '../../src/compress/compress-zstd.ts'
import { decodeBody } from '../../src/compress/decode-body.ts'
import { storeZstd } from '../../src/compress/store-zstd.ts'

const random = seeded(3)
const noise = (n: number) => Uint8Array.from({ length: n }, () => random() * 256)

/** What must hold in Node and in workerd alike: an older workerd fails from about 50 kB of output on. */
export function describeCompressZstd(): void {
  describe.each([
    ['compressed', compressZstd],
    ['stored', storeZstd],
  ])('a zstd frame, %s', (_, frameOf) => {
    test.each([0, 1, 255, 131_071, 131_072, 131_073, 262_144, 700_001, 3 << 20])(
      'of %i bytes is one that decoders read',
      (n) => {
        for (const bytes of [new Uint8Array(n), noise(n)]) {
          const before = bytes.slice()
          const frame = frameOf(bytes)
          expect(Buffer.compare(bytes, before)).toBe(0)
          expect(Buffer.compare(zstdDecompressSync(frame), bytes)).toBe(0)
          expect(Buffer.compare(decodeBody(frame, 'zstd', Math.max(1, n)), bytes)).toBe(0)
        }
      },
    )

    test('has memory of its own, and no more than it needs', () => {
      const frame = frameOf(noise(1000))
      expect([frame.byteOffset, frame.buffer.byteLength]).toEqual([0, frame.length])
    })
  })

  test('what repeats becomes small', () => {
    expect(compressZstd(new Uint8Array(1 << 20)).length).toBeLessThan(200)
  })
}
