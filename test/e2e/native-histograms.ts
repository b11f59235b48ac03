import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

/*
 * Native histograms are exposed in the protobuf format only: a sequence of MetricFamily, each after its length.
 *
 *   MetricFamily  name=1  help=2  type=3 (4 histogram, 5 gauge histogram)  metric=4 rep
 *   Metric        label=1 rep { name=1 value=2 }  histogram=7
 *   Histogram     sample_count=1 uint64  sample_sum=2 double  sample_count_float=4 double  schema=5 sint32
 *                 zero_threshold=6 double  zero_count=7 uint64  zero_count_float=8 double
 *                 negative_span=9  negative_delta=10 sint64  positive_span=12 rep  positive_delta=13 rep sint64
 *                 positive_count=14 rep double
 *   BucketSpan    offset=1 sint32  length=2 uint32
 */

/** Media type of `nativeHistograms`. */
export const PROTOBUF_TYPE =
  'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited'

/** After so many scrapes `e2e_native_leaving` is shown no more. */
export const NATIVE_LEAVES_AFTER = 4

/** What the `n`th scrape shows, counted from 0: an integer histogram that grows, a gauge histogram of floats, one that leaves. */
export function nativeHistograms(n: number): Uint8Array {
  const families = [
    family('e2e_native_seconds', 4, integerHistogram(n)),
    family('e2e_native_gauge', 5, floatHistogram(n)),
  ]
  if (n < NATIVE_LEAVES_AFTER) families.push(family('e2e_native_leaving', 4, integerHistogram(n)))
  const writer = new BinaryWriter()
  for (const bytes of families) writer.bytes(bytes)
  return writer.finish()
}

function family(name: string, type: number, histogram: Uint8Array): Uint8Array {
  const label = new BinaryWriter()
  text(text(label, 1, 'path'), 2, '/ü')
  const metric = new BinaryWriter()
  message(message(metric, 1, label.finish()), 7, histogram)
  const writer = text(text(new BinaryWriter(), 1, name), 2, `The ${name} of the test.`)
  writer.tag(3, WireType.Varint).int32(type)
  return message(writer, 4, metric.finish()).finish()
}

/** Buckets 0, 1 and, after a gap that closes with the fourth scrape, 5; and one negative bucket. */
function integerHistogram(n: number): Uint8Array {
  const writer = new BinaryWriter()
  const counts = n < 3 ? [n + 1, n + 3] : [n + 1, n + 3, 2]
  const count = counts.reduce((sum, bucket) => sum + bucket, 0) + 1 + n
  writer.tag(1, WireType.Varint).uint64(count)
  writer.tag(2, WireType.Bit64).double(count / 7)
  writer.tag(5, WireType.Varint).sint32(3)
  writer.tag(6, WireType.Bit64).double(2 ** -128)
  writer.tag(7, WireType.Varint).uint64(1)
  message(writer, 9, span(-2, 1))
  writer.tag(10, WireType.Varint).sint64(n)
  message(writer, 12, span(0, 2))
  if (counts.length > 2) message(writer, 12, span(3, 1))
  let before = 0
  for (const bucket of counts) {
    writer.tag(13, WireType.Varint).sint64(bucket - before)
    before = bucket
  }
  return writer.finish()
}

function floatHistogram(n: number): Uint8Array {
  const counts = [1.5 + n, 0.25]
  const writer = new BinaryWriter()
  writer.tag(2, WireType.Bit64).double(-(n + 1) / 3)
  writer.tag(4, WireType.Bit64).double(counts[0] + counts[1] + 0.5)
  writer.tag(5, WireType.Varint).sint32(-1)
  writer.tag(6, WireType.Bit64).double(0.001)
  writer.tag(8, WireType.Bit64).double(0.5)
  message(writer, 12, span(4, 2))
  for (const bucket of counts) writer.tag(14, WireType.Bit64).double(bucket)
  return writer.finish()
}

function span(offset: number, length: number): Uint8Array {
  const writer = new BinaryWriter()
  return writer
    .tag(1, WireType.Varint)
    .sint32(offset)
    .tag(2, WireType.Varint)
    .uint32(length)
    .finish()
}

function text(writer: BinaryWriter, field: number, value: string): BinaryWriter {
  return writer.tag(field, WireType.LengthDelimited).string(value)
}

function message(writer: BinaryWriter, field: number, bytes: Uint8Array): BinaryWriter {
  return writer.tag(field, WireType.LengthDelimited).bytes(bytes)
}
