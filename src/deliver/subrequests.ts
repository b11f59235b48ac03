/** What is left of the requests to origins that one incoming request may cause. */
export interface Subrequests {
  /** Takes one; false when there is none left, and then nothing may be sent. */
  take(): boolean
}

/** A budget of `limit` requests. */
export function subrequests(limit: number): Subrequests {
  let left = limit
  return {
    take() {
      if (left <= 0) return false
      left--
      return true
    },
  }
}

/**
 * One budget per origin out of `limit`, in the order of `planned`, the payloads of each. An
 * origin's own payloads are set aside for it; retries, redirects and halves of all draw on what is
 * over, so that one origin's 413s never cost another its first try.
 */
export function shareSubrequests(limit: number, planned: readonly number[]): Subrequests[] {
  let left = limit
  const reserved = planned.map((wanted) => {
    const granted = Math.min(wanted, left)
    left -= granted
    return subrequests(granted)
  })
  const common = subrequests(left)
  return reserved.map((own) => ({ take: () => own.take() || common.take() }))
}
