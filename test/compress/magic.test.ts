import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { compress, uncompress } from 'snappyjs'
import { describe, expect, it } from 'vitest'
import { describeMagic, type Encoding, explainDecodeFailure } from '../../src/compress/magic.ts'
import { badRequest } from '../../src/wire/request-error.ts'

const message = Uint8Array.of(
  0x0a,
  0x0e,
  0x0a,
  0x0c,
  0x0a,
  0x08,
  ...Buffer.from('__name__'),
  0x12,
  0x00,
)
const framed = Uint8Array.of(0xff, 6, 0, 0, ...Buffer.from('sNaPpY'), 0, 1)
const text = (value: string) => new Uint8Array(Buffer.from(value))

describe('what a body looks like that claims to be snappy', () => {
  const cases: [name: string, body: Uint8Array, seen: string | undefined][] = [
    ['framed snappy', framed, 'framed snappy'],
    ["snappy-java's", Uint8Array.of(0x82, ...Buffer.from('SNAPPY'), 0, 0), 'snappy-java'],
    ['gzip', gzipSync(message), 'gzip'],
    ['zstd', zstdCompressSync(message), 'zstd'],
    ['zlib', deflateSync(message), 'zlib'],
    ['fast zlib', deflateSync(message, { level: 1 }), 'zlib'],
    ['an uncompressed message', message, 'not compressed'],
    ['one of 2.0', Uint8Array.of(0x22, 0, 0x22, 8, ...Buffer.from('__name__')), 'not compressed'],
    [
      'one of OTLP',
      Uint8Array.of(0x0a, 0xf3, 0x11, 0x0a, 0xa1, 0x02, 0x0a, 0x1f),
      'not compressed',
    ],
    [
      'one of OTLP without a resource',
      Uint8Array.of(0x0a, 40, 0x0a, 0, 0x12, 36),
      'not compressed',
    ],
    ['a length without end', Uint8Array.of(0x0a, ...new Uint8Array(9).fill(0xff), 0x0a), undefined],
    ['a longer one', Uint8Array.of(0x0a, 0x8e, 0x01, 0x0a, 0x0c, 0x0a, 8), 'not compressed'],
    ['JSON', text('{"resourceMetrics":[]}'), 'JSON'],
    ['a JSON list', text('\r\n [1]'), 'JSON'],
    ['an exposition', text('# HELP up Whether it is.\n'), 'plain text'],
    ['block snappy', new Uint8Array(compress(message)), undefined],
    ['nothing', new Uint8Array(0), undefined],
    ['half a magic', framed.subarray(0, 9), undefined],
    ['a short word', text('abc'), undefined],
    ['the start of an uncompressed message', message.subarray(0, 3), undefined],
    ['noise', Uint8Array.of(0xde, 0xad, 0xbe, 0xef), undefined],
  ]
  it.each(cases)('%s', (_, body, seen) => {
    const described = describeMagic(body, 'snappy')
    if (seen === undefined) expect(described).toBeUndefined()
    else expect(described).toContain(seen)
  })
})

it('zstd is no contradiction to a body that claims to be zstd, gzip is', () => {
  expect(describeMagic(zstdCompressSync(message), 'zstd')).toBeUndefined()
  expect(describeMagic(gzipSync(message), 'zstd')).toBe('gzip')
})

describe('what is no contradiction', () => {
  const cases: [claim: Encoding, body: Uint8Array, other: Uint8Array, seen: string][] = [
    ['gzip', gzipSync(message), deflateSync(message), 'zlib (deflate)'],
    ['deflate', deflateSync(message), gzipSync(message), 'gzip'],
    ['identity', message, gzipSync(message), 'gzip'],
    ['identity', text('{"a":1}'), zstdCompressSync(message), 'zstd'],
    ['identity', text('up 1\n'), framed, 'framed snappy (the stream format)'],
  ]
  it.each(cases)('to %s, and what is', (claim, body, other, seen) => {
    expect(describeMagic(body, claim)).toBeUndefined()
    expect(describeMagic(other, claim)).toBe(seen)
  })

  it('a body without an encoding is called so', () => {
    const explained = explainDecodeFailure(badRequest('x', 'y'), gzipSync(message), 'identity')
    expect(explained.message).toBe('the body names no Content-Encoding but looks like gzip')
  })
})

it('a failure is explained by what was seen, or stays what it was', () => {
  const failure = badRequest('corrupt', 'the body is corrupt')
  expect(explainDecodeFailure(failure, Uint8Array.of(1, 2, 3), 'snappy')).toBe(failure)
  const explained = explainDecodeFailure(failure, framed, 'snappy')
  expect(explained.status).toBe(400)
  expect(explained.message).toMatch(/^the body is not snappy but looks like framed snappy/)
})

/** Why no body is refused for its first bytes alone. */
it('valid snappy blocks may begin like something else', () => {
  const literal = (length: number, tag: number[], rest: number) =>
    Uint8Array.of(length, ...tag, ...new Uint8Array(rest))
  const zlibLike = Uint8Array.of(...literal(0x78, [0x9c], 40), ...literal(60 << 2, [79], 80))
  expect(describeMagic(zlibLike, 'snappy')).toBe('zlib (deflate)')
  expect(uncompress(zlibLike).length).toBe(120)
})
