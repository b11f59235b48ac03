/** A native histogram of remote write 1.0 or 2.0. */
export interface AnyHistogram {
  readonly count: { readonly value?: bigint | number | undefined }
  readonly zeroCount: { readonly value?: bigint | number | undefined }
  readonly sum: number
  readonly schema: number
  readonly zeroThreshold: number
  readonly negativeSpans: readonly Span[]
  readonly negativeDeltas: readonly bigint[]
  readonly negativeCounts: readonly number[]
  readonly positiveSpans: readonly Span[]
  readonly positiveDeltas: readonly bigint[]
  readonly positiveCounts: readonly number[]
  readonly resetHint: number
  readonly customValues: readonly number[]
}

interface Span {
  readonly offset: number
  readonly length: number
}

const STALE = 0x7ff0000000000002n
const CUSTOM = -53
const HINTS = ['', 'reset', 'not_reset', 'gauge']

/** A value as Prometheus writes it; `stale` for the marker that ends a series. */
export function valueText(value: number): string {
  if (Number.isNaN(value)) return isStale(value) ? 'stale' : 'NaN'
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  if (value === Number.NEGATIVE_INFINITY) return '-Inf'
  return Object.is(value, -0) ? '-0' : String(value)
}

function isStale(value: number): boolean {
  return new BigUint64Array(Float64Array.of(value).buffer)[0] === STALE
}

/** A native histogram: `{count:3, sum:4.5, schema:0, buckets:[(1,2]:1, (2,4]:2]}`, without buckets that are empty. */
export function histogramText(histogram: AnyHistogram): string {
  const { count, sum, schema, zeroThreshold, zeroCount, resetHint } = histogram
  const buckets = bucketsOf(histogram)
  const zero = Number(zeroCount.value ?? 0)
  return `{${[
    `count:${count.value ?? 0}`,
    `sum:${valueText(sum)}`,
    `schema:${schema}`,
    ...(zeroThreshold === 0 ? [] : [`zero_threshold:${zeroThreshold}`]),
    ...(zero === 0 ? [] : [`zero_count:${zeroCount.value}`]),
    ...(resetHint === 0 ? [] : [`counter_reset_hint:${HINTS[resetHint] ?? resetHint}`]),
    ...(buckets.length === 0 ? [] : [`buckets:[${buckets.join(', ')}]`]),
  ].join(', ')}}`
}

/** From the lowest to the highest. */
function bucketsOf(histogram: AnyHistogram): string[] {
  const { schema, customValues } = histogram
  const positive = counted(
    histogram.positiveSpans,
    histogram.positiveDeltas,
    histogram.positiveCounts,
  )
  if (schema === CUSTOM) {
    return positive.map(([index, count]) => {
      const lower = index === 0 ? '[-Inf' : `(${valueText(customValues[index - 1] ?? Number.NaN)}`
      return `${lower},${valueText(customValues[index] ?? Number.POSITIVE_INFINITY)}]:${count}`
    })
  }
  const bound = (index: number) => short(2 ** (index * 2 ** -schema))
  const negative = counted(
    histogram.negativeSpans,
    histogram.negativeDeltas,
    histogram.negativeCounts,
  )
  return [
    ...negative.reverse().map(([i, count]) => `[-${bound(i)},-${bound(i - 1)}):${count}`),
    ...positive.map(([i, count]) => `(${bound(i - 1)},${bound(i)}]:${count}`),
  ]
}

function short(bound: number): string {
  return Number.isFinite(bound) ? String(Number(bound.toPrecision(6))) : 'Inf'
}

/** Index and count of each bucket that is not empty. */
function counted(
  spans: readonly Span[],
  deltas: readonly bigint[],
  counts: readonly number[],
): [index: number, count: bigint | number][] {
  const found: [number, bigint | number][] = []
  let index = 0
  let n = 0
  let sum = 0n
  for (const { offset, length } of spans) {
    index += offset
    for (let i = 0; i < length; i++, index++, n++) {
      sum += deltas[n] ?? 0n
      const count = counts[n] ?? sum
      if (Number(count) !== 0) found.push([index, count])
    }
  }
  return found
}
