import { expect, it } from 'vitest'
import { claimedLength } from '../../src/embedded/claimed-length.ts'

it.each([
  [[0], 0],
  [[0x7f, 1], 127],
  [[0x80, 1], 128],
  [[0xff, 0xff, 0xff, 0xff, 0x0f], 2 ** 32 - 1],
  [[0xff, 0xff, 0xff, 0xff, 0x1f], undefined],
  [[0x80, 0x80, 0x80, 0x80, 0x80, 1], undefined],
  [[0x80], undefined],
  [[], undefined],
])('a block that starts with %j claims %s bytes', (bytes, length) => {
  expect(claimedLength(Uint8Array.from(bytes))).toBe(length)
})
