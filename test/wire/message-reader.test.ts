import { expect, test } from 'vitest'
import { invalidTexts } from '../../src/wire/label.ts'
import { MessageReader } from '../../src/wire/message-reader.ts'
import { type Bytes, double, field, number, text, varint } from '../batch/message.ts'

/** A reader of a message that stands in the middle of other bytes. */
function reader(bytes: Bytes): MessageReader {
  const buffer = Uint8Array.from([7, 7, 7, ...bytes, 7, 7, 7])
  return new MessageReader(buffer.subarray(1), 2, 2 + bytes.length)
}

test.each<bigint>([
  0n,
  1n,
  -1n,
  127n,
  128n,
  2n ** 49n - 1n,
  2n ** 49n,
  2n ** 53n + 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
  -(2n ** 49n),
])('reads %s as int64', (value) => {
  const message = reader(number(3, value))
  expect(message.tag()).toBe(24)
  expect(message.int64()).toBe(value)
  expect(message.more).toBe(false)
})

test('reads an overlong int64, and cuts what is more than 64 bits', () => {
  expect(reader(varint(5, 9)).int64()).toBe(5n)
  expect(reader([...Array<number>(9).fill(255), 127]).int64()).toBe(-1n)
})

test.each<[string, Bytes, boolean]>([
  ['0', varint(0), false],
  ['an overlong 0', varint(0, 9), false],
  ['1', varint(1), true],
  ['2', varint(2), true],
  ['2 to the 63rd', varint(2n ** 63n), true],
])('reads %s as a truth value', (_, bytes, value) => {
  expect(reader(bytes).bool()).toBe(value)
})

test('reads doubles, texts, bytes and messages', () => {
  const message = reader([
    ...double(1, -0),
    ...text(2, 'é'),
    ...field(3, [1, 2]),
    ...field(4, text(1, 'inner')),
    ...text(5, ''),
  ])
  expect(message.tag()).toBe(9)
  expect(message.double()).toBe(-0)
  expect(message.tag()).toBe(18)
  expect(message.text()).toBe('é')
  expect(message.tag()).toBe(26)
  expect([...message.bytes()]).toEqual([1, 2])
  expect(message.tag()).toBe(34)
  const inner = message.message()
  expect(inner.tag()).toBe(10)
  expect(inner.text()).toBe('inner')
  expect(inner.more).toBe(false)
  expect(message.tag()).toBe(42)
  expect(message.text()).toBe('')
  expect(message.more).toBe(false)
})

test.each<[string, Bytes]>([
  ['a varint', number(9, 2n ** 63n)],
  ['eight bytes', double(9, 1)],
  ['four bytes', [...varint((9 << 3) | 5), 1, 2, 3, 4]],
  ['a length', field(9, [1, 2, 3])],
  ['a large field number', field(2 ** 28 - 1, [1])],
  ['an empty group', [...varint((9 << 3) | 3), ...varint((9 << 3) | 4)]],
  [
    'groups in groups, with fields of each type',
    [
      ...varint((9 << 3) | 3),
      ...number(1, 1),
      ...[0x0b, ...double(2, 1), 0x13, 0x14, ...field(3, [0x0c]), 0x0c],
      ...varint((9 << 3) | 4),
    ],
  ],
])('skips %s', (_, bytes) => {
  const message = reader([...bytes, ...text(1, 'next')])
  message.skip(message.tag())
  expect(message.tag()).toBe(10)
  expect(message.text()).toBe('next')
})

test.each<[string, Bytes, (message: MessageReader) => unknown]>([
  ['a varint', [0x80], (message) => message.int64()],
  ['a truth value', [0x80], (message) => message.bool()],
  ['a tag', [0x80, 0x80], (message) => message.tag()],
  ['a double', [1, 2, 3], (message) => message.double()],
  ['a text', [4, 65, 65], (message) => message.text()],
  ['bytes', [0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1], (message) => message.bytes()],
  ['a message', [1], (message) => message.message()],
  ['a group', [0x08], (message) => message.skip(0x0b)],
])('throws at the end of the message, inside %s, and does not read on', (_, bytes, read) => {
  expect(() => read(reader(bytes))).toThrow(/^BUG: /)
})

test('throws on wire types that there are not', () => {
  expect(() => reader([1, 1, 1, 1]).skip(0x0e)).toThrow('BUG: wire type 6')
})

test('counts texts that are no UTF-8', () => {
  const before = invalidTexts()
  expect(reader(field(1, [...Buffer.from('\ufffd')]).slice(1)).text()).toBe('\ufffd')
  expect(invalidTexts()).toBe(before)
  expect(reader([3, 65, 0xff, 66]).text()).toBe('A\ufffdB')
  expect(invalidTexts()).toBe(before + 1)
})
