import { Buffer } from 'node:buffer'
import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { seeded } from '../../scripts/seeded.ts'
import { decodeBody } from '../../src/compress/decode-body.ts'
import { RequestError } from '../../src/wire/request-error.ts'

type Encoding = 'gzip' | 'deflate' | 'zstd'
type Compress = (bytes: Uint8Array) => Uint8Array
const LIMIT = 100_000

const ways: [name: string, encoding: Encoding, compress: Compress][] = [
  ['gzip', 'gzip', (bytes) => gzipSync(bytes)],
  ['zlib', 'deflate', (bytes) => deflateSync(bytes)],
  ['zlib, fast', 'deflate', (bytes) => deflateSync(bytes, { level: 1 })],
  ['zlib, stored', 'deflate', (bytes) => deflateSync(bytes, { level: 0 })],
  ['zlib, small window', 'deflate', (bytes) => deflateSync(bytes, { windowBits: 9 })],
  ['raw deflate', 'deflate', (bytes) => deflateRawSync(bytes)],
  ['raw deflate, stored', 'deflate', (bytes) => deflateRawSync(bytes, { level: 0 })],
  ['zstd', 'zstd', (bytes) => zstdCompressSync(bytes)],
]

const cat = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts))
const text = (value: string) => new Uint8Array(Buffer.from(value))
const pattern = (n: number) => Uint8Array.from({ length: n }, (_, i) => (i * i * 7) >>> 5)

/** Status, code and text of the refusal. */
function refusal(body: Uint8Array, encoding: 'identity' | Encoding, most = LIMIT) {
  try {
    decodeBody(body, encoding, most)
  } catch (error) {
    if (error instanceof RequestError) return [error.status, error.code, error.message]
    throw error
  }
  throw new Error('it was decoded')
}

/** What must hold in Node and in workerd alike, whose zlib is not the same. */
export function describeDecodeBody(): void {
  describe.each(ways)('a body in %s', (name, encoding, pack) => {
    // A Buffer's slice() is no copy.
    const compress = (bytes: Uint8Array) => new Uint8Array(pack(bytes))
    const corrupt = [400, `corrupt_${encoding}`, expect.any(String)]

    // The edges of chunks: workerd's own cap is wrong there.
    test.each([0, 1, 300, 16_383, 16_384, 16_385, 32_768, 65_535, 65_536, 65_537, LIMIT])(
      'of %i bytes is decoded, and is too large by one',
      (n) => {
        for (const bytes of [pattern(n), new Uint8Array(n)]) {
          const body = compress(bytes)
          expect(Buffer.compare(decodeBody(body, encoding, Math.max(1, n)), bytes)).toBe(0)
          expect(Buffer.compare(decodeBody(body, encoding, LIMIT), bytes)).toBe(0)
          if (n < 2) continue
          const [status, code, says] = refusal(body, encoding, n - 1)
          expect([status, code]).toEqual([413, 'decoded_too_large'])
          expect(says).toContain(`limits.decoded, ${n - 1} bytes`)
        }
      },
    )

    test('cut short anywhere is refused', () => {
      const body = compress(pattern(400))
      for (let n = 0; n < body.length; n++) {
        expect(refusal(body.subarray(0, n), encoding)).toEqual(corrupt)
      }
    })

    test('that is cut short says so', () => {
      const [, , says] = refusal(compress(pattern(400)).subarray(0, -1), encoding)
      expect(says).toContain('ends early')
    })

    test.each<[string, Uint8Array]>([
      ['a zero', Uint8Array.of(0)],
      ['zeros', new Uint8Array(600)],
      ['garbage', Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19)],
      ['a line break', text('\r\n')],
      ['the first byte of gzip', Uint8Array.of(0x1f)],
      ['the magic of gzip', Uint8Array.of(0x1f, 0x8b)],
      ['a broken member of gzip', gzipSync(pattern(50)).subarray(0, 25)],
      ['a member with a wrong sum', new Uint8Array(gzipSync(pattern(50))).fill(9, -6, -5)],
      ['deflate', deflateSync(pattern(50))],
      ['zstd', zstdCompressSync(pattern(50))],
    ])('followed by %s is refused, not half taken', (_, more) => {
      expect(refusal(cat(compress(pattern(400)), more), encoding)).toEqual(corrupt)
    })

    test('with one bit turned is refused, or what it was', () => {
      const bytes = pattern(200)
      const body = compress(bytes)
      for (let bit = 0; bit < body.length * 8; bit++) {
        const turned = body.slice()
        turned[bit >> 3]! ^= 1 << (bit & 7)
        const got = outcome(turned, encoding)
        // Raw deflate has no checksum, zstd only when asked for one.
        if (/^(gzip|zlib)/.test(name) && got instanceof Uint8Array) expect(got).toEqual(bytes)
        else if (got instanceof Uint8Array) expect(got.length).toBeLessThanOrEqual(LIMIT)
        else expect([400, 413]).toContain(got)
      }
    })

    test('that was empty before is empty after', () => {
      expect(decodeBody(compress(new Uint8Array(0)), encoding, LIMIT)).toHaveLength(0)
    })

    test('without a byte is refused', () => {
      const [status, code, says] = refusal(new Uint8Array(0), encoding)
      expect([status, code]).toEqual([400, `corrupt_${encoding}`])
      expect(says).toContain('the body is empty')
    })

    test('is left alone, and shares no memory with the result', () => {
      const body = compress(pattern(900))
      const before = body.slice()
      decodeBody(body, encoding, LIMIT).fill(0)
      expect(Buffer.compare(body, before)).toBe(0)
    })

    test('that is a bomb stops at the cap', () => {
      const bomb = compress(new Uint8Array(32 << 20))
      // Stored, it is one no longer, but too large all the same.
      expect(refusal(bomb, encoding).slice(0, 2)).toEqual([413, 'decoded_too_large'])
      expect(refusal(bomb, encoding, 1).slice(0, 2)).toEqual([413, 'decoded_too_large'])
      expect(refusal(bomb, encoding, (32 << 20) - 1)[0]).toBe(413)
    })

    test.each<[string, Uint8Array]>([
      ['JSON', text('{"resourceMetrics":[{"resource":{}}]}')],
      ['plain text', text('# HELP up Whether it is.\nup 1\n')],
      ['a message that was not compressed', Uint8Array.of(10, 9, 10, 7, 10, 5, 10, 1, 97, 18, 0)],
      ['framed snappy', cat(Uint8Array.of(0xff, 6, 0, 0), text('sNaPpY'), new Uint8Array(9))],
      ['gzip', gzipSync(pattern(60))],
      ['zstd', zstdCompressSync(pattern(60))],
      ['zlib (deflate)', deflateSync(pattern(60))],
    ])('that is really %s is called so', (seen, body) => {
      if (seen.includes(encoding)) return
      const [status, code, says] = refusal(body, encoding)
      expect([status, code]).toEqual([400, 'wrong_encoding'])
      expect(says).toContain(`is not ${encoding} but looks like ${seen}`)
    })

    test('of random bytes is refused, or decoded within the cap', () => {
      const random = seeded(7)
      for (let round = 0; round < 300; round++) {
        const body = Uint8Array.from({ length: 1 + random() * 90 }, () => random() * 256)
        const got = outcome(body, encoding)
        if (got instanceof Uint8Array) expect(got.length).toBeLessThanOrEqual(LIMIT)
        else expect([400, 413]).toContain(got)
      }
    })
  })

  describe('gzip of several members', () => {
    const [a, b, empty] = [pattern(5000), text('abc'), new Uint8Array(0)]
    test.each<[string, Uint8Array[]]>([
      ['two', [a, b]],
      ['the same twice', [a, a]],
      ['empty ones around', [empty, a, empty, b, empty]],
      ['empty ones only', [empty, empty]],
    ])('%s: is decoded whole', (_, parts) => {
      const body = cat(...parts.map((part) => gzipSync(part)))
      const whole = cat(...parts)
      expect(Buffer.compare(decodeBody(body, 'gzip', LIMIT), whole)).toBe(0)
      if (whole.length === 0) return
      expect(Buffer.compare(decodeBody(body, 'gzip', whole.length), whole)).toBe(0)
      expect(refusal(body, 'gzip', whole.length - 1)[0]).toBe(413)
    })

    test('one that is cut short or broken spoils all', () => {
      const [first, last] = [gzipSync(a), gzipSync(b)]
      for (let n = 1; n < last.length; n++) {
        expect(refusal(cat(first, last.subarray(0, n)), 'gzip')[0]).toBe(400)
      }
      expect(refusal(cat(first.subarray(0, -1), last), 'gzip')[0]).toBe(400)
      expect(refusal(cat(first, Uint8Array.of(0), last), 'gzip')[0]).toBe(400)
    })

    test('a bomb of many members stops at the cap', () => {
      const member = gzipSync(new Uint8Array(50_000))
      const bomb = cat(...Array.from({ length: 2000 }, () => member))
      expect(refusal(bomb, 'gzip')[0]).toBe(413)
    })

    test('a length at its end that is a lie is no more than that', () => {
      for (const claimed of [0, 1, 0x7fff_ffff, 0xffff_ffff]) {
        const body = new Uint8Array(gzipSync(a))
        new DataView(body.buffer).setUint32(body.length - 4, claimed, true)
        expect(refusal(body, 'gzip').slice(0, 2)).toEqual([400, 'corrupt_gzip'])
      }
    })

    test('extra fields, a name and a comment in the header are passed over', () => {
      const plain = gzipSync(b)
      const header = Uint8Array.of(0x1f, 0x8b, 8, 4 | 8 | 16, 0, 0, 0, 0, 0, 3)
      const extras = cat(Uint8Array.of(3, 0, 7, 7, 7), text('name\0'), text('comment\0'))
      expect(decodeBody(cat(header, extras, plain.subarray(10)), 'gzip', 3)).toEqual(Buffer.from(b))
    })
  })

  test('zlib with a preset dictionary is refused', () => {
    const dictionary = Buffer.from(pattern(100))
    const body = deflateSync(pattern(100), { dictionary })
    expect(refusal(body, 'deflate').slice(0, 2)).toEqual([400, 'corrupt_deflate'])
  })

  test('zstd of two frames is refused', () => {
    const frame = zstdCompressSync(pattern(60))
    const [status, code, says] = refusal(cat(frame, frame), 'zstd')
    expect([status, code]).toEqual([400, 'corrupt_zstd'])
    expect(says).toContain('goes on after its end')
  })

  describe('a body as it is', () => {
    test('is itself, also when it is empty', () => {
      for (const body of [pattern(LIMIT), new Uint8Array(0)]) {
        expect(decodeBody(body, 'identity', LIMIT)).toBe(body)
      }
    })

    test('is too large by one', () => {
      expect(refusal(pattern(LIMIT + 1), 'identity').slice(0, 2)).toEqual([
        413,
        'decoded_too_large',
      ])
    })
  })
}

/** What it becomes, or the status of the refusal. */
function outcome(body: Uint8Array, encoding: Encoding): Uint8Array | unknown {
  try {
    return new Uint8Array(decodeBody(body, encoding, LIMIT))
  } catch (error) {
    if (error instanceof RequestError) return error.status
    throw error
  }
}
