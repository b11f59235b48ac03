import { sequenceNumber } from '../sequence.ts'
import { generationOf } from '../series-set.ts'
import { createFindings, type Findings } from './findings.ts'
import type { RunFacts } from './run-facts.ts'
import { seriesIdOf } from './run-labels.ts'
import { compareSeries, type Reading } from './series-difference.ts'
import type { StoredPoint, StoredSeries } from './stored-points.ts'

/** Samples of a run: those of the series [first, end) with times after `after` up to `until`, milliseconds since 1970. */
export interface Piece {
  readonly first: number
  readonly end: number
  readonly after: number
  readonly until: number
}

/** Compares what a receiver has of a piece with what was sent. Takes a byte for each sample. */
export interface Tally {
  /** Series of other pieces are not given; points outside of the piece are passed over. */
  take(series: StoredSeries): void
  /** Acknowledged samples that were not there so far. */
  readonly missing: number
  /** Samples that were right, also those that were not acknowledged. */
  readonly found: number
  /** Acknowledged samples of the piece. */
  readonly acknowledged: number
  /** Labels that series were given on the way: the first of them. */
  readonly added: ReadonlySet<string>
  /** All that is wrong; what is missing is lost. Ends the tally. */
  close(): Findings
}

/** So many names of labels are kept. */
const MOST_ADDED = 20

interface Rounds {
  readonly firstRound: number
  readonly firstSeries: number
  readonly width: number
  /** By round, then by series: 1 where the sample was there. */
  readonly seen: Uint8Array
}

/** How many samples of a piece were sent. */
export function samplesOf(facts: RunFacts, piece: Piece): number {
  let sum = 0
  for (const { rounds, width } of chunksOfPiece(facts, piece)) sum += rounds * width
  return sum
}

/** Begins to compare. */
export function createTally(facts: RunFacts, piece: Piece): Tally {
  const { chunks, sent, expected } = facts
  const findings = createFindings()
  const added = new Set<string>()
  const byChunk = new Map<number, Rounds>()
  let acknowledged = 0
  let missing = 0
  let found = 0

  for (const { chunk, firstRound, rounds, firstSeries, width } of chunksOfPiece(facts, piece)) {
    const seen = new Uint8Array(rounds * width)
    byChunk.set(chunk, { firstRound, firstSeries, width, seen })
    for (let i = 0; i < rounds; i++) {
      if (sent.isAcknowledged(chunk, firstRound + i)) acknowledged += width
    }
  }
  missing = acknowledged

  function takePoint(
    id: number | undefined,
    labels: StoredSeries['labels'],
    point: StoredPoint,
    readingOf: (round: number) => Reading,
  ): void {
    const { timestamp, text } = point
    if (timestamp <= piece.after || timestamp > piece.until) return
    const inside = id !== undefined && id >= piece.first && id < piece.end
    const chunk = inside ? chunks.of(id) : -1
    const rounds = byChunk.get(chunk)
    const round = sent.firstAfter(chunk, timestamp - 1)
    if (rounds === undefined || sent.timestamp(chunk, round) !== timestamp) {
      findings.add({ kind: 'unsent', labels, timestamp, found: text })
      return
    }
    const reading = readingOf(round)
    if (reading === 'other part') return
    const value = sequenceNumber(chunks.count, chunk, round)
    const place = (round - rounds.firstRound) * rounds.width + id! - rounds.firstSeries
    const before = rounds.seen[place] === 1
    rounds.seen[place] = 1
    if (!before && sent.isAcknowledged(chunk, round)) missing -= 1
    const finding = { labels, timestamp, sent: value, found: text }
    if ('difference' in reading) {
      findings.add({ kind: 'changed', ...finding, what: reading.difference })
    } else if (reading.read !== point.read) {
      const what = point.read === 'count' ? 'it is a native histogram' : 'it is no native histogram'
      findings.add({ kind: 'changed', ...finding, what })
    } else if (Number(text) !== value) findings.add({ kind: 'changed', ...finding })
    else if (before) findings.add({ kind: 'doubled', ...finding })
    else found += 1
  }

  return {
    take({ labels, points }) {
      // What OTLP receivers make of a resource.
      if (facts.explicit && labels.__name__ === 'target_info') return
      const id = seriesIdOf(labels)
      let generation = -1
      let last: Reading = 'other part'
      const readingOf = (round: number): Reading => {
        const now = generationOf(facts.set, id!, round)
        if (now === generation) return last
        const series = expected.series(id!, round)
        generation = now
        last = compareSeries(labels, series, facts)
        if (last !== 'other part' && added.size < MOST_ADDED) {
          for (const name of Object.keys(labels)) if (!series.labels.has(name)) added.add(name)
        }
        return last
      }
      for (const point of points) takePoint(id, labels, point, readingOf)
    },
    get missing() {
      return missing
    },
    get found() {
      return found
    },
    acknowledged,
    added,
    close() {
      for (const [chunk, { firstRound, firstSeries, width, seen }] of byChunk) {
        for (let place = 0; place < seen.length; place++) {
          const round = firstRound + Math.floor(place / width)
          if (seen[place] === 1 || !sent.isAcknowledged(chunk, round)) continue
          if (!findings.open) {
            findings.count('lost')
            continue
          }
          const { labels } = expected.series(firstSeries + (place % width), round)
          findings.add({
            kind: 'lost',
            labels: Object.fromEntries(labels),
            timestamp: sent.timestamp(chunk, round),
            sent: sequenceNumber(chunks.count, chunk, round),
          })
        }
      }
      return findings
    },
  }
}

/** The parts of a piece by chunk, without those that are empty. */
function* chunksOfPiece({ chunks, sent }: RunFacts, { first, end, after, until }: Piece) {
  for (let chunk = chunks.of(first); chunk < chunks.count && chunks.first(chunk) < end; chunk++) {
    const firstRound = sent.firstAfter(chunk, after)
    const rounds = sent.firstAfter(chunk, until) - firstRound
    const firstSeries = Math.max(chunks.first(chunk), first)
    const width = Math.min(chunks.first(chunk) + chunks.size(chunk), end) - firstSeries
    if (rounds > 0) yield { chunk, firstRound, rounds, firstSeries, width }
  }
}
