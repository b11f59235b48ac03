import { bucketCount, HISTOGRAM_BUCKETS, histogramSum } from './histogram-counts.ts'
import type { MessageBuffer } from './message-buffer.ts'

const SCHEMA = 3
const ZERO_THRESHOLD = 2 ** -128
/** Offset and length of each, together all buckets but the zero bucket. */
const SPANS = [
  [-61, 12],
  [3, HISTOGRAM_BUCKETS - 13],
] as const

// Histogram (the same in both versions)   count_int=1 uint64  sum=3 double  schema=4 sint32  zero_threshold=5 double  zero_count_int=6 uint64
//   positive_spans=11 repeated BucketSpan  positive_deltas=12 repeated sint64 packed  timestamp=15 int64
// BucketSpan   offset=1 sint32  length=2 uint32

/** Writes the content of a Histogram message with integer counts, `count` together, its time in milliseconds. */
export function writeNativeHistogram(into: MessageBuffer, count: number, timestamp: number): void {
  into.byte(0x08)
  into.varint(count)
  if (count > 0) {
    into.byte(0x19)
    into.double(histogramSum(count))
  }
  into.byte(0x20)
  into.varint(zigzag(SCHEMA))
  into.byte(0x29)
  into.double(ZERO_THRESHOLD)
  into.byte(0x30)
  into.varint(bucketCount(count, 0))
  for (const [offset, length] of SPANS) {
    into.byte(0x5a)
    const span = into.open(0)
    into.byte(0x08)
    into.varint(zigzag(offset))
    into.byte(0x10)
    into.varint(length)
    into.close(span, 0)
  }
  into.byte(0x62)
  const deltas = into.open(0)
  let before = 0
  for (let bucket = 1; bucket < HISTOGRAM_BUCKETS; bucket++) {
    const own = bucketCount(count, bucket)
    into.varint(zigzag(own - before))
    before = own
  }
  into.close(deltas, 0)
  if (timestamp > 0) {
    into.byte(0x78)
    into.varint(timestamp)
  }
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value
}
