/** How so many observations in a row fall into the buckets, over and over. The first is native histograms' zero bucket. */
const WEIGHTS = [1, 1, 2, 3, 5, 8, 12, 17, 20, 18, 14, 10, 7, 4, 2, 1, 1, 0, 1, 0, 1]
const STARTS = WEIGHTS.map((_, i) => WEIGHTS.slice(0, i).reduce((sum, weight) => sum + weight, 0))
const TOTAL = WEIGHTS.reduce((sum, weight) => sum + weight, 0)

/** How many buckets a histogram has: the zero bucket of a native one is among them. */
export const HISTOGRAM_BUCKETS = WEIGHTS.length

/** The bounds between them where they are explicit, in seconds: one fewer than buckets. */
export const EXPLICIT_BOUNDS: readonly number[] = [
  0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 0.75,
  1, 1.5, 2.5, 5, 10,
]

/** How many of `count` observations fell into this bucket. All buckets together are `count`, and none gets smaller when `count` gets larger. */
export function bucketCount(count: number, bucket: number): number {
  const weight = WEIGHTS[bucket]!
  const rest = (count % TOTAL) - STARTS[bucket]!
  return Math.floor(count / TOTAL) * weight + Math.min(Math.max(rest, 0), weight)
}

/** The sum of so many observations: exact, and so is its text. */
export function histogramSum(count: number): number {
  return count / 4
}
