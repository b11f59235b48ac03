import type { Frame } from './framed-template.ts'
import {
  bucketCount,
  EXPLICIT_BOUNDS,
  HISTOGRAM_BUCKETS,
  histogramSum,
} from './histogram-counts.ts'
import { MessageBuffer } from './message-buffer.ts'
import type { MessageWriter } from './message-writer.ts'
import { append, type OtlpFormat, otlpGroups } from './otlp-groups.ts'
import { type OtlpFrames, type OtlpShape, otlpShapes } from './otlp-plan.ts'
import type { ExtraLabels } from './series-labels.ts'
import type { SeriesKind, SeriesSet } from './series-set.ts'

// ExportMetricsServiceRequest   resource_metrics=1 repeated ResourceMetrics
// ResourceMetrics      resource=1 Resource  scope_metrics=2 repeated ScopeMetrics
// Resource             attributes=1 repeated KeyValue
// ScopeMetrics         metrics=2 repeated Metric
// Metric               name=1  description=2  unit=3 string  oneof: gauge=5 Gauge  sum=7 Sum  histogram=9 Histogram
// Gauge, Sum, Histogram   data_points=1 repeated  aggregation_temporality=2 enum (not Gauge)  is_monotonic=3 bool (Sum)
// NumberDataPoint      start_time_unix_nano=2  time_unix_nano=3 fixed64  as_double=4 double  as_int=6 sfixed64  attributes=7 repeated KeyValue
// HistogramDataPoint   start_time_unix_nano=2  time_unix_nano=3  count=4 fixed64  sum=5 double  bucket_counts=6 repeated fixed64
//                      explicit_bounds=7 repeated double  attributes=9 repeated KeyValue
// KeyValue             key=1 string  value=2 AnyValue(string_value=1)
const DATA: Readonly<Record<SeriesKind, number>> = { gauge: 0x2a, counter: 0x3a, histogram: 0x4a }
const POINT_ATTRIBUTE: Readonly<Record<SeriesKind, number>> = {
  gauge: 0x3a,
  counter: 0x3a,
  histogram: 0x4a,
}

/** A nested message: where it begins, and about how long it is. */
interface Level {
  start: number
  guess: number
}

/** Writes OTLP as protobuf. `startTime` in milliseconds. */
export function otlpProtobuf(
  set: SeriesSet,
  extra: ExtraLabels,
  startTime: number | undefined,
): MessageWriter {
  return otlpGroups(set, otlpShapes(set, extra, FRAMES), protobufFormat(startTime ?? 0))
}

function protobufFormat(startTime: number): OtlpFormat {
  const message = new MessageBuffer()
  // What comes before the attributes: the same for all points of a kind.
  const points: Record<SeriesKind, MessageBuffer> = {
    gauge: new MessageBuffer(),
    counter: new MessageBuffer(),
    histogram: new MessageBuffer(),
  }
  const level = (): Level => ({ start: 0, guess: 0 })
  const [resource, scope, metric, data, point] = [level(), level(), level(), level(), level()]
  const enter = (tag: number, at: Level) => {
    message.byte(tag)
    at.start = message.open(at.guess)
  }
  const leave = (at: Level) => {
    at.guess = message.close(at.start, at.guess)
  }
  let kind: SeriesKind = 'gauge'

  return {
    message,
    begin(timestamp, value) {
      message.clear()
      for (const buffer of Object.values(points)) buffer.clear()
      writeTimes(points.gauge, 0, timestamp)
      points.gauge.byte(0x21)
      points.gauge.double(value)
      writeTimes(points.counter, startTime, timestamp)
      points.counter.byte(0x31)
      points.counter.fixed64(value)
      writeTimes(points.histogram, startTime, timestamp)
      writeBuckets(points.histogram, value)
    },
    end() {},
    openResource(attributes) {
      enter(0x0a, resource)
      message.byte(0x0a)
      message.varint(attributes.length)
      message.append(attributes)
      enter(0x12, scope)
    },
    closeResource() {
      leave(scope)
      leave(resource)
    },
    openMetric(shape, name) {
      kind = shape.kind
      enter(0x12, metric)
      message.append(name)
      message.constant(shape.metadata)
      enter(DATA[kind], data)
    },
    closeMetric() {
      if (kind !== 'gauge') {
        message.byte(0x10)
        message.byte(2)
      }
      if (kind === 'counter') {
        message.byte(0x18)
        message.byte(1)
      }
      leave(data)
      leave(metric)
    },
    point({ attributes }: OtlpShape, id, generation) {
      enter(0x0a, point)
      message.append(points[kind])
      for (let i = 0; i < attributes.length; i++) append(message, attributes[i]!, id, generation)
      leave(point)
    },
  }
}

function writeTimes(into: MessageBuffer, start: number, timestamp: number): void {
  if (start > 0) {
    into.byte(0x11)
    into.fixed64(start, 1_000_000)
  }
  if (timestamp > 0) {
    into.byte(0x19)
    into.fixed64(timestamp, 1_000_000)
  }
}

function writeBuckets(into: MessageBuffer, count: number): void {
  if (count > 0) {
    into.byte(0x21)
    into.fixed64(count)
  }
  into.byte(0x29)
  into.double(histogramSum(count))
  into.byte(0x32)
  into.varint(HISTOGRAM_BUCKETS * 8)
  for (let i = 0; i < HISTOGRAM_BUCKETS; i++) into.fixed64(bucketCount(count, i))
  into.byte(0x3a)
  into.varint(EXPLICIT_BOUNDS.length * 8)
  for (const bound of EXPLICIT_BOUNDS) into.double(bound)
}

function writeText(into: MessageBuffer, tag: number, text: string): void {
  into.byte(tag)
  const start = into.open(0)
  into.text(text)
  into.close(start, 0)
}

const FRAMES: OtlpFrames = {
  name: {
    overhead: 10,
    write(value, into) {
      into.byte(0x0a)
      into.varint(value.length)
      into.append(value)
    },
  },
  metadata(description, unit, into) {
    if (description !== '') writeText(into, 0x12, description)
    if (unit !== '') writeText(into, 0x1a, unit)
  },
  resourceAttribute: (key) => attribute(key, 0x0a),
  pointAttribute: (key, kind) => attribute(key, POINT_ATTRIBUTE[kind]),
}

function attribute(key: string, tag: number): Frame {
  const bytes = Buffer.from(key)
  return {
    overhead: key.length + 32,
    write(value, into) {
      into.byte(tag)
      const whole = into.open(0)
      into.byte(0x0a)
      into.varint(bytes.length)
      into.constant(bytes)
      into.byte(0x12)
      const any = into.open(0)
      into.byte(0x0a)
      into.varint(value.length)
      into.append(value)
      into.close(any, 0)
      into.close(whole, 0)
    },
  }
}
