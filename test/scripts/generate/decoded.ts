import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { fromBinary, fromJsonString, toBinary } from '@bufbuild/protobuf'
import { uncompress } from 'snappyjs'
import type { Encoding, Protocol } from '../../../scripts/generate/request-writer.ts'
import {
  type ExportMetricsServiceRequest,
  ExportMetricsServiceRequestSchema,
  type HistogramDataPoint,
  type KeyValue,
  type Metric,
  type NumberDataPoint,
} from '../../../src/wire/gen/opentelemetry_pb.js'
import { WriteRequestSchema } from '../../../src/wire/gen/prometheus_pb.js'
import { RequestSchema } from '../../../src/wire/gen/prometheus-write-v2_pb.js'

/** A sample as protobuf-es reads it. */
export interface DecodedSample {
  /** As they come, `__name__` among them. */
  readonly labels: readonly (readonly [string, string])[]
  readonly read: 'value' | 'count'
  readonly value: number
  /** Milliseconds. */
  readonly timestamp: bigint
  readonly type?: string
  readonly help?: string
  readonly unit?: string
}

/** The message of a body. */
export function decompressed(encoding: Encoding, body: Uint8Array): Uint8Array {
  if (encoding === 'snappy') return uncompress(new Uint8Array(body))
  if (encoding === 'zstd') return zstdDecompressSync(body)
  if (encoding === 'gzip') return gunzipSync(body)
  return body
}

/** The samples of a message, in their order. Throws where the message breaks a rule of its protocol. */
export function decoded(protocol: Protocol, message: Uint8Array): DecodedSample[] {
  if (protocol === 'remotewrite1') return decodedV1(message)
  if (protocol === 'remotewrite2') return decodedV2(message)
  if (protocol === 'otlp')
    return decodedOtlp(fromBinary(ExportMetricsServiceRequestSchema, message))
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(message)
  return decodedOtlp(
    fromJsonString(ExportMetricsServiceRequestSchema, text, { ignoreUnknownFields: false }),
  )
}

/** The message as protobuf-es writes what it read. */
export function rewritten(protocol: Protocol, message: Uint8Array): Uint8Array {
  if (protocol === 'remotewrite1') {
    return toBinary(WriteRequestSchema, fromBinary(WriteRequestSchema, message))
  }
  if (protocol === 'remotewrite2') {
    return toBinary(RequestSchema, fromBinary(RequestSchema, message))
  }
  const request = fromBinary(ExportMetricsServiceRequestSchema, message)
  return toBinary(ExportMetricsServiceRequestSchema, request)
}

interface Counted {
  readonly count: { case: string | undefined; value?: bigint | number }
  readonly zeroCount: { case: string | undefined; value?: bigint | number }
  readonly positiveSpans: readonly { length: number }[]
  readonly positiveDeltas: readonly bigint[]
}

function nativeCount({ count, zeroCount, positiveSpans, positiveDeltas }: Counted): number {
  if (count.case !== 'countInt' || zeroCount.case !== 'zeroCountInt') throw new Error('no counts')
  let bucket = 0n
  let sum = zeroCount.value as bigint
  for (const delta of positiveDeltas) {
    bucket += delta
    if (bucket < 0n) throw new Error('a bucket is negative')
    sum += bucket
  }
  if (sum !== count.value) throw new Error(`buckets are ${sum} together, not ${count.value}`)
  const spans = positiveSpans.reduce((total, { length }) => total + length, 0)
  if (spans !== positiveDeltas.length) throw new Error('spans and buckets differ')
  return Number(sum)
}

function one<T>(items: readonly T[]): T {
  if (items.length !== 1) throw new Error(`there are ${items.length}, not one`)
  return items[0]!
}

function decodedV1(message: Uint8Array): DecodedSample[] {
  return fromBinary(WriteRequestSchema, message).timeseries.map((series) => {
    const labels = series.labels.map(({ name, value }) => [name, value] as const)
    if (series.histograms.length === 0) {
      const { value, timestamp } = one(series.samples)
      return { labels, read: 'value', value, timestamp }
    }
    const histogram = one(series.histograms)
    if (series.samples.length > 0) throw new Error('samples and histograms')
    const { timestamp } = histogram
    return { labels, read: 'count', value: nativeCount(histogram), timestamp }
  })
}

function decodedV2(message: Uint8Array): DecodedSample[] {
  const { symbols, timeseries } = fromBinary(RequestSchema, message)
  if (symbols[0] !== '') throw new Error('the first symbol is not empty')
  if (new Set(symbols).size !== symbols.length) throw new Error('a symbol is there twice')
  const used = new Set([0])
  const symbol = (ref: number): string => {
    const text = symbols[ref]
    if (text === undefined) throw new Error(`there is no symbol ${ref}`)
    used.add(ref)
    return text
  }
  const samples = timeseries.map((series): DecodedSample => {
    const refs = series.labelsRefs
    if (refs.length % 2 !== 0) throw new Error('a name has no value')
    const labels = Array.from(
      { length: refs.length / 2 },
      (_, i) => [symbol(refs[2 * i]!), symbol(refs[2 * i + 1]!)] as const,
    )
    const { type, helpRef, unitRef } = series.metadata!
    const metadata = {
      type: ['', 'counter', 'gauge', 'histogram'][type],
      help: symbol(helpRef),
      unit: symbol(unitRef),
    }
    if (series.histograms.length === 0) {
      const { value, timestamp } = one(series.samples)
      return { labels, read: 'value', value, timestamp, ...metadata }
    }
    const histogram = one(series.histograms)
    if (series.samples.length > 0) throw new Error('samples and histograms')
    const { timestamp } = histogram
    return { labels, read: 'count', value: nativeCount(histogram), timestamp, ...metadata }
  })
  if (used.size !== symbols.length) throw new Error('a symbol is not used')
  return samples
}

function decodedOtlp({ resourceMetrics }: ExportMetricsServiceRequest): DecodedSample[] {
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) => {
    const identity = attributes(resource!.attributes).map(([key, value]) => {
      const label = { 'service.name': 'job', 'service.instance.id': 'instance' }[key]
      if (label === undefined) throw new Error(`${key} makes no label`)
      return [label, value] as const
    })
    return one(scopeMetrics).metrics.flatMap((metric) => points(metric, identity))
  })
}

function points(
  { name, description: help, unit, data }: Metric,
  identity: readonly (readonly [string, string])[],
): DecodedSample[] {
  const of = (point: NumberDataPoint | HistogramDataPoint, suffix: string, value: number) => {
    if (point.timeUnixNano % 1_000_000n !== 0n) throw new Error('no whole millisecond')
    const labels = [
      ['__name__', name + suffix] as const,
      ...identity,
      ...attributes(point.attributes),
    ].sort(([a], [b]) => (a < b ? -1 : 1))
    const timestamp = point.timeUnixNano / 1_000_000n
    return { labels, read: 'value' as const, value, timestamp, help, unit }
  }
  switch (data.case) {
    case 'gauge':
      return data.value.dataPoints.map((point) => {
        if (point.value.case !== 'asDouble') throw new Error('no double')
        return { ...of(point, '', point.value.value), type: 'gauge' }
      })
    case 'sum':
      if (!data.value.isMonotonic || data.value.aggregationTemporality !== 2) {
        throw new Error('no counter')
      }
      return data.value.dataPoints.map((point) => {
        if (point.value.case !== 'asInt') throw new Error('no integer')
        return { ...of(point, '', Number(point.value.value)), type: 'counter' }
      })
    case 'histogram':
      if (data.value.aggregationTemporality !== 2) throw new Error('not cumulative')
      return data.value.dataPoints.map((point) => {
        const sum = point.bucketCounts.reduce((total, count) => total + count, 0n)
        if (sum !== point.count) throw new Error(`buckets are ${sum} together, not ${point.count}`)
        if (point.bucketCounts.length !== point.explicitBounds.length + 1) {
          throw new Error('bounds and buckets differ')
        }
        return { ...of(point, '_count', Number(sum)), type: 'histogram' }
      })
    default:
      throw new Error(`no data: ${data.case}`)
  }
}

function attributes(list: readonly KeyValue[]): (readonly [string, string])[] {
  return list.map(({ key, value }) => {
    if (value?.value.case !== 'stringValue') throw new Error(`${key} is no text`)
    return [key, value.value.value] as const
  })
}
