/** Times of samples. */
export interface Stamps {
  /** Milliseconds since 1970 for the next request of this chunk, which is its `round`th. `now` is the time of day. */
  next(chunk: number, round: number, now: number): number
  /** How far they got ahead of the time of day, in milliseconds: receivers refuse what is too far. */
  readonly ahead: number
}

/**
 * Times for so many chunks, which for each go up by a millisecond at least. Without an `interval` they are the time of
 * day; with one, each round is so many milliseconds after the one before, the first at `start`.
 */
export function createStamps(chunks: number, start: number, interval?: number): Stamps {
  const last = new Float64Array(chunks)
  let ahead = 0
  return {
    next(chunk, round, now) {
      const wanted =
        interval === undefined ? Math.max(now, last[chunk]! + 1) : start + round * interval
      last[chunk] = wanted
      ahead = Math.max(ahead, wanted - now)
      return wanted
    },
    get ahead() {
      return ahead
    },
  }
}
