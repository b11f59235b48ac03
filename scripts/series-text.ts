import { fromBinary } from '@bufbuild/protobuf'
import { type Exemplar, type Label, WriteRequestSchema } from '../src/wire/gen/prometheus_pb.js'
import { RequestSchema } from '../src/wire/gen/prometheus-write-v2_pb.js'
import { type AnyHistogram, histogramText, valueText } from './value-text.ts'

type LabelPair = Pick<Label, 'name' | 'value'>

interface Series {
  readonly labels: readonly LabelPair[]
  readonly samples: readonly { readonly value: number; readonly timestamp: bigint }[]
  readonly histograms: readonly (AnyHistogram & { readonly timestamp: bigint })[]
  readonly exemplars: readonly (Pick<Exemplar, 'value' | 'timestamp'> & {
    readonly labels: readonly LabelPair[]
  })[]
}

/**
 * The points of remote write messages, not compressed, a line each: `name{label="value"} value timestamp_ms`, those of
 * one series in time order, series by their text. A name that is not one of old, or of a label, is quoted as in PromQL:
 * `{"http.requests", "a.b"="c"}`. An exemplar follows the first point that is not before it, as in OpenMetrics, but
 * with milliseconds.
 */
export function seriesText(messages: readonly Uint8Array[], version: 1 | 2): string[] {
  const all = messages.flatMap((message) => (version === 1 ? read1(message) : read2(message)))
  // A series may be in several messages, its exemplars in another one than its points.
  const bySeries = Map.groupBy(all, ({ labels }) => nameText(labels))
  return [...bySeries]
    .sort(([a], [b]) => compare(a, b))
    .flatMap(([name, parts]) => linesOf(name, parts))
}

function compare<T>(a: T, b: T): number {
  return a < b ? -1 : Number(a > b)
}

function read1(message: Uint8Array): readonly Series[] {
  return fromBinary(WriteRequestSchema, message).timeseries
}

function read2(message: Uint8Array): readonly Series[] {
  const { symbols, timeseries } = fromBinary(RequestSchema, message)
  const labelsOf = (refs: readonly number[]): LabelPair[] =>
    Array.from({ length: refs.length / 2 }, (_, i) => ({
      name: symbols[refs[2 * i]!]!,
      value: symbols[refs[2 * i + 1]!]!,
    }))
  return timeseries.map(({ labelsRefs, samples, histograms, exemplars }) => ({
    labels: labelsOf(labelsRefs),
    samples,
    histograms,
    exemplars: exemplars.map(({ labelsRefs, value, timestamp }) => ({
      labels: labelsOf(labelsRefs),
      value,
      timestamp,
    })),
  }))
}

function linesOf(name: string, parts: readonly Series[]): string[] {
  const points = [
    ...parts.flatMap(({ samples }) =>
      samples.map(({ value, timestamp }) => ({ timestamp, value: valueText(value) })),
    ),
    ...parts.flatMap(({ histograms }) =>
      histograms.map((one) => ({ timestamp: one.timestamp, value: histogramText(one) })),
    ),
  ].sort((a, b) => compare(a.timestamp, b.timestamp))
  const lines = points.map(({ value, timestamp }) => `${name} ${value} ${timestamp}`)
  for (const { labels, value, timestamp } of parts.flatMap(({ exemplars }) => exemplars)) {
    const at = points.findIndex((point) => point.timestamp >= timestamp)
    const line = at < 0 ? Math.max(0, lines.length - 1) : at
    lines[line] = `${lines[line] ?? name} # ${labelsText(labels)} ${valueText(value)} ${timestamp}`
  }
  return lines
}

function nameText(labels: readonly LabelPair[]): string {
  const name = labels.find((label) => label.name === '__name__')?.value ?? ''
  const rest = labels.filter((label) => label.name !== '__name__')
  if (!/^[a-zA-Z_:][\w:]*$/.test(name)) return labelsText(rest, JSON.stringify(name))
  return rest.length === 0 ? name : `${name}${labelsText(rest)}`
}

function labelsText(labels: readonly LabelPair[], first?: string): string {
  const pairs = labels.map(({ name, value }) => {
    const label = /^[a-zA-Z_]\w*$/.test(name) ? name : JSON.stringify(name)
    return `${label}=${JSON.stringify(value)}`
  })
  return `{${[...(first === undefined ? [] : [first]), ...pairs].join(',')}}`
}
