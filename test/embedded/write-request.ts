import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { compress } from 'snappyjs'
import { type TimeSeriesSchema, WriteRequestSchema } from '../../src/wire/gen/prometheus_pb.js'

/** A series by its labels, with points. */
export type SentSeries = { labels: Record<string, string> } & Omit<
  MessageInitShape<typeof TimeSeriesSchema>,
  'labels' | '$typeName'
>

/** A remote write 1.0 body, as a sender would put it on the wire. */
export function writeRequest(series: readonly SentSeries[]): Uint8Array<ArrayBuffer> {
  const timeseries = series.map(({ labels, ...points }) => ({
    ...points,
    labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
  }))
  return new Uint8Array(
    compress(toBinary(WriteRequestSchema, create(WriteRequestSchema, { timeseries }))),
  )
}

/** A series with one sample. */
export function gauge(labels: Record<string, string>, value: number, timestamp = 0): SentSeries {
  return { labels, samples: [{ value, timestamp: BigInt(timestamp) }] }
}
