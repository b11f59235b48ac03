import { expect, test } from 'vitest'
import {
  bytesText,
  countText,
  ratioText,
  type Table,
  tableText,
  timeText,
} from '../../../scripts/bench/table.ts'

test('a table lines up and leaves a cell empty that a row has not', () => {
  const rows: Table['rows'] = [
    { case: 'warm', time: '1.04 ms' },
    { case: 'new/kubernetes', ratio: '4 x' },
  ]
  expect(tableText({ rows })).toBe(`| case           | time    | ratio |
| -------------- | ------- | ----- |
| warm           | 1.04 ms |       |
| new/kubernetes |         | 4 x   |`)
})

test.for([
  [0.4, '0.40 ns'],
  [45, '45.0 ns'],
  [999, '999 ns'],
  [1040, '1.04 µs'],
  [812_000, '812 µs'],
  [1_040_000, '1.04 ms'],
  [2_500_000_000, '2,500 ms'],
] as const)('%d ns reads %s', ([nanoseconds, text]) => {
  expect(timeText(nanoseconds)).toBe(text)
})

test.for([
  [0, '0 B'],
  [360.4, '360 B'],
  [2560, '2.50 KiB'],
  [65_536, '64.0 KiB'],
  [44_000_000, '42.0 MiB'],
] as const)('%d bytes read %s', ([bytes, text]) => {
  expect(bytesText(bytes)).toBe(text)
})

test('counts and ratios are written for people', () => {
  expect(countText(1_234_567.4)).toBe('1,234,567')
  expect(ratioText(49.31)).toBe('49.3 x')
})
