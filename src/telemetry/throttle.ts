/** Decides which of many equal events are told. */
export interface Throttle {
  /**
   * Null when this event is not to be told; else how many before it were not, since the last that
   * was.
   */
  take(key: string): number | null
}

/** Keys that are told apart; all further ones share a window. */
const MAX_KEYS = 100
const WINDOW = 60_000

/** Tells at most `perMinute` events of a key in a minute. `now` is in milliseconds. */
export function createThrottle(perMinute: number, now: () => number): Throttle {
  const fresh = () => ({ since: Number.NEGATIVE_INFINITY, told: 0, untold: 0 })
  const windows = new Map<string, ReturnType<typeof fresh>>()
  const shared = fresh()

  function windowOf(key: string): ReturnType<typeof fresh> {
    let window = windows.get(key)
    if (window === undefined) {
      if (windows.size >= MAX_KEYS) return shared
      windows.set(key, (window = fresh()))
    }
    return window
  }

  return {
    take(key) {
      const window = windowOf(key)
      const time = now()
      if (time - window.since >= WINDOW || time < window.since) {
        window.since = time
        window.told = 0
      }
      if (window.told >= perMinute) {
        window.untold++
        return null
      }
      window.told++
      const untold = window.untold
      window.untold = 0
      return untold
    },
  }
}
