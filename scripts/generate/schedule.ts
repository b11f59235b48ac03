/** A request that is to begin now: one sample of each series of a chunk. */
export interface Due {
  readonly chunk: number
  /** How often the chunk was sent before. */
  readonly round: number
  /** Since when its latency counts, in milliseconds of the clock. */
  readonly due: number
}

/**
 * Says which request is the next, and when. A chunk whose request was given is not given again before that was answered:
 * so each series' samples arrive in order. Knows the time from its callers only.
 */
export interface Schedule {
  /** The next request that may begin at `now`; undefined when there is none yet. */
  next(now: number): Due | undefined
  /** The request of this chunk has ended, however it did. */
  answered(chunk: number): void
  /** When there may be a next one though nothing is answered until then; Infinity when only an answer can bring it. */
  nextAt(): number
  /** How many were due by `now` and have not begun. */
  behind(now: number): number
}
