import { expect, test } from 'vitest'
import {
  bucketCount,
  EXPLICIT_BOUNDS,
  HISTOGRAM_BUCKETS,
} from '../../../scripts/generate/histogram-counts.ts'

const bucketsOf = (count: number) =>
  Array.from({ length: HISTOGRAM_BUCKETS }, (_, bucket) => bucketCount(count, bucket))

test('buckets are the count together', () => {
  for (const count of [0, 1, 2, 127, 128, 129, 1_000_003, 2 ** 51]) {
    expect(bucketsOf(count).reduce((sum, one) => sum + one, 0)).toBe(count)
  }
})

test('no bucket ever gets smaller: that would be a reset', () => {
  for (let count = 1; count < 600; count++) {
    const before = bucketsOf(count - 1)
    const gained = bucketsOf(count).map((one, bucket) => one - before[bucket]!)
    expect(gained.filter((one) => one !== 0)).toEqual([1])
  }
})

test('explicit bounds go up, one fewer than buckets', () => {
  expect(EXPLICIT_BOUNDS.length).toBe(HISTOGRAM_BUCKETS - 1)
  expect(EXPLICIT_BOUNDS.toSorted((a, b) => a - b)).toEqual(EXPLICIT_BOUNDS)
  expect(new Set(EXPLICIT_BOUNDS).size).toBe(EXPLICIT_BOUNDS.length)
})
