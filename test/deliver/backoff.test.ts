import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backoff } from '../../src/deliver/backoff.ts'

const RANGE = { min: 30, max: 5000 }

function f(attempt: number, random: number, want: number) {
  expect(backoff(attempt, RANGE, () => random)).toBe(want)
}

test('the first wait is between min and twice that', () => {
  f(1, 0, 30)
  f(1, 0.5, 45)
  f(1, 1, 60)
})

test('it doubles each time', () => {
  f(2, 0, 60)
  f(2, 1, 120)
  f(3, 0, 120)
})

test('at the cap it still has jitter', () => {
  f(20, 0, 2500)
  f(20, 1, 5000)
})

test('it never leaves the range', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: 0, max: 100_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempt, min, more, random) => {
        const wait = backoff(attempt, { min, max: min + more }, () => random)
        expect(wait).toBeGreaterThanOrEqual(min)
        expect(wait).toBeLessThanOrEqual(min + more)
      },
    ),
    { seed: 1, numRuns: 500 },
  )
})
