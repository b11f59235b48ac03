import type { ExponentialHistogramDataPoint } from '../../src/wire/gen/opentelemetry_pb.js'
import type { Histogram } from '../../src/wire/gen/prometheus-write-v2_pb.js'
import { type Bucket, bucketsOf, fromDeltas } from '../kernel/native-spans.ts'
import { bitsOf, STALE } from './otlp-output.ts'

// Exponential histograms of OTLP as native ones, the way one would write it with objects: by what a bucket's bounds are
// (spec 4.9), with whole numbers of any size.

/** What an origin is to know of a histogram: nothing of how spans are cut. */
export interface Native {
  readonly schema: number
  readonly count: bigint
  /** Bits, in hex. */
  readonly sum: string
  readonly zeroCount: bigint
  readonly zeroThreshold: number
  /** `index:count`, of those that are not empty, by their index. */
  readonly positive: readonly string[]
  readonly negative: readonly string[]
  /** ms; 0: none. */
  readonly start: bigint
}

type Side = ExponentialHistogramDataPoint['positive']

const FINEST = 8
const MAX_INDEX = 2n ** 31n - 1n
const MAX_COUNT = 2n ** 63n - 1n

/** The histogram, or the code of the reason why the point is rejected. */
export function native(
  point: ExponentialHistogramDataPoint,
): Native | 'scale' | 'invalid_histogram' {
  const { scale, count, zeroCount, zeroThreshold } = point
  if (scale < -4) return 'scale'
  const schema = Math.min(scale, FINEST)
  if (point.flags % 2 === 1) {
    const nothing = { zeroCount: 0n, zeroThreshold: 0, positive: [], negative: [], start: 0n }
    return { schema, count: 0n, sum: STALE, ...nothing }
  }
  const positive = merged(point.positive, scale - schema)
  const negative = merged(point.negative, scale - schema)
  const sides = [total(positive), total(negative)]
  const all = sides.reduce((sum, n) => sum + n, zeroCount)
  const tooMuch = sides.some((n) => n > MAX_COUNT)
  const tooFar = [...positive.keys(), ...negative.keys()].some((index) => index > MAX_INDEX)
  // Observations that are NaN are in no bucket, and make the sum NaN.
  const agrees = Number.isNaN(point.sum) ? all <= count : all === count
  if (tooMuch || tooFar || !agrees) return 'invalid_histogram'
  return {
    schema,
    count,
    sum: bitsOf(point.sum ?? 0),
    zeroCount,
    zeroThreshold: zeroThreshold > 0 ? zeroThreshold : 1e-128,
    positive: listed(positive),
    negative: listed(negative),
    start: point.startTimeUnixNano / 1_000_000n,
  }
}

/** An OTLP bucket i reaches up to base^(i + 1), and Prometheus' bucket j up to base^j of a base that is 2^levels times as wide, on a logarithmic scale. */
function merged(side: Side, levels: number): Map<bigint, bigint> {
  const buckets = new Map<bigint, bigint>()
  // Beyond so many levels there are two indices only, whatever the offset.
  const width = 2n ** BigInt(Math.min(levels, 34))
  side?.bucketCounts.forEach((n, i) => {
    if (n === 0n) return
    const index = ceilDivided(BigInt(side.offset) + BigInt(i) + 1n, width)
    buckets.set(index, (buckets.get(index) ?? 0n) + n)
  })
  return buckets
}

function ceilDivided(n: bigint, by: bigint): bigint {
  const down = n / by
  return n > 0n && n % by !== 0n ? down + 1n : down
}

function total(buckets: ReadonlyMap<bigint, bigint>): bigint {
  return [...buckets.values()].reduce((sum, n) => sum + n, 0n)
}

function listed(buckets: ReadonlyMap<bigint, bigint>): string[] {
  return [...buckets].sort(([a], [b]) => (a < b ? -1 : 1)).map(([index, n]) => `${index}:${n}`)
}

/** What a histogram that went out says. `sum`: its bits, which numbers would not keep. */
export function said(histogram: Histogram, sum: string): Native {
  const { count, zeroCount, positiveSpans, positiveDeltas, negativeSpans, negativeDeltas } =
    histogram
  return {
    schema: histogram.schema,
    count: count.case === 'countInt' ? count.value : -1n,
    sum,
    zeroCount: zeroCount.case === 'zeroCountInt' ? zeroCount.value : 0n,
    zeroThreshold: histogram.zeroThreshold,
    positive: filled(bucketsOf(positiveSpans, fromDeltas(positiveDeltas))),
    negative: filled(bucketsOf(negativeSpans, fromDeltas(negativeDeltas))),
    start: histogram.startTimestamp,
  }
}

function filled(buckets: readonly Bucket[]): string[] {
  return buckets.filter(([, n]) => n !== 0n).map(([index, n]) => `${index}:${n}`)
}
