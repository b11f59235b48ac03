import type { Frame } from './framed-template.ts'
import {
  bucketCount,
  EXPLICIT_BOUNDS,
  HISTOGRAM_BUCKETS,
  histogramSum,
} from './histogram-counts.ts'
import { MessageBuffer } from './message-buffer.ts'
import type { MessageWriter } from './message-writer.ts'
import { type OtlpFormat, otlpGroups } from './otlp-groups.ts'
import { type OtlpFrames, type OtlpShape, otlpShapes } from './otlp-plan.ts'
import type { ExtraLabels } from './series-labels.ts'
import type { SeriesKind, SeriesSet } from './series-set.ts'

const COMMA = 44
/** What a metric's data begins with, and ends with after its points. */
const OPENING: Readonly<Record<SeriesKind, Buffer>> = {
  gauge: Buffer.from(',"gauge":{"dataPoints":['),
  counter: Buffer.from(',"sum":{"dataPoints":['),
  histogram: Buffer.from(',"histogram":{"dataPoints":['),
}
const CLOSING: Readonly<Record<SeriesKind, Buffer>> = {
  gauge: Buffer.from(']}}'),
  counter: Buffer.from('],"aggregationTemporality":2,"isMonotonic":true}}'),
  histogram: Buffer.from('],"aggregationTemporality":2}}'),
}
const RESOURCE_START = Buffer.from('{"resource":{"attributes":[')
const METRICS_START = Buffer.from(']},"scopeMetrics":[{"metrics":[')
const RESOURCE_END = Buffer.from(']}]}')
const POINT_END = Buffer.from(']}')

/** Writes OTLP as JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): 64-bit integers are strings. `startTime` in milliseconds. */
export function otlpJson(
  set: SeriesSet,
  extra: ExtraLabels,
  startTime: number | undefined,
): MessageWriter {
  return otlpGroups(set, otlpShapes(set, extra, FRAMES), jsonFormat(startTime ?? 0))
}

function jsonFormat(startTime: number): OtlpFormat {
  const message = new MessageBuffer()
  // What comes before the attributes: the same for all points of a kind.
  const points: Record<SeriesKind, MessageBuffer> = {
    gauge: new MessageBuffer(),
    counter: new MessageBuffer(),
    histogram: new MessageBuffer(),
  }
  let kind: SeriesKind = 'gauge'
  let firstResource = true
  let firstMetric = true
  let firstPoint = true

  return {
    message,
    begin(timestamp, value) {
      message.clear()
      message.text('{"resourceMetrics":[')
      firstResource = true
      for (const buffer of Object.values(points)) buffer.clear()
      writeTimes(points.gauge, 0, timestamp)
      points.gauge.text(',"asDouble":')
      points.gauge.decimal(value)
      writeTimes(points.counter, startTime, timestamp)
      points.counter.text(',"asInt":"')
      points.counter.decimal(value)
      points.counter.text('"')
      writeTimes(points.histogram, startTime, timestamp)
      writeBuckets(points.histogram, value)
      for (const buffer of Object.values(points)) buffer.text(',"attributes":[')
    },
    end() {
      message.text(']}')
    },
    openResource(attributes) {
      if (!firstResource) message.byte(COMMA)
      firstResource = false
      message.constant(RESOURCE_START)
      // Each begins with a comma.
      if (attributes.length > 0) message.copy(attributes.bytes, 1, attributes.length - 1)
      message.constant(METRICS_START)
      firstMetric = true
    },
    closeResource() {
      message.constant(RESOURCE_END)
    },
    openMetric(shape, name) {
      kind = shape.kind
      if (!firstMetric) message.byte(COMMA)
      firstMetric = false
      message.append(name)
      message.constant(shape.metadata)
      message.constant(OPENING[kind])
      firstPoint = true
    },
    closeMetric() {
      message.constant(CLOSING[kind])
    },
    point({ attributes }: OtlpShape, id, generation) {
      if (!firstPoint) message.byte(COMMA)
      firstPoint = false
      message.append(points[kind])
      for (let i = 0; i < attributes.length; i++) {
        const attribute = attributes[i]!
        attribute.find(id, generation)
        // Without the comma that each begins with.
        const skip = i === 0 ? 1 : 0
        message.copy(attribute.bytes, attribute.start + skip, attribute.length - skip)
      }
      message.constant(POINT_END)
    },
  }
}

function writeTimes(into: MessageBuffer, start: number, timestamp: number): void {
  into.text('{')
  if (start > 0) {
    into.text('"startTimeUnixNano":"')
    into.decimal(start)
    into.text('000000",')
  }
  into.text('"timeUnixNano":"')
  into.decimal(timestamp)
  into.text('000000"')
}

function writeBuckets(into: MessageBuffer, count: number): void {
  into.text(',"count":"')
  into.decimal(count)
  into.text('","sum":')
  into.text(String(histogramSum(count)))
  into.text(',"bucketCounts":[')
  for (let i = 0; i < HISTOGRAM_BUCKETS; i++) {
    into.text(i === 0 ? '"' : ',"')
    into.decimal(bucketCount(count, i))
    into.byte(34)
  }
  into.text(`],"explicitBounds":[${EXPLICIT_BOUNDS.join(',')}]`)
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

const ATTRIBUTE_END = Buffer.from('"}}')
const NAME_START = Buffer.from('{"name":"')
const NAME_END = Buffer.from('"')

const FRAMES: OtlpFrames = {
  name: {
    overhead: 20,
    literal: escaped,
    write(value, into) {
      into.constant(NAME_START)
      into.append(value)
      into.constant(NAME_END)
    },
  },
  metadata(description, unit, into) {
    if (description !== '') into.text(`,"description":${JSON.stringify(description)}`)
    if (unit !== '') into.text(`,"unit":"${unit}"`)
  },
  resourceAttribute: attribute,
  pointAttribute: attribute,
}

function attribute(key: string): Frame {
  const opening = Buffer.from(`,{"key":"${key}","value":{"stringValue":"`)
  return {
    overhead: key.length + 48,
    literal: escaped,
    write(value, into) {
      into.constant(opening)
      into.append(value)
      into.constant(ATTRIBUTE_END)
    },
  }
}
