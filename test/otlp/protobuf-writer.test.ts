import { BinaryReader } from '@bufbuild/protobuf/wire'
import { describe, expect, it } from 'vitest'
import { ProtobufWriter } from '../../src/otlp/protobuf-writer.ts'

const tooMuch = () => new RangeError('too much')
const writer = (most = 1 << 24) => new ProtobufWriter(0, most, tooMuch)

describe('lengths', () => {
  const sizes = [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152]
  it.each(sizes.flatMap((size) => [1, 2, 3].map((room) => [size, room])))(
    'of %d bytes where %d were kept free',
    (size, room) => {
      const out = writer()
      out.varint(7)
      const from = out.begin(room)
      out.copy(new Uint8Array(size).fill(9), 0, size)
      out.end(from, room)
      out.varint(8)
      const reader = new BinaryReader(out.finish())
      expect(reader.uint32()).toBe(7)
      const bytes = reader.bytes()
      expect(bytes).toHaveLength(size)
      expect(bytes.every((byte) => byte === 9)).toBe(true)
      expect(reader.uint32()).toBe(8)
      expect(reader.pos).toBe(reader.len)
    },
  )
})

it.each([
  0n,
  1n,
  127n,
  128n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 35n,
  2n ** 63n,
  -1n,
  -128n,
])('numbers of 64 bits: %d', (value) => {
  const out = writer()
  const bits = BigInt.asUintN(64, value)
  out.varint64(Number(bits & 0xffffffffn), Number(bits >> 32n))
  out.fixed64(Number(bits & 0xffffffffn), Number(bits >> 32n))
  const reader = new BinaryReader(out.finish())
  expect([BigInt(reader.uint64()), BigInt(reader.fixed64())]).toEqual([bits, bits])
  expect(reader.pos).toBe(reader.len)
})

it('what was written since is gone when the length is set back', () => {
  const out = writer()
  out.varint(1)
  const before = out.length
  out.copy(new Uint8Array(1000).fill(5), 0, 1000)
  out.length = before
  out.varint(2)
  expect([...out.finish()]).toEqual([1, 2])
})

it('no more is written than may be', () => {
  const exact = writer(8)
  exact.double(1)
  expect(exact.finish()).toHaveLength(8)
  const more = writer(7)
  more.double(1)
  expect(() => more.finish()).toThrow('too much')
  expect(() => writer(1000).copy(new Uint8Array(2000), 0, 2000)).toThrow('too much')
  const list = writer(1000)
  expect(() => {
    for (let i = 0; i < 1000; i++) list.double(i)
  }).toThrow('too much')
})
