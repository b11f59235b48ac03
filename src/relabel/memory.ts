/**
 * What rules have found out about values they have met: a small cache for each function, of fixed size, in which a new
 * value takes the place of an old one. A Map is no better where values repeat, and costs more than most rules where
 * they don't.
 */
export interface Memory {
  /** `compute`, which depends on its argument only, with results remembered. */
  remember<V>(compute: (key: string) => V): (key: string) => V
  /** The same for what is a function of two strings: looking up both is cheaper than joining them. */
  rememberPair<V>(compute: (first: string, second: string) => V): (a: string, b: string) => V
  /** Frees all that is remembered. */
  forget(): void
}

/** Values that one function remembers at the most; a power of two. */
export const SLOTS = 1024
/** Longer values are not remembered. UTF-16 code units. */
export const LONGEST = 256

interface Entry<V> {
  readonly first: string
  readonly second: string
  readonly result: V
}

/** An empty memory. */
export function createMemory(): Memory {
  const caches: { forget(): void }[] = []

  function rememberPair<V>(compute: (first: string, second: string) => V) {
    let entries: (Entry<V> | undefined)[] = []
    caches.push({ forget: () => (entries = []) })
    return (first: string, second: string): V => {
      const at = (spread(first) * 5 + spread(second)) & (SLOTS - 2)
      // Two entries share a place, so that two values in turn don't chase each other out.
      const newer = entries[at]
      if (newer !== undefined && newer.first === first && newer.second === second)
        return newer.result
      const older = entries[at + 1]
      if (older !== undefined && older.first === first && older.second === second)
        return older.result
      const result = compute(first, second)
      if (first.length + second.length > LONGEST) return result
      if (entries.length === 0) entries = new Array(SLOTS).fill(undefined)
      entries[at + 1] = newer
      entries[at] = { first, second, result }
      return result
    }
  }

  return {
    remember<V>(compute: (key: string) => V) {
      const remembered = rememberPair(compute)
      return (key: string): V => remembered(key, '')
    },
    rememberPair,
    forget() {
      for (const cache of caches) cache.forget()
    },
  }
}

/** A number for a string, from its length and a few characters all over it: what differs is often one of them. */
function spread(s: string): number {
  const n = s.length
  if (n < 4) return n === 0 ? 0 : Math.imul(s.charCodeAt(0) * 31 + s.charCodeAt(n - 1), 37) + n
  let h = n
  for (let i = 1; i <= 4; i++) h = Math.imul(h, 31) + s.charCodeAt(n - i)
  h = Math.imul(h, 31) + s.charCodeAt(n >> 1)
  h = Math.imul(h, 31) + s.charCodeAt(n >> 2)
  h = Math.imul(h, 31) + s.charCodeAt(n - (n >> 2) - 1)
  return h ^ (h >>> 11)
}
