import type { Histogram, TimeSeries } from '../wire/gen/prometheus_pb.js'

/** The last point of a series, in words. */
export interface Point {
  /** A number as Prometheus writes it, `NaN`, `+Inf`, `-Inf`, `stale`; of a histogram `count N, sum X`. */
  readonly value: string
  /** Of a native histogram only. */
  readonly histogram?: { readonly count: string; readonly sum: string }
  /** Milliseconds since the epoch, as the sender says. */
  readonly timestamp: number
}

/** The bits that mean: this series has ended. Other NaNs are values (remote write 1.0, "stale markers"). */
const STALE_BITS = 0x7ff0000000000002n
const scratch = new DataView(new ArrayBuffer(8))

/** Text of a sample's value. */
export function valueText(value: number): string {
  if (Number.isNaN(value)) {
    scratch.setFloat64(0, value)
    return scratch.getBigUint64(0) === STALE_BITS ? 'stale' : 'NaN'
  }
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  if (value === Number.NEGATIVE_INFINITY) return '-Inf'
  return Object.is(value, -0) ? '-0' : String(value)
}

/** The point of `series` with the latest time, of equal times the last one sent; none when it carries exemplars only. */
export function lastPoint(series: TimeSeries): Point | undefined {
  const sample = latest(series.samples)
  const histogram = latest(series.histograms)
  if (histogram && (!sample || histogram.timestamp >= sample.timestamp))
    return histogramPoint(histogram)
  if (!sample) return undefined
  return { value: valueText(sample.value), timestamp: Number(sample.timestamp) }
}

function latest<P extends { timestamp: bigint }>(points: readonly P[]): P | undefined {
  let last: P | undefined
  for (const point of points) if (!last || point.timestamp >= last.timestamp) last = point
  return last
}

function histogramPoint(histogram: Histogram): Point {
  const { case: flavour, value } = histogram.count
  const count = flavour === 'countFloat' ? valueText(value) : String(value ?? 0)
  const sum = valueText(histogram.sum)
  return {
    value: sum === 'stale' ? 'stale' : `count ${count}, sum ${sum}`,
    histogram: { count, sum },
    timestamp: Number(histogram.timestamp),
  }
}
