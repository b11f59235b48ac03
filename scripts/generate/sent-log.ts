/** Which requests were sent with which times, and what became of them: what verification goes by. Nine bytes a request. */
export interface SentLog {
  /** The next round of this chunk was sent with this time, later than that of the round before. */
  sent(chunk: number, timestamp: number): void
  acknowledge(chunk: number, round: number): void
  /** How many rounds were sent. */
  rounds(chunk: number): number
  /** NaN for a round that was not sent. */
  timestamp(chunk: number, round: number): number
  isAcknowledged(chunk: number, round: number): boolean
  /** The first round with a time after this one; `rounds` when there is none. */
  firstAfter(chunk: number, timestamp: number): number
  /** The times of all requests lie within these; undefined when there are none. */
  readonly span: { readonly first: number; readonly last: number } | undefined
}

/** So many requests of a run are remembered: there must not be more. */
export const MOST_REMEMBERED = 20_000_000

interface Rounds {
  times: Float64Array
  acknowledged: Uint8Array
  length: number
}

/** An empty log of so many chunks. */
export function createSentLog(chunks: number): SentLog {
  const log = new Array<Rounds | undefined>(chunks)
  let span: { first: number; last: number } | undefined

  const roundsOf = (chunk: number): Rounds =>
    (log[chunk] ??= { times: new Float64Array(4), acknowledged: new Uint8Array(4), length: 0 })

  return {
    sent(chunk, timestamp) {
      const rounds = roundsOf(chunk)
      const { times, acknowledged, length } = rounds
      if (length === times.length) {
        rounds.times = new Float64Array(length * 2)
        rounds.times.set(times)
        rounds.acknowledged = new Uint8Array(length * 2)
        rounds.acknowledged.set(acknowledged)
      }
      rounds.times[length] = timestamp
      rounds.length += 1
      span ??= { first: timestamp, last: timestamp }
      span.first = Math.min(span.first, timestamp)
      span.last = Math.max(span.last, timestamp)
    },
    acknowledge(chunk, round) {
      roundsOf(chunk).acknowledged[round] = 1
    },
    rounds: (chunk) => log[chunk]?.length ?? 0,
    timestamp(chunk, round) {
      const rounds = log[chunk]
      return rounds !== undefined && round < rounds.length ? rounds.times[round]! : Number.NaN
    },
    isAcknowledged: (chunk, round) => log[chunk]?.acknowledged[round] === 1,
    firstAfter(chunk, timestamp) {
      const rounds = log[chunk]
      let low = 0
      let high = rounds?.length ?? 0
      while (low < high) {
        const middle = (low + high) >>> 1
        if (rounds!.times[middle]! > timestamp) high = middle
        else low = middle + 1
      }
      return low
    },
    get span() {
      return span
    },
  }
}
