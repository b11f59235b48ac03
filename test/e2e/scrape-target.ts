import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { familiesAt } from './families.ts'
import { nativeHistograms, PROTOBUF_TYPE } from './native-histograms.ts'
import { OPENMETRICS_TYPE, openMetrics } from './openmetrics.ts'
import type { Rig } from './rig.ts'
import {
  floatBits,
  type Labels,
  type Point,
  type SeriesMap,
  STALE,
  seriesKey,
  seriesLabels,
} from './series.ts'

/** One answered scrape of /metrics. */
export interface Scrape {
  /** When it was answered, milliseconds since the epoch. */
  readonly at: number
  /** The bits of each float shown, by `seriesKey` of what was exposed (no job, no instance). */
  readonly values: ReadonlyMap<string, string>
}

/** A small HTTP server to scrape that knows what it showed. */
export interface ScrapeTarget {
  /** Host and port. */
  readonly address: string
  /** Every scrape of /metrics so far, in order. */
  readonly scrapes: readonly Scrape[]
  /** How many scrapes of /native were answered. */
  nativeScrapes(): number
}

/** Serves OpenMetrics under /metrics and native histograms under /native. Meant for one scraper, whose scrapes it counts. */
export async function startScrapeTarget(rig: Rig): Promise<ScrapeTarget> {
  const scrapes: Scrape[] = []
  let natives = 0
  const server = createServer((request, response) => {
    if (request.url === '/native') {
      response.setHeader('content-type', PROTOBUF_TYPE).end(nativeHistograms(natives++))
      return
    }
    response
      .setHeader('content-type', OPENMETRICS_TYPE)
      .end(openMetrics(familiesAt(scrapes.length)))
    scrapes.push(scrapeOf(scrapes.length))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  rig.onEnd(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { address: `127.0.0.1:${port}`, scrapes, nativeScrapes: () => natives }
}

function scrapeOf(n: number): Scrape {
  const points = familiesAt(n).flatMap((family) => family.points)
  const key = ({ name, labels }: (typeof points)[number]) =>
    seriesKey({ __name__: name, ...labels })
  return {
    at: Date.now(),
    values: new Map(points.map((point) => [key(point), valueBits(point.value)])),
  }
}

/** Go's ordinary NaN, whatever NaN JavaScript has. */
function valueBits(value: number): string {
  return Number.isNaN(value) ? '7ff8000000000001' : floatBits(value)
}

/**
 * What a database must hold after `scrapes` with the job's own `labels`: every value, and a stale marker where a series went
 * away. The `n`th scrape has the time `timeOf(n)`.
 */
export function shownSeries(
  scrapes: readonly Scrape[],
  labels: Labels,
  timeOf: (n: number) => number,
): SeriesMap {
  const result = new Map<string, Point[]>()
  let before: ReadonlyMap<string, string> = new Map()
  scrapes.forEach(({ values }, n) => {
    const gone = [...before.keys()].filter((key) => !values.has(key))
    for (const [key, value] of [...values, ...gone.map((key) => [key, STALE] as const)]) {
      const series = seriesKey({ ...seriesLabels(key), ...labels })
      const points = result.get(series) ?? []
      points.push({ time: timeOf(n), value })
      result.set(series, points)
    }
    before = values
  })
  return result
}
