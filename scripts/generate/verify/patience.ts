import { setTimeout as sleep } from 'node:timers/promises'

/** How long is waited for what is still on its way. */
export interface Patience {
  /** Waits a little, each time a little longer. False at once when the time is up, or when it was called off. */
  wait(): Promise<boolean>
}

const FIRST_WAIT = 200
const LONGEST_WAIT = 2000

/** Waits so many milliseconds in all, counted from now. The signal calls it off. */
export function createPatience(milliseconds: number, signal: AbortSignal): Patience {
  const until = performance.now() + milliseconds
  let next = FIRST_WAIT
  return {
    async wait() {
      const left = until - performance.now()
      if (left <= 0 || signal.aborted) return false
      try {
        await sleep(Math.min(next, left), undefined, { signal })
      } catch (error) {
        if (!signal.aborted) throw error
        return false
      }
      next = Math.min(next * 1.5, LONGEST_WAIT)
      return true
    },
  }
}
