/** Time as the load sees it. */
export interface Clock {
  /** Milliseconds since some moment, never less than before. */
  now(): number
  /** Calls `then` after so many milliseconds, or as soon as other work is done if there are none. Returns what calls it off. */
  after(milliseconds: number, then: () => void): () => void
}

/** The machine's. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, then) {
    if (milliseconds <= 0) {
      const immediate = setImmediate(then)
      return () => clearImmediate(immediate)
    }
    // Longer ones would fire at once.
    const timer = setTimeout(then, Math.min(milliseconds, 2 ** 31 - 1))
    return () => clearTimeout(timer)
  },
}
