import type { MessageBuffer } from './message-buffer.ts'
import { writeNativeHistogram } from './native-histogram.ts'

// TimeSeries   samples=2 repeated Sample (both versions)  histograms=4 repeated Histogram (1.0), 3 (2.0)
// Sample       value=1 double  timestamp=2 int64

/** Replaces what is in the buffer by the `samples` field of a series: it is the same for all series of a request. */
export function writeSample(into: MessageBuffer, value: number, timestamp: number): void {
  into.clear()
  into.byte(0x12)
  const sample = into.open(0)
  if (value > 0) {
    into.byte(0x09)
    into.double(value)
  }
  if (timestamp > 0) {
    into.byte(0x10)
    into.varint(timestamp)
  }
  into.close(sample, 0)
}

/** Replaces what is in the buffer by the `histograms` field of a series, whose tag depends on the version. */
export function writeHistogram(
  into: MessageBuffer,
  tag: number,
  count: number,
  timestamp: number,
): void {
  into.clear()
  into.byte(tag)
  const histogram = into.open(128)
  writeNativeHistogram(into, count, timestamp)
  into.close(histogram, 128)
}
