import SnappyJS from 'snappyjs'
import { describe, expect, test } from 'vitest'
import {
  E_LENGTH,
  E_OFFSET,
  E_OVERRUN,
  E_PREAMBLE,
  E_TOO_BIG,
  E_TRUNCATED,
} from '../../src/wire/layout.ts'
import wire from '../golden/wire.json' with { type: 'json' }
import { Guarded, rawKernel, seeded } from './raw.ts'

const PAGES = 12
const kernel = rawKernel(PAGES)
const END = PAGES * 65536

/** Decodes with the input flush against the end of memory, or the output, with canaries around both. */
function decode(block: Uint8Array, cap: number, flush: 'input' | 'output' = 'input') {
  const { bytes, call } = kernel
  const guarded = new Guarded(bytes)
  const src = flush === 'input' ? END - block.length : 65536 + 100
  const dst = flush === 'output' ? END - cap : 65536 + 100
  guarded.region(src, block.length)
  guarded.region(dst, cap)
  bytes.set(block, src)
  const n = call.decode!(src, block.length, dst, cap)
  expect(guarded.damage()).toBe(-1)
  same(bytes.subarray(src, src + block.length), block)
  return n < 0 ? n : bytes.slice(dst, dst + n)
}

function encode(data: Uint8Array): Uint8Array {
  const { bytes, call } = kernel
  const guarded = new Guarded(bytes)
  const src = END - data.length
  const cap = call.maxEncoded!(data.length)
  const dst = guarded.region(65536 + 50_000, cap)
  const scratch = guarded.region(65536 + 100, call.encodeScratchSize!())
  guarded.region(src, data.length)
  bytes.set(data, src)
  const n = call.encode!(src, data.length, dst, cap, scratch)
  expect(n).toBeGreaterThan(0)
  expect(guarded.damage()).toBe(-1)
  return bytes.slice(dst, dst + n)
}

/** Byte for byte, quicker than toEqual. */
function same(got: Uint8Array | number, want: Uint8Array): void {
  expect(typeof got === 'number' ? got : Buffer.compare(got, want)).toBe(0)
}

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'))
const utf8 = new TextDecoder()

describe('decoding a block', () => {
  test.each(wire.snappy_blocks)('gives what is known: $hex', ({ hex: block, decoded_utf8 }) => {
    expect(utf8.decode(decode(hex(block), 1000) as Uint8Array)).toBe(decoded_utf8)
  })

  test.each([
    ['nothing', '', E_PREAMBLE],
    ['a length without an end', '80 80 80 80', E_PREAMBLE],
    ['a length over 32 bits', 'ff ff ff ff 1f', E_PREAMBLE],
    ['a length of six bytes', '80 80 80 80 80 00', E_PREAMBLE],
    ['a claim of 4 GiB', 'ff ff ff ff 0f 00', E_TOO_BIG],
    ['a claim over the cap', 'e9 07 00', E_TOO_BIG],
    [
      'a literal whose length goes negative, which hangs snappyjs',
      '01 fc fa ff ff ff 00 00',
      E_TRUNCATED,
    ],
    ['fewer bytes than claimed, which leaks in snappyjs', '0a 00 61', E_LENGTH],
    ['more bytes than claimed', '01 04 61 62', E_OVERRUN],
    ['a literal that ends early', '05 10 61 62', E_TRUNCATED],
    ['a literal without its length', '05 f0', E_TRUNCATED],
    ['a copy from nothing', '04 01 01', E_OFFSET],
    ['a copy with offset 0', '05 00 61 01 00', E_OFFSET],
    ['a copy from before the start', '05 00 61 01 02', E_OFFSET],
    ['a copy without its offset', '05 00 61 02 01', E_TRUNCATED],
    ['a copy of four offset bytes, cut', '05 00 61 03 01 00 00', E_TRUNCATED],
    ['a copy past the claimed length', '04 00 61 11 01', E_OVERRUN],
    ['the framed format', 'ff 06 00 00 73 4e 61 50 70 59', E_OFFSET],
  ])('refuses %s', (_, block, code) => {
    const result = decode(hex(block), 1000)
    expect(typeof result).toBe('number')
    if (code !== E_OFFSET) expect(result).toBe(code)
  })

  test('takes an empty message', () => {
    expect(decode(hex('00'), 1000)).toEqual(new Uint8Array(0))
  })

  test('copies runs whose offset is shorter than their length', () => {
    for (let offset = 1; offset <= 20; offset++) {
      const seed = Uint8Array.from({ length: offset }, (_, i) => 65 + i)
      const block = [offset + 60, (offset - 1) << 2, ...seed, (59 << 2) | 2, offset, 0]
      const got = decode(Uint8Array.from(block), 200, 'output') as Uint8Array
      expect(got.length).toBe(offset + 60)
      expect([...got]).toEqual(Array.from(got, (_, i) => 65 + (i % offset)))
    }
  })

  test('gives what the reference gives, at every alignment of both ends', () => {
    const next = seeded(1)
    for (let round = 0; round < 400; round++) {
      const data = sample(next, next(4000))
      const block = new Uint8Array(SnappyJS.compress(data))
      same(decode(block, data.length, round % 2 ? 'input' : 'output'), data)
    }
  })

  test('agrees with the reference on mutated blocks that both accept, and never strays', () => {
    const next = seeded(2)
    let accepted = 0
    for (let round = 0; round < 4000; round++) {
      const data = sample(next, 1 + next(300))
      const block = new Uint8Array(SnappyJS.compress(data))
      for (let i = next(3); i >= 0; i--) block[next(block.length)] = next(256)
      const cut = next(8) === 0 ? block.slice(0, next(block.length)) : block
      const got = decode(cut, 1 + next(600), round % 2 ? 'input' : 'output')
      if (typeof got === 'number') continue
      accepted++
      // What this decoder accepts is well-formed, so the reference's faults can't show.
      same(new Uint8Array(SnappyJS.uncompress(cut)), got)
    }
    expect(accepted).toBeGreaterThan(100)
  })
})

describe('encoding a block', () => {
  test.each([
    0, 1, 15, 16, 17, 31, 32, 33, 59, 60, 61, 255, 256, 257, 65535, 65536, 65537, 140_000,
  ])('of %i bytes is read back by the reference and by ourselves', (size) => {
    const next = seeded(size)
    for (const kind of [0, 1, 2]) {
      const data = sample(next, size, kind)
      const block = encode(data)
      same(new Uint8Array(SnappyJS.uncompress(block)), data)
      same(decode(block, Math.max(size, 1), 'output'), data)
    }
  })

  test('is read back for many shapes of data', () => {
    const next = seeded(3)
    for (let round = 0; round < 500; round++) {
      const data = sample(next, next(9000))
      same(new Uint8Array(SnappyJS.uncompress(encode(data))), data)
    }
  })

  test('is about as small as the reference', () => {
    const data = sample(seeded(4), 60_000, 1)
    expect(encode(data).length).toBeLessThan(SnappyJS.compress(data).byteLength * 1.05)
  })
})

/** Noise, text of few words, or runs. */
function sample(next: (n: number) => number, size: number, kind = next(3)): Uint8Array {
  const data = new Uint8Array(size)
  const words = ['namespace', 'pod', 'container', '__name__', 'up', '10.0.0.', 'kube', '0', '1']
  for (let i = 0; i < size; ) {
    if (kind === 0) data[i++] = next(256)
    else if (kind === 1) {
      for (const c of words[next(words.length)]!) if (i < size) data[i++] = c.charCodeAt(0)
    } else {
      const value = next(4)
      for (let run = 1 + next(90); run > 0 && i < size; run--) data[i++] = value
    }
  }
  return data
}
