import SnappyJS from 'snappyjs'
import { expect, test } from 'vitest'
import { unsnappy } from '../../../scripts/origin/unsnappy.ts'
import { seeded } from '../../../scripts/seeded.ts'

test('what was compressed is read back, whatever its length', () => {
  const random = seeded(4)
  for (let i = 0; i < 60; i++) {
    const bytes = new Uint8Array(Math.floor(random() * (i < 40 ? 200 : 100_000)))
    for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(random() ** 4 * 40)
    const read = unsnappy(new Uint8Array(SnappyJS.compress(bytes)))
    expect(Buffer.compare(read, bytes)).toBe(0)
  }
})

test.each<[string, number[], string]>([
  ['nothing', [], 'its end is missing'],
  ['a length without an end', [0x80], 'its end is missing'],
  ['a literal that is cut', [3, 8, 65], 'its end is missing'],
  ['more than it claims', [1, 4, 65, 66], 'it claims 1 bytes and has 2'],
  ['less than it claims', [9, 4, 65, 66], 'it claims 9 bytes and has 2'],
  ['a copy from before its start', [6, 4, 65, 66, 1, 9], 'Invalid Snappy bitstream'],
])('a block with %s is refused', (_, bytes, message) => {
  expect(() => unsnappy(Uint8Array.from(bytes))).toThrow(message)
})
