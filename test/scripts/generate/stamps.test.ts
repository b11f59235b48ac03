import { expect, it } from 'vitest'
import { createStamps } from '../../../scripts/generate/stamps.ts'

it('gives the time of day, and to each chunk a later one each time', () => {
  const stamps = createStamps(2, 1000)
  expect([1000, 1000, 1000, 1500].map((now, round) => stamps.next(0, round, now))).toEqual([
    1000, 1001, 1002, 1500,
  ])
  expect(stamps.next(1, 0, 1000)).toBe(1000)
  expect(stamps.ahead).toBe(2)
})

it('gives each round its time when there is an interval', () => {
  const stamps = createStamps(2, 1000, 15_000)
  expect(stamps.next(0, 0, 1000)).toBe(1000)
  expect(stamps.next(1, 0, 1400)).toBe(1000)
  expect(stamps.next(0, 1, 1500)).toBe(16_000)
  expect(stamps.next(0, 2, 1600)).toBe(31_000)
  expect(stamps.ahead).toBe(29_400)
})
