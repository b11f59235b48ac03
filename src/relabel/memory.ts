/**
 * What rules have found out about values they have met. Bounded as a whole, not per rule: when it is full, all of it is
 * forgotten, and what is still in use is soon back.
 */
export interface Memory {
  /** `compute`, which depends on its argument only and never returns undefined, with its results remembered. */
  remember<V>(compute: (key: string) => V): (key: string) => V
  /** The same for what is a function of two strings: looking up each is cheaper than joining them. */
  rememberPair<V>(compute: (first: string, second: string) => V): (a: string, b: string) => V
  forget(): void
}

/** `entries` in all, their keys no longer than `characters` together. */
export function createMemory(entries = 65_536, characters = 2_097_152): Memory {
  const maps: Map<string, unknown>[] = []
  let used = 0
  let length = 0
  const forget = () => {
    for (const map of maps) map.clear()
    used = 0
    length = 0
  }
  /** Counts one more entry; says so when that made all others go. */
  const note = (key: string): void => {
    if (used >= entries || length + key.length > characters) forget()
    used++
    length += key.length
  }
  return {
    remember<V>(compute: (key: string) => V) {
      const known = new Map<string, V>()
      maps.push(known)
      return (key: string): V => {
        const remembered = known.get(key)
        if (remembered !== undefined) return remembered
        const result = compute(key)
        note(key)
        known.set(key, result)
        return result
      }
    },
    rememberPair<V>(compute: (first: string, second: string) => V) {
      const known = new Map<string, Map<string, V>>()
      maps.push(known)
      return (first: string, second: string): V => {
        const remembered = known.get(first)?.get(second)
        if (remembered !== undefined) return remembered
        const result = compute(first, second)
        note(first)
        note(second)
        const seconds = known.get(first)
        if (seconds === undefined) known.set(first, new Map([[second, result]]))
        else seconds.set(second, result)
        return result
      }
    },
    forget,
  }
}
