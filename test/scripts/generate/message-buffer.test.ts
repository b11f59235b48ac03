import { describe, expect, test } from 'vitest'
import { MessageBuffer, varintSize } from '../../../scripts/generate/message-buffer.ts'
import { seeded } from '../../../scripts/seeded.ts'

const EDGES = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, 2 ** 53]

/** What is written into a buffer that has to grow for it. */
function written(write: (into: MessageBuffer) => void): Buffer {
  const buffer = new MessageBuffer(1)
  write(buffer)
  return Buffer.from(buffer.written())
}

function plainVarint(value: bigint): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return [...bytes, Number(rest)]
    bytes.push(Number(rest & 127n) | 128)
  }
}

describe('numbers', () => {
  const random = seeded(6)
  const values = [
    ...EDGES,
    ...Array.from({ length: 2_000 }, () => Math.floor(random() * 2 ** (1 + random() * 52))),
  ]

  test('as varints', () => {
    for (const value of values) {
      const plain = plainVarint(BigInt(value))
      expect([...written((into) => into.varint(value))]).toEqual(plain)
      expect(varintSize(value)).toBe(plain.length)
    }
  })

  test('as eight bytes', () => {
    for (const value of values) {
      const bytes = written((into) => into.fixed64(value))
      expect(bytes.readBigUInt64LE()).toBe(BigInt(value))
    }
  })

  test('as eight bytes, milliseconds in nanoseconds', () => {
    for (const value of values.filter((one) => one < 2 ** 43)) {
      const bytes = written((into) => into.fixed64(value, 1_000_000))
      expect(bytes.readBigUInt64LE()).toBe(BigInt(value) * 1_000_000n)
    }
  })

  test('as digits', () => {
    for (const value of values) {
      expect(written((into) => into.decimal(value)).toString()).toBe(String(value))
    }
  })

  test('as doubles', () => {
    for (const value of values) {
      expect(written((into) => into.double(value / 4)).readDoubleLE()).toBe(value / 4)
    }
  })
})

test('nested messages have their length, whatever was guessed', () => {
  const sizes = [0, 1, 127, 128, 129, 16_383, 16_384, 70_000]
  for (const size of sizes) {
    for (const guess of sizes) {
      const bytes = written((into) => {
        into.text('before')
        const start = into.open(guess)
        into.text('x'.repeat(size))
        expect(into.close(start, guess)).toBe(size)
        into.text('after')
      })
      const length = Buffer.from(plainVarint(BigInt(size)))
      const plain = Buffer.concat([
        Buffer.from('before'),
        length,
        Buffer.from(`${'x'.repeat(size)}after`),
      ])
      expect(bytes.equals(plain), `${size} guessed as ${guess}`).toBe(true)
    }
  }
})

test('text is UTF-8', () => {
  expect(written((into) => into.text('ключ🦥')).toString()).toBe('ключ🦥')
})

test('bytes of others are copied, few and many', () => {
  const from = Buffer.from(Array.from({ length: 300 }, (_, i) => i % 251))
  for (const length of [0, 1, 24, 25, 200]) {
    const bytes = written((into) => into.copy(from, 7, length))
    expect(bytes.equals(from.subarray(7, 7 + length))).toBe(true)
  }
})

test('the same memory is used again', () => {
  const buffer = new MessageBuffer(8)
  buffer.text('twelve bytes')
  const { bytes } = buffer
  buffer.clear()
  buffer.text('others')
  expect(buffer.bytes).toBe(bytes)
  expect(Buffer.from(buffer.written()).toString()).toBe('others')
})
