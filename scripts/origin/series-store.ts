import { createArrivalQueue } from './arrival-queue.ts'
import { sortedLabels } from './check-labels.ts'
import { StoredSeries } from './stored-series.ts'

/** Points that came in, by series; the oldest go first. */
export interface SeriesStore {
  /** Points that are kept. */
  readonly points: number
  /** Points that had to go. */
  readonly dropped: number
  readonly series: number
  /** The series with these labels, names and values in turn and in any order: made where there is none. Add a point to it before asking for another. */
  open(labels: readonly string[]): StoredSeries
  sample(series: StoredSeries, time: number, value: number): void
  /** The end of a series. */
  stale(series: StoredSeries, time: number): void
  /** A histogram of remote write 2.0, binary; the store's from now on. */
  histogram(series: StoredSeries, time: number, bytes: Uint8Array): void
  /** All series, or those of one name. Not to be kept over a change. */
  all(name?: string): Iterable<StoredSeries>
}

/** What a store may hold. */
export interface StoreLimits {
  /** Points; a histogram is one for every 16 bytes of it. */
  readonly points: number
  readonly series: number
  /** Characters of the labels of all series. */
  readonly characters: number
}

/** Series and their labels that fit beside a million points. */
export const STORE_LIMITS: StoreLimits = {
  points: 5_000_000,
  series: 1_000_000,
  characters: 2 ** 29,
}

/** An empty store. It is over its limits by no more than what was added last. */
export function createSeriesStore(limits: StoreLimits = STORE_LIMITS): SeriesStore {
  const byName = new Map<string, Map<string, StoredSeries>>()
  const byId: (StoredSeries | undefined)[] = []
  const freeIds: number[] = []
  const arrivals = createArrivalQueue()
  let weight = 0
  let dropped = 0
  let series = 0
  let characters = 0

  function added(to: StoredSeries, bytes: number): void {
    arrivals.push(to.id)
    weight += weightOf(bytes)
    // The last one stays, so that whoever adds to a series can go on.
    while (
      arrivals.size > 1 &&
      (weight > limits.points || series > limits.series || characters > limits.characters)
    )
      dropOldest()
  }

  function dropOldest(): void {
    const from = byId[arrivals.shift()]!
    weight -= weightOf(from.dropFirst())
    dropped += 1
    if (from.first === from.end) forget(from)
  }

  function forget({ id, key, name }: StoredSeries): void {
    const namesakes = byName.get(name)
    namesakes?.delete(key)
    if (namesakes?.size === 0) byName.delete(name)
    byId[id] = undefined
    freeIds.push(id)
    series -= 1
    characters -= key.length
  }

  return {
    get points() {
      return arrivals.size
    },
    get dropped() {
      return dropped
    },
    get series() {
      return series
    },
    open(labels) {
      const sorted = sortedLabels(labels)
      const key = JSON.stringify(sorted)
      const name = nameOf(sorted)
      let namesakes = byName.get(name)
      const known = namesakes?.get(key)
      if (known !== undefined) return known
      if (namesakes === undefined) byName.set(name, (namesakes = new Map()))
      const made = new StoredSeries(freeIds.pop() ?? byId.length, key, name)
      byId[made.id] = made
      namesakes.set(key, made)
      series += 1
      characters += key.length
      return made
    },
    sample(to, time, value) {
      to.append(time, value)
      added(to, 0)
    },
    stale(to, time) {
      to.appendStale(time)
      added(to, 0)
    },
    histogram(to, time, bytes) {
      to.appendHistogram(time, bytes)
      added(to, bytes.length)
    },
    *all(name) {
      if (name !== undefined) yield* byName.get(name)?.values() ?? []
      else for (const namesakes of byName.values()) yield* namesakes.values()
    },
  }
}

function nameOf(labels: readonly string[]): string {
  for (let i = 0; i < labels.length; i += 2) if (labels[i] === '__name__') return labels[i + 1]!
  return ''
}

function weightOf(bytes: number): number {
  return 1 + Math.ceil(bytes / 16)
}
