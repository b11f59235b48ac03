import { fromBinary } from '@bufbuild/protobuf'
import { HistogramSchema } from '../../src/wire/gen/prometheus-write-v2_pb.js'
import { type AnyHistogram, valueText } from '../value-text.ts'
import { bucketsOf, CUSTOM, sidesOf } from './native-histogram.ts'

/** Which bounds belong to a bucket, as Prometheus' API numbers them. */
const OPEN_LEFT = 0
const OPEN_RIGHT = 1
const CLOSED = 3

/** Boundaries, lower and upper bound, count. */
type Bucket = readonly [number, string, string, string]

/** A native histogram as Prometheus' API has it. */
export interface HistogramJson {
  readonly count: string
  readonly sum: string
  /** Of buckets that are not empty, from the lowest on. */
  readonly buckets?: readonly Bucket[]
}

/** The API's form of a histogram of remote write 2.0, binary. Spans that do not fit show what there is. */
export function histogramJson(bytes: Uint8Array): HistogramJson {
  const histogram: AnyHistogram = fromBinary(HistogramSchema, bytes)
  const buckets = bucketsJson(histogram)
  return {
    count: String(histogram.count.value ?? 0),
    sum: valueText(histogram.sum),
    ...(buckets.length > 0 && { buckets }),
  }
}

function bucketsJson(histogram: AnyHistogram): Bucket[] {
  const { schema, zeroThreshold, zeroCount, customValues } = histogram
  const { positive, negative } = sidesOf(histogram)
  if (schema === CUSTOM) {
    const bound = (index: number, beyond: number) => valueText(customValues[index] ?? beyond)
    return bucketsOf(positive).map(({ index, count }) => [
      index === 0 ? CLOSED : OPEN_LEFT,
      bound(index - 1, Number.NEGATIVE_INFINITY),
      bound(index, Number.POSITIVE_INFINITY),
      String(count),
    ])
  }
  const bound = (index: number) => upperBound(index, schema)
  const below = bucketsOf(negative).reverse()
  const zero = Number(zeroCount.value ?? 0)
  return [
    ...below.map(
      ({ index, count }): Bucket => [
        OPEN_RIGHT,
        valueText(-bound(index)),
        valueText(-bound(index - 1)),
        String(count),
      ],
    ),
    ...(zero === 0
      ? []
      : [
          [
            CLOSED,
            valueText(-zeroThreshold),
            valueText(zeroThreshold),
            String(zeroCount.value),
          ] as const,
        ]),
    ...bucketsOf(positive).map(
      ({ index, count }): Bucket => [
        OPEN_LEFT,
        valueText(bound(index - 1)),
        valueText(bound(index)),
        String(count),
      ],
    ),
  ]
}

/** The bucket with the largest float ends at it; only what is infinite lies above. */
function upperBound(index: number, schema: number): number {
  const exponent = index * 2 ** -schema
  return exponent === 1024 ? Number.MAX_VALUE : 2 ** exponent
}
