import { gzipSync, zstdCompressSync } from 'node:zlib'
import SnappyJS from 'snappyjs'
import { describe, expect, test } from 'vitest'
import { decompress } from '../../src/compress/decompress.ts'
import { Kernel } from '../../src/kernel/kernel.ts'
import { RequestError } from '../../src/wire/request-error.ts'
import { kernelModule } from '../kernel/load.ts'

const LIMIT = 10_000
const kernel = new Kernel(kernelModule, {
  body: 20_000,
  decoded: 50_000,
  piece: 1000,
  key: 1000,
  rows: 100,
  made: 100,
  stencils: 0,
  table: 65_536,
})

type Encoding = 'snappy' | 'zstd'
const snappy = (bytes: Uint8Array) => new Uint8Array(SnappyJS.compress(bytes))
const compressors: Record<Encoding, (bytes: Uint8Array) => Uint8Array> = {
  snappy,
  zstd: zstdCompressSync,
}
const encodings: Encoding[] = ['snappy', 'zstd']

/** The message that a body becomes. */
function decode(body: Uint8Array, encoding: Encoding, limit = LIMIT): Uint8Array {
  return kernel.use(() => kernel.message(decompress(kernel, body, encoding, limit)))
}

/** Status, code and text of the refusal. */
function refusal(body: Uint8Array, encoding: Encoding) {
  try {
    decode(body, encoding)
  } catch (error) {
    if (error instanceof RequestError) return [error.status, error.code, error.message]
    throw error
  }
  throw new Error('it was decoded')
}

const noise = (n: number) => Uint8Array.from({ length: n }, (_, i) => (i * 2_654_435_761) >>> 24)

describe.each(encodings)('a body in %s', (encoding) => {
  const compress = compressors[encoding]

  test.each([0, 1, 60, 61, 5000, LIMIT])('of %i bytes is decoded', (n) => {
    for (const message of [noise(n), new Uint8Array(n)]) {
      expect(decode(compress(message), encoding)).toEqual(message)
    }
  })

  test.each([LIMIT + 1, 50_000, 60_000, 1_000_000])('of %i bytes is too large', (n) => {
    const [status, code, text] = refusal(compress(new Uint8Array(n)).subarray(0, 20_000), encoding)
    // A snappy block says how large it is before it is decoded, cut short or not.
    expect([status, code]).toEqual([413, 'decoded_too_large'])
    expect(text).toContain(`limits.decoded, ${LIMIT} bytes`)
  })

  test('leaves the body alone', () => {
    const body = compress(noise(500))
    const before = body.slice()
    decode(body, encoding)
    expect(body).toEqual(before)
  })

  test.each<[string, (body: Uint8Array) => Uint8Array]>([
    ['cut short', (body) => body.subarray(0, -1)],
    ['cut to its start', (body) => body.subarray(0, 6)],
    ['followed by more', (body) => Uint8Array.from([...body, 0, 0, 1])],
    ['empty', () => new Uint8Array(0)],
  ])('is corrupt when it is %s', (_, change) => {
    const message = Uint8Array.from({ length: 700 }, (_, i) => i % 7)
    decode(compress(message), encoding)
    const [status] = refusal(change(compress(message)), encoding)
    expect(status).toBe(400)
  })

  test('that is something else is named', () => {
    expect(refusal(gzipSync(noise(500)), encoding)).toEqual([
      400,
      'wrong_encoding',
      expect.stringMatching(`not ${encoding} but looks like gzip`),
    ])
  })
})

test.each<[string, number[]]>([
  ['claims 4 GiB', [0x01, 0xfc, 0xfa, 0xff, 0xff, 0xff, 0x00, 0x00]],
  ['claims more than it holds', [0x3f, 0x00, 0x0a]],
  ['claims less than it holds', [0x01, 0x04, 0x41, 0x42]],
  ['has a copy from before its start', [0x08, 0x00, 0x41, 0x0e, 0x05]],
  ['has a copy of offset 0', [0x08, 0x00, 0x41, 0x0e, 0x00]],
  ['has a length of six bytes', [0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
])(
  'a snappy body that %s is refused, at once and without a trace of what was there before',
  (_, bytes) => {
    const before = noise(5000)
    decode(snappy(before), 'snappy')
    expect(refusal(Uint8Array.from(bytes), 'snappy')[0]).toBe(400)
  },
)

/** A zstd frame of one raw block that asks for a window of 2^log bytes and does not say how long it is. */
function frameWithWindow(log: number): Uint8Array {
  const header = [0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3]
  return Uint8Array.of(...header, (3 << 3) | 1, 0, 0, 7, 8, 9)
}

test('a zstd body is not let have a window that is larger than 8 MiB', () => {
  expect(decode(frameWithWindow(23), 'zstd')).toEqual(Uint8Array.of(7, 8, 9))
  expect(refusal(frameWithWindow(24), 'zstd').slice(0, 2)).toEqual([400, 'corrupt_zstd'])
})

test.each<[string, Uint8Array[]]>([
  ['another frame', [zstdCompressSync(noise(50)), zstdCompressSync(noise(60))]],
  ['half of another', [zstdCompressSync(noise(50)), zstdCompressSync(noise(60)).subarray(0, 9)]],
  [
    'a frame that is skipped, in front',
    [Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9), zstdCompressSync(noise(50))],
  ],
])('a zstd body is not taken for its first frame alone: %s', (_, parts) => {
  // Decoders of both runtimes stop there, and what follows would be acknowledged and lost.
  expect(refusal(Buffer.concat(parts), 'zstd').slice(0, 2)).toEqual([400, 'corrupt_zstd'])
})
