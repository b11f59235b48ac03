import { expect, test } from 'vitest'
import { formatSize, parseSize } from '../../src/config/size.ts'

test.each([
  ['0', 0],
  ['1024', 1024],
  ['7B', 7],
  ['1KB', 1024],
  ['1KiB', 1024],
  ['3MB', 3 << 20],
  ['3MiB', 3 << 20],
  ['1.5MB', 1_572_864],
  ['0.3KB', 307],
  ['2GB', 2 ** 31],
  ['2GiB', 2 ** 31],
])('the size %s is %d bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes)
})

test.each([
  '',
  'MB',
  '1kB',
  '1kb',
  '1K',
  '1Ki',
  '1iB',
  '1 MB',
  '-1MB',
  '1TB',
  '1e3',
  '.5MB',
  '1.MB',
])('%j is no size', (text) => {
  expect(parseSize(text)).toBeUndefined()
})

test.each([
  [0, '0B'],
  [7, '7B'],
  [1024, '1KB'],
  [1536, '1536B'],
  [16_384, '16KB'],
  [8 << 20, '8MB'],
  [2 ** 31, '2GB'],
])('%d bytes are written %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text)
  expect(parseSize(text)).toBe(bytes)
})
