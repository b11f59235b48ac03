import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { checkHistogram } from '../../../scripts/origin/check-histogram.ts'
import { createFindings } from '../../../scripts/origin/problems.ts'
import { HistogramSchema } from '../../../src/wire/gen/prometheus-write-v2_pb.js'

type Histogram = MessageInitShape<typeof HistogramSchema>

const STALE = new DataView(Uint8Array.of(0x7f, 0xf0, 0, 0, 0, 0, 0, 2).buffer).getFloat64(0)
const ints = (value: bigint) => ({ case: 'countInt' as const, value })
const floats = (value: number) => ({ case: 'countFloat' as const, value })
/** Counts 1 and 2, and 1 at zero. */
const GOOD: Histogram = {
  count: ints(4n),
  zeroCount: { case: 'zeroCountInt', value: 1n },
  positiveSpans: [
    { offset: -1, length: 1 },
    { offset: 2, length: 1 },
  ],
  positiveDeltas: [1n, 1n],
}
const FLOAT: Histogram = {
  count: floats(1.5),
  positiveSpans: [{ offset: 0, length: 2 }],
  positiveCounts: [1, 0.5],
}
const CUSTOM: Histogram = {
  schema: -53,
  count: ints(3n),
  positiveSpans: [{ offset: 0, length: 3 }],
  positiveDeltas: [1n, 0n, 0n],
  customValues: [1, 5],
}

function said(histogram: Histogram): string[] {
  const findings = createFindings(1, new Set())
  checkHistogram(create(HistogramSchema, histogram), () => 'h', findings)
  return findings.listed.map(({ message }) => message)
}

test.each<[string, Histogram]>([
  ['one of integers', GOOD],
  ['one of floats', FLOAT],
  ['one with custom buckets', CUSTOM],
  ['an empty one', {}],
  ['an observation of NaN', { ...GOOD, count: ints(5n), sum: Number.NaN }],
  ['the end of a series', { ...GOOD, count: ints(0n), sum: STALE }],
  [
    'negative buckets',
    { count: ints(1n), negativeSpans: [{ offset: 0, length: 1 }], negativeDeltas: [1n] },
  ],
  ['a span of no length', { ...GOOD, positiveSpans: [{ offset: 0, length: 2 }, { offset: 3 }] }],
])('nothing is wrong with %s', (_, histogram) => {
  expect(said(histogram)).toEqual([])
})

test.each<[Histogram, string]>([
  [{ ...GOOD, schema: 9 }, 'its schema is 9, not one of -4 to 8 or -53'],
  [{ ...GOOD, schema: -5 }, 'its schema is -5, not one of -4 to 8 or -53'],
  [{ ...GOOD, resetHint: 4 as 3 }, 'its reset hint is 4, not one of 0 to 3'],
  [{ ...GOOD, zeroThreshold: -1 }, 'its zero threshold is -1'],
  [{ ...GOOD, zeroThreshold: Number.NaN }, 'its zero threshold is NaN'],
  [
    { ...GOOD, positiveSpans: [{ offset: 0, length: 3 }] },
    'its positive spans have room for 3 buckets, it has 2',
  ],
  [{ ...GOOD, negativeDeltas: [1n] }, 'its negative spans have room for 0 buckets, it has 1'],
  [
    {
      ...GOOD,
      positiveSpans: [
        { offset: 0, length: 1 },
        { offset: -1, length: 1 },
      ],
    },
    'a positive span begins 1 before the end of the one before it',
  ],
  [{ ...GOOD, positiveDeltas: [1n, -2n] }, 'a positive bucket has the count -1'],
  [{ ...GOOD, count: ints(5n) }, 'its buckets have 4 observations, its count is 5'],
  [
    { ...GOOD, count: ints(3n), sum: Number.NaN },
    'its buckets have 4 observations, its count is 3',
  ],
  [{ ...GOOD, customValues: [1] }, 'it has custom values, which schema 0 has not'],
  [
    { ...GOOD, zeroCount: { case: 'zeroCountFloat', value: 1 } },
    'its count and its zero count are not both integers, or both floats',
  ],
  [{ ...FLOAT, count: ints(0n) }, 'it has counts, which a histogram with an integer count has not'],
  [
    { ...GOOD, count: floats(4), zeroCount: { case: 'zeroCountFloat', value: 1 } },
    'it has deltas, which a histogram with a float count has not',
  ],
  [{ ...FLOAT, count: floats(2) }, 'its buckets have 1.5 observations, its count is 2'],
  [{ ...FLOAT, positiveCounts: [1, Number.NaN] }, 'a positive bucket has the count NaN'],
  [{ ...CUSTOM, customValues: [5, 1] }, 'custom value 1 is 1, not above 5'],
  [{ ...CUSTOM, customValues: [1, Number.POSITIVE_INFINITY] }, 'custom value 1 is Infinity'],
  [{ ...CUSTOM, customValues: [1] }, 'its last bucket is 2, its custom values are for 2'],
  [{ ...CUSTOM, zeroThreshold: 1 }, 'it has custom buckets and one for zero'],
  [
    { ...CUSTOM, negativeSpans: [{ offset: 0, length: 0 }] },
    'it has custom buckets and negative ones',
  ],
  [
    { ...CUSTOM, positiveSpans: [{ offset: -1, length: 3 }] },
    'its first bucket has an index below 0',
  ],
])('%# is found', (histogram, message) => {
  expect(said(histogram)).toContain(message)
})
