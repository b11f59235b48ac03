/** Latencies that were counted, in milliseconds. */
export interface Latencies {
  add(milliseconds: number): void
  readonly count: number
  /** Exact. */
  readonly max: number
  /** So large were a `share` of them at the most, 1 % too much at the most; NaN when there are none. */
  at(share: number): number
}

/** Each doubling is divided into so many buckets. */
const DIVISIONS = 128
/** What is counted apart: from a microsecond up to 12 days. */
const DOUBLINGS = 40

/** Counts by buckets whose bounds grow by a share: as much memory for any number. */
export function createLatencies(): Latencies {
  const counts = new Float64Array(DOUBLINGS * DIVISIONS)
  let count = 0
  let max = 0
  return {
    add(milliseconds) {
      const doublings = Math.log2(Math.max(milliseconds * 1000, 1))
      const bucket = Math.min(Math.floor(doublings * DIVISIONS), counts.length - 1)
      counts[bucket]! += 1
      count += 1
      max = Math.max(max, milliseconds)
    },
    get count() {
      return count
    },
    get max() {
      return count === 0 ? Number.NaN : max
    },
    at(share) {
      if (count === 0) return Number.NaN
      let left = Math.ceil(share * count)
      let bucket = 0
      while (bucket < counts.length - 1 && (left -= counts[bucket]!) > 0) bucket += 1
      return Math.min(2 ** ((bucket + 1) / DIVISIONS) / 1000, max)
    },
  }
}
