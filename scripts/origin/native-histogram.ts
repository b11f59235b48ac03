import type { AnyHistogram } from '../value-text.ts'

/** The schema of custom buckets. */
export const CUSTOM = -53
const STALE_BITS = 0x7ff0000000000002n
const scratch = new DataView(new ArrayBuffer(8))

/** One side of a native histogram. */
export interface Side {
  readonly spans: readonly { readonly offset: number; readonly length: number }[]
  /** Of integer histograms: each but the first is the difference to the one before. */
  readonly deltas: readonly bigint[]
  /** Of float histograms. */
  readonly counts: readonly number[]
}

/** Its two sides by name. */
export function sidesOf(histogram: AnyHistogram): Readonly<Record<'positive' | 'negative', Side>> {
  return {
    positive: {
      spans: histogram.positiveSpans,
      deltas: histogram.positiveDeltas,
      counts: histogram.positiveCounts,
    },
    negative: {
      spans: histogram.negativeSpans,
      deltas: histogram.negativeDeltas,
      counts: histogram.negativeCounts,
    },
  }
}

/** Whether a value has the bits that end a series. */
export function isStale(value: number): boolean {
  scratch.setFloat64(0, value)
  return scratch.getBigUint64(0) === STALE_BITS
}

/** Counts of the buckets of one side, in order. */
export function countsOf({ deltas, counts }: Side): readonly (bigint | number)[] {
  if (counts.length > 0) return counts
  let sum = 0n
  return deltas.map((delta) => {
    sum += delta
    return sum
  })
}

/** Index and count of each bucket that is not empty, from the lowest index on. Spans must agree with the counts. */
export function bucketsOf(
  side: Side,
): { readonly index: number; readonly count: bigint | number }[] {
  const counts = countsOf(side)
  const buckets: { index: number; count: bigint | number }[] = []
  let index = 0
  let at = 0
  for (const { offset, length } of side.spans) {
    index += offset
    for (let i = 0; i < length && at < counts.length; i++, index++, at++) {
      const count = counts[at]!
      if (Number(count) !== 0) buckets.push({ index, count })
    }
  }
  return buckets
}
