import type { Label } from '../wire/gen/prometheus_pb.js'
import { lastPoint, type Point } from './point-text.ts'
import type { LogTotals, StoredRequest } from './request-log.ts'
import { timeSeriesOf } from './time-series-of.ts'

/** A snappy block decoder. What it returns may be lent: it is read before the next call, and not kept. */
export type DecodeSnappy = (body: Uint8Array) => Uint8Array

/** Which series to list. */
export interface SeriesQuery {
  /** Part of the metric's name, in any case; empty for all. */
  readonly name: string
  readonly limit: number
}

/** A series and its last point. */
export interface RecentSeries extends Point {
  readonly name: string
  /** All labels but the name, in the order of their names. */
  readonly labels: Readonly<Record<string, string>>
  /** Seconds between the point's timestamp and now; below zero when the sender's clock is ahead. */
  readonly age: number
}

/** What was read to make a list. */
export interface Scanned {
  readonly requests: number
  /** Compressed. */
  readonly bytes: number
  /** Distinct series, those the filter left out included. */
  readonly series: number
  /** Samples and native histograms. */
  readonly samples: number
  /** Requests that could not be decoded, and what was wrong with the newest of them. */
  readonly unreadable: number
  readonly problem?: string
}

/** The series that arrived last, what is stored in all, and how much of it was read. */
export interface SeriesList {
  readonly series: readonly RecentSeries[]
  readonly stored: LogTotals
  readonly scanned: Scanned
}

/** Decoding stops after this much, whatever the limit: a body can be twenty times as large as its snappy form. */
const DECODED_BYTES = 32 * 1024 * 1024
/** The list stops when its labels have this many characters, whatever the limit. */
const LABEL_CHARACTERS = 2 * 1024 * 1024

/**
 * Lists the series of `requests` (newest first), each once, with its last point: first those of the newest request, in
 * the order it has them. Stops after the request that fills the limit. A request that can't be decoded is counted and
 * passed over from there on.
 */
export function recentSeries(
  requests: Iterable<StoredRequest>,
  decodeSnappy: DecodeSnappy,
  query: SeriesQuery,
  now: number,
): Omit<SeriesList, 'stored'> {
  const wanted = query.name.toLowerCase()
  const seen = new Set<string>()
  const series: RecentSeries[] = []
  const scanned = { requests: 0, bytes: 0, samples: 0, unreadable: 0 }
  let problem: string | undefined
  let decoded = 0
  let characters = 0

  for (const { body } of requests) {
    scanned.requests += 1
    scanned.bytes += body.byteLength
    const ofRequest = new Map<string, RecentSeries>()
    try {
      const message = decodeSnappy(body)
      decoded += message.byteLength
      for (const sent of timeSeriesOf(message)) {
        scanned.samples += sent.samples.length + sent.histograms.length
        const point = lastPoint(sent)
        if (!point) continue
        const labels = sortedPairs(sent.labels)
        const key = JSON.stringify(labels)
        const earlier = ofRequest.get(key)
        if (seen.has(key) || (earlier && earlier.timestamp > point.timestamp)) continue
        ofRequest.set(key, describe(labels, point, now))
      }
    } catch (cause) {
      scanned.unreadable += 1
      problem ??= cause instanceof Error ? cause.message : String(cause)
    }
    for (const [key, found] of ofRequest) {
      seen.add(key)
      if (series.length >= query.limit || characters > LABEL_CHARACTERS) continue
      if (!found.name.toLowerCase().includes(wanted)) continue
      series.push(found)
      characters += key.length
    }
    if (series.length >= query.limit || characters > LABEL_CHARACTERS || decoded > DECODED_BYTES) {
      break
    }
  }
  return { series, scanned: { ...scanned, series: seen.size, ...(problem && { problem }) } }
}

type Pair = readonly [name: string, value: string]

function sortedPairs(labels: readonly Label[]): Pair[] {
  const pairs = labels.map(({ name, value }): Pair => [name, value])
  return pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

function describe(pairs: readonly Pair[], point: Point, now: number): RecentSeries {
  const name = pairs.find(([label]) => label === '__name__')?.[1] ?? ''
  return {
    name,
    labels: Object.fromEntries(pairs.filter(([label]) => label !== '__name__')),
    ...point,
    age: (now - point.timestamp) / 1000,
  }
}
