import { expect, test } from 'vitest'
import {
  addCounts,
  countsOf,
  hasPoints,
  NO_COUNTS,
  sameCounts,
  subtractCounts,
} from '../../src/deliver/payload.ts'
import { payloadOf, samples } from './fixtures.ts'

const ONE_EACH = { samples: 1, histograms: 1, exemplars: 1, metadata: 1 }

test('counts are added kind by kind', () => {
  const more = { samples: 1, histograms: 2, exemplars: 3, metadata: 4 }
  expect(addCounts(ONE_EACH, more)).toEqual({
    samples: 2,
    histograms: 3,
    exemplars: 4,
    metadata: 5,
  })
})

test('payloads carry the sum of their counts', () => {
  expect(countsOf([])).toEqual(NO_COUNTS)
  expect(countsOf([payloadOf([1, 2]), payloadOf([3])])).toEqual(samples(3))
})

test('counts are the same when every kind is', () => {
  expect(sameCounts(ONE_EACH, { ...ONE_EACH })).toBe(true)
  for (const kind of Object.keys(ONE_EACH)) {
    expect(sameCounts(ONE_EACH, { ...ONE_EACH, [kind]: 2 })).toBe(false)
  }
})

test('counts are taken away kind by kind', () => {
  const more = { samples: 1, histograms: 2, exemplars: 3, metadata: 4 }
  expect(subtractCounts(addCounts(ONE_EACH, more), ONE_EACH)).toEqual(more)
})

test('metadata is no point', () => {
  expect(hasPoints({ ...NO_COUNTS, metadata: 1 })).toBe(false)
  for (const kind of ['samples', 'histograms', 'exemplars']) {
    expect(hasPoints({ ...NO_COUNTS, [kind]: 1 })).toBe(true)
  }
})
