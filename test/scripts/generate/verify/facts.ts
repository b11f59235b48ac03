// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import { chunksOf } from '../../../../scripts/generate/chunks.ts'
import { expected } from '../../../../scripts/generate/expected.ts'
import type { Protocol } from '../../../../scripts/generate/request-writer.ts'
import { createSentLog } from '../../../../scripts/generate/sent-log.ts'
import { sequenceNumber } from '../../../../scripts/generate/sequence.ts'
import { type SeriesKind, seriesSet } from '../../../../scripts/generate/series-set.ts'
import type { RunFacts } from '../../../../scripts/generate/verify/run-facts.ts'
import { RUN_LABEL, withPlaces } from '../../../../scripts/generate/verify/run-labels.ts'
import type { StoredSeries } from '../../../../scripts/generate/verify/stored-points.ts'

export const START = 1_700_000_000_000

/** What a run is, for tests. */
export interface FactsOptions {
  readonly protocol?: Protocol
  readonly kind?: SeriesKind
  readonly series?: number
  readonly perRequest?: number
  readonly rounds?: number
  /** Milliseconds between rounds. */
  readonly interval?: number
  /** Requests that were not acknowledged, as `chunk.round`. */
  readonly unacknowledged?: readonly string[]
  readonly churn?: boolean
}

/** A run of four series in requests of two, three rounds, unless said otherwise. */
export function factsOf(options: FactsOptions = {}): RunFacts {
  const { protocol = 'remotewrite1', kind = 'gauge', series = 4, perRequest = 2 } = options
  const { rounds = 3, interval = 1000, unacknowledged = [], churn = false } = options
  const labels = { __name__: 'm', pod: churn ? 'p-${series_id}-${generation}' : 'p-${series_id}' }
  const plain = seriesSet({ labels, kind }, churn ? { group: 1, rounds: 2 } : undefined)
  const set = withPlaces(plain)
  const chunks = chunksOf(series, perRequest)
  const sent = createSentLog(chunks.count)
  for (let round = 0; round < rounds; round++) {
    for (let chunk = 0; chunk < chunks.count; chunk++) {
      sent.sent(chunk, START + round * interval + chunk)
      if (!unacknowledged.includes(`${chunk}.${round}`)) sent.acknowledge(chunk, round)
    }
  }
  const explicit = protocol.startsWith('otlp')
  const all = expected(protocol, set, { [RUN_LABEL]: 'run' })
  return {
    run: 'run',
    set,
    chunks,
    sent,
    expected: all,
    explicit,
    onlyHistograms: kind === 'histogram',
  }
}

/** What a receiver has when it has all of it: a series for each id, and for each generation of it. */
export function storedOf(facts: RunFacts): StoredSeries[] {
  const { chunks, sent, expected } = facts
  const found = new Map<string, { labels: Record<string, string>; points: Point[] }>()
  for (let id = 0; id < chunks.series; id++) {
    const chunk = chunks.of(id)
    for (let round = 0; round < sent.rounds(chunk); round++) {
      const { labels, read } = expected.series(id, round)
      const plain = Object.fromEntries(labels)
      const key = JSON.stringify(plain)
      const series = found.get(key) ?? { labels: plain, points: [] }
      found.set(key, series)
      const text = String(sequenceNumber(chunks.count, chunk, round))
      series.points.push({ timestamp: sent.timestamp(chunk, round), read, text })
    }
  }
  return [...found.values()]
}

type Point = { timestamp: number; read: 'value' | 'count'; text: string }
