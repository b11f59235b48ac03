import { create, toBinary } from '@bufbuild/protobuf'
import type {
  ExponentialHistogramDataPoint,
  HistogramDataPoint,
} from '../../src/wire/gen/opentelemetry_pb.js'
import { type Histogram, HistogramSchema } from '../../src/wire/gen/prometheus-write-v2_pb.js'
import { type AnyPoint, hasNoValue } from './check-otlp-point.ts'
import { type Taking, takeHistogram, takeOne, takeSample, takeStale } from './take-points.ts'

/**
 * Stores a data point: a number as a sample, a summary and an explicit histogram as their classic series, an exponential
 * histogram as a native one of the same scale. One without a value ends its series. `labels` are lent.
 */
export function storeOtlpPoint(
  point: AnyPoint,
  labels: ReadonlyMap<string, string>,
  where: () => string,
  taking: Taking,
): void {
  // Without a time no place among the others.
  if (point.timeUnixNano === 0n) return
  const time = Number(point.timeUnixNano / 1_000_000n)
  const seriesOf = (suffix: string, more: Readonly<Record<string, string>> = {}) => {
    const name = `${labels.get('__name__')}${suffix}`
    const all = new Map([...labels, ...Object.entries(more), ['__name__', name]])
    return taking.store.open([...all].flat())
  }
  const put = (value: number, suffix = '', more?: Readonly<Record<string, string>>) =>
    takeOne(taking, true, 'samples', () => {
      const series = seriesOf(suffix, more)
      if (hasNoValue(point)) takeStale(taking, series, time, where)
      else takeSample(taking, series, time, value, where)
    })
  switch (point.$typeName) {
    case 'opentelemetry.proto.NumberDataPoint':
      put(Number(point.value.value ?? Number.NaN))
      return
    case 'opentelemetry.proto.SummaryDataPoint':
      for (const { quantile, value } of point.quantileValues)
        put(value, '', { quantile: String(quantile) })
      put(point.sum, '_sum')
      put(Number(point.count), '_count')
      return
    case 'opentelemetry.proto.HistogramDataPoint':
      putClassic(point, put)
      return
    case 'opentelemetry.proto.ExponentialHistogramDataPoint': {
      if (hasNoValue(point)) {
        put(Number.NaN)
        return
      }
      const bytes = toBinary(HistogramSchema, nativeOf(point, time))
      takeOne(taking, true, 'histograms', () =>
        takeHistogram(taking, seriesOf(''), time, bytes, where),
      )
    }
  }
}

/** Buckets of Prometheus count all below them. */
function putClassic(
  { explicitBounds, bucketCounts, count, sum }: HistogramDataPoint,
  put: (value: number, suffix: string, more?: Readonly<Record<string, string>>) => void,
): void {
  let below = 0n
  for (const [i, bound] of explicitBounds.entries()) {
    below += bucketCounts[i] ?? 0n
    if (bound !== Number.POSITIVE_INFINITY) put(Number(below), '_bucket', { le: String(bound) })
  }
  put(Number(count), '_bucket', { le: '+Inf' })
  if (sum !== undefined) put(sum, '_sum')
  put(Number(count), '_count')
}

/** OTLP's bucket i is (base^i, base^(i+1)], Prometheus' is (base^(i-1), base^i]. */
function nativeOf(point: ExponentialHistogramDataPoint, time: number): Histogram {
  const side = (buckets: ExponentialHistogramDataPoint['positive']) => {
    const counts = buckets?.bucketCounts ?? []
    return {
      spans:
        counts.length === 0 ? [] : [{ offset: (buckets?.offset ?? 0) + 1, length: counts.length }],
      deltas: counts.map((count, i) => count - (counts[i - 1] ?? 0n)),
    }
  }
  const positive = side(point.positive)
  const negative = side(point.negative)
  return create(HistogramSchema, {
    count: { case: 'countInt', value: point.count },
    zeroCount: { case: 'zeroCountInt', value: point.zeroCount },
    zeroThreshold: point.zeroThreshold,
    sum: point.sum ?? Number.NaN,
    schema: point.scale,
    positiveSpans: positive.spans,
    positiveDeltas: positive.deltas,
    negativeSpans: negative.spans,
    negativeDeltas: negative.deltas,
    timestamp: BigInt(time),
  })
}
