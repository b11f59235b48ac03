import type { Histogram, TimeSeries } from '../wire/gen/prometheus_pb.js'
import { valueText } from './point-text.ts'
import type { DecodeSnappy } from './recent-series.ts'
import type { NumberedRequest } from './request-log.ts'
import type { SamplesQuery } from './samples-query.ts'
import { timeSeriesOf } from './time-series-of.ts'

/** A series as one request had it: a line of a page of samples. */
export interface SampleLine {
  readonly labels: Readonly<Record<string, string>>
  /** Milliseconds since 1970, and the value as Prometheus writes it, or `stale`. */
  readonly samples?: readonly (readonly [timestamp: number, value: string])[]
  /** Native histograms: what they count. `stale` for a marker. */
  readonly histograms?: readonly (readonly [timestamp: number, count: string])[]
}

/** The last line of a page: without it the page is not whole. */
export interface SamplesEnd {
  /** Where the next page begins: what `after` is then. */
  readonly after: number
  /** Requests that were read; without any there is no next page, for now. */
  readonly requests: number
  /** Whether requests that came after the cursor were dropped before, to make room. */
  readonly dropped: boolean
  /** Requests that could not be read to their end, and why, of the first of them. */
  readonly unreadable: number
  readonly problem?: string
}

/**
 * A page as lines of JSON, each ended by a line break and made when it is asked for: a SampleLine for each series that
 * `query` matches, then a SamplesEnd. `requests` are those after the one with the id `after`, in the order they came in,
 * and nothing is taken out of them: what came twice is there twice.
 */
export function* sampleLines(
  requests: readonly NumberedRequest[],
  decodeSnappy: DecodeSnappy,
  { label, value }: SamplesQuery,
  after: number,
): Generator<string> {
  let unreadable = 0
  let problem: string | undefined
  for (const { body } of requests) {
    try {
      for (const series of timeSeriesOf(decodeSnappy(body))) {
        const found =
          label === '' || series.labels.some((l) => l.name === label && l.value === value)
        if (found) yield `${lineOf(series)}\n`
      }
    } catch (cause) {
      unreadable += 1
      problem ??= cause instanceof Error ? cause.message : String(cause)
    }
  }
  const end: SamplesEnd = {
    after: requests.at(-1)?.id ?? after,
    requests: requests.length,
    dropped: requests[0] !== undefined && requests[0].begins > after + 1,
    unreadable,
    ...(problem !== undefined && { problem }),
  }
  yield `${JSON.stringify(end)}\n`
}

/** Written by hand: as numbers the times of hostile senders would lose digits. */
function lineOf({ labels, samples, histograms }: TimeSeries): string {
  const pairs = labels.map(({ name, value }) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  const parts = [`"labels":{${pairs.join(',')}}`]
  const list = (name: string, points: readonly string[]) => {
    if (points.length > 0) parts.push(`"${name}":[${points.join(',')}]`)
  }
  list(
    'samples',
    samples.map(({ timestamp, value }) => `[${timestamp},"${valueText(value)}"]`),
  )
  list(
    'histograms',
    histograms.map((histogram) => `[${histogram.timestamp},"${countText(histogram)}"]`),
  )
  return `{${parts.join(',')}}`
}

function countText({ count, sum }: Histogram): string {
  if (valueText(sum) === 'stale') return 'stale'
  return count.case === 'countFloat' ? valueText(count.value) : String(count.value ?? 0)
}
