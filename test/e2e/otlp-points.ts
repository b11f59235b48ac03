import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ExemplarSchema } from '../../src/wire/gen/opentelemetry_pb.js'
import { type Attribute, hasText, someAttributes, text } from './otlp-attributes.ts'
import type { MetricInit } from './otlp-requests.ts'
import { pick } from './pick.ts'

const CUMULATIVE = 2
const SERIES = 3
const STEP_MS = 15_000
/** Now and then a point comes so much later that target_info is repeated in between. */
const GAP_MS = 400_000

/** What points of all types have. */
interface Common {
  readonly attributes: Attribute[]
  readonly startTimeUnixNano: bigint
  readonly timeUnixNano: bigint
  readonly flags: number
}

/**
 * The data of a metric of any type: up to three series of one or two points each, from `at` on (milliseconds).
 * customBuckets: explicit histograms are to become native ones.
 */
export function somePoints(
  random: () => number,
  at: number,
  customBuckets: boolean,
): NonNullable<MetricInit['data']> {
  const kind = Math.floor(random() * 6)
  const aggregationTemporality = CUMULATIVE
  if (kind === 0) return { case: 'gauge', value: { dataPoints: numbers(random, at) } }
  if (kind < 3) {
    const value = { dataPoints: numbers(random, at), aggregationTemporality }
    return { case: 'sum', value: { ...value, isMonotonic: kind === 1 } }
  }
  if (kind === 3) {
    const dataPoints = points(random, at).map((one) =>
      explicitHistogram(random, one, customBuckets),
    )
    return { case: 'histogram', value: { dataPoints, aggregationTemporality } }
  }
  if (kind === 4) {
    const dataPoints = points(random, at).map((one) => exponentialHistogram(random, one))
    return { case: 'exponentialHistogram', value: { dataPoints, aggregationTemporality } }
  }
  return {
    case: 'summary',
    value: { dataPoints: points(random, at).map((p) => summary(random, p)) },
  }
}

/** Points of different series have different attributes `p`; those of one series come in time order. */
function points(random: () => number, at: number): Common[] {
  const count = Math.floor(random() * (SERIES + 1))
  const startTimeUnixNano = random() < 0.7 ? nanos(random, at - 60_000) : 0n
  return Array.from({ length: count }, (_, p) => {
    const attributes = [text('p', String(p)), ...someAttributes(random, 4)]
    const times = random() < 0.3 ? [at, at + (random() < 0.1 ? GAP_MS : STEP_MS)] : [at]
    return times.map((time) => ({
      attributes,
      startTimeUnixNano,
      timeUnixNano: nanos(random, time),
      flags: pick(random, [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 3]),
    }))
  }).flat()
}

/** Somewhere in that millisecond. */
function nanos(random: () => number, milliseconds: number): bigint {
  return BigInt(milliseconds) * 1_000_000n + BigInt(Math.floor(random() * 1e6))
}

const DOUBLES = [
  0,
  -0,
  1,
  -1.5,
  0.1,
  1e300,
  5e-324,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
]
const INTEGERS = [0n, 1n, -1n, 1234567n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)]

/** A point marked as without value may have none, as SDKs send it. */
function someNumber(random: () => number, { flags }: Pick<Common, 'flags'>) {
  if (flags & 1 && random() < 0.7) return { case: undefined }
  return random() < 0.5
    ? { case: 'asDouble' as const, value: pick(random, DOUBLES) }
    : { case: 'asInt' as const, value: pick(random, INTEGERS) }
}

function numbers(random: () => number, at: number) {
  return points(random, at).map((point) => ({
    ...point,
    value: someNumber(random, point),
    exemplars: someExemplars(random, point),
  }))
}

const BOUNDS = [-5, -0.5, 0, 1e-7, 0.005, 0.1, 1, 2.5, 10, 1000, 1e21]

/** Prometheus makes no native histogram of a count without buckets, nor of an infinite bound. */
function explicitHistogram(random: () => number, point: Common, customBuckets: boolean) {
  const buckets = random() < 0.85
  const explicitBounds = buckets ? BOUNDS.filter(() => random() < 0.4) : []
  if (buckets && !customBuckets && random() < 0.05) explicitBounds.push(Number.POSITIVE_INFINITY)
  const bucketCounts = buckets ? [...explicitBounds, 0].map(() => someCount(random)) : []
  return {
    ...point,
    explicitBounds,
    bucketCounts,
    count: buckets ? total(bucketCounts) : customBuckets ? 0n : someCount(random),
    exemplars: someExemplars(random, point),
    ...someSum(random),
  }
}

function someCount(random: () => number): bigint {
  return pick(random, [0n, 0n, 0n, 1n, 2n, 17n, 300n, 2n ** 40n])
}

function total(counts: readonly bigint[]): bigint {
  return counts.reduce((sum, count) => sum + count, 0n)
}

function someSum(random: () => number) {
  const limits = random() < 0.5 ? { min: -1, max: 12.5 } : {}
  return random() < 0.85 ? { ...limits, sum: pick(random, DOUBLES) } : limits
}

function exponentialHistogram(random: () => number, point: Common) {
  const positive = someBuckets(random)
  const negative = random() < 0.3 ? someBuckets(random) : undefined
  const zeroCount = someCount(random)
  const counts = [...(positive?.bucketCounts ?? []), ...(negative?.bucketCounts ?? [])]
  return {
    ...point,
    scale: pick(random, [-4, -2, 0, 3, 7, 8, 9, 11, 20]),
    zeroCount,
    positive,
    negative,
    count: zeroCount + total(counts),
    exemplars: someExemplars(random, point),
    ...someSum(random),
  }
}

function someBuckets(random: () => number) {
  if (random() < 0.1) return undefined
  const length = Math.floor(random() * pick(random, [4, 40]))
  const bucketCounts = Array.from({ length }, () => someCount(random))
  return { offset: pick(random, [0, 1, -1, -3, 7, 100, -1000]), bucketCounts }
}

const QUANTILES = [0, 1e-7, 0.5, 0.9, 0.99, 0.999, 1]

function summary(random: () => number, point: Common) {
  const quantileValues = QUANTILES.filter(() => random() < 0.4).map((quantile) => ({
    quantile,
    value: pick(random, DOUBLES),
  }))
  return { ...point, count: someCount(random), sum: pick(random, DOUBLES), quantileValues }
}

/** In order of their values and of their times, so that there is one way only to keep them. */
function someExemplars(random: () => number, { timeUnixNano, flags }: Common) {
  const count = random() < 0.4 && !(flags & 1) ? 1 + Math.floor(random() * 3) : 0
  const values = Array.from({ length: count }, () => random() * 20 - 5).sort((a, b) => a - b)
  return values.map((value, i) =>
    someExemplar(random, value, timeUnixNano - BigInt(count - i) * 7_000_001n),
  )
}

function someExemplar(
  random: () => number,
  value: number,
  timeUnixNano: bigint,
): MessageInitShape<typeof ExemplarSchema> {
  const id = (length: number) =>
    random() < 0.7 ? Uint8Array.from({ length }, () => random() * 256) : new Uint8Array(0)
  const filteredAttributes = [
    ...someAttributes(random, 3).filter(hasText),
    ...(random() < 0.2 ? [text('trace_id', 'of an attribute')] : []),
    ...(random() < 0.2 ? [text('long', 'é'.repeat(pick(random, [40, 80, 125, 200])))] : []),
  ]
  return {
    timeUnixNano,
    value:
      random() < 0.3
        ? { case: 'asInt', value: BigInt(Math.floor(value)) }
        : { case: 'asDouble', value },
    traceId: id(16),
    spanId: id(8),
    filteredAttributes,
  }
}
