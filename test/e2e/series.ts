/** A label set. */
export type Labels = Readonly<Record<string, string>>

/** One point as something that compares exactly: the bits of a float, or the fields of a native histogram. */
export interface Point {
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly value: string
}

/** What a database holds, or should hold: points in time order by `seriesKey`. */
export type SeriesMap = ReadonlyMap<string, readonly Point[]>

/** The stale marker's bits. */
export const STALE = '7ff0000000000002'

/** One string for equal label sets. Empty values count as absent. */
export function seriesKey(labels: Labels): string {
  const present = Object.entries(labels).filter(([, value]) => value !== '')
  return JSON.stringify(present.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The label set of a `seriesKey`. */
export function seriesLabels(key: string): Labels {
  return Object.fromEntries(JSON.parse(key))
}

/** The 64 bits of a double as 16 hex digits. A NaN that was read as a number has lost its payload before it comes here. */
export function floatBits(value: number): string {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  return bitsText(view.getBigUint64(0))
}

/** 64 bits as 16 hex digits. */
export function bitsText(bits: bigint): string {
  return bits.toString(16).padStart(16, '0')
}

/** The double of 16 hex digits. */
export function bitsFloat(text: string): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, BigInt(`0x${text}`))
  return view.getFloat64(0)
}

/** `series` with other labels; those for which `rename` gives undefined are left out. */
export function relabelled(
  series: SeriesMap,
  rename: (labels: Labels) => Labels | undefined,
): SeriesMap {
  const result = new Map<string, readonly Point[]>()
  for (const [key, points] of series) {
    const labels = rename(seriesLabels(key))
    if (labels === undefined) continue
    const renamed = seriesKey(labels)
    if (result.has(renamed)) throw new Error(`two series become ${renamed}`)
    result.set(renamed, points)
  }
  return result
}

/** `series` with only the points from `start` to `end`, both included; series without any are left out. */
export function between(series: SeriesMap, start: number, end: number): SeriesMap {
  const result = new Map<string, readonly Point[]>()
  for (const [key, points] of series) {
    const inside = points.filter(({ time }) => time >= start && time <= end)
    if (inside.length > 0) result.set(key, inside)
  }
  return result
}

/** What is missing, extra or not the same in `got`, one line each, at most 20. Empty when all is as it should be. */
export function differences(want: SeriesMap, got: SeriesMap): string[] {
  const lines: string[] = []
  for (const [key, points] of want) {
    const others = got.get(key)
    if (others === undefined) lines.push(`missing series ${key}`)
    else lines.push(...pointDifferences(key, points, others))
  }
  for (const key of got.keys()) if (!want.has(key)) lines.push(`extra series ${key}`)
  return lines.length > 20 ? [...lines.slice(0, 20), `and ${lines.length - 20} more`] : lines
}

function pointDifferences(key: string, want: readonly Point[], got: readonly Point[]): string[] {
  const text = ({ time, value }: Point) => `${time} ${value}`
  const wanted = want.map(text)
  const there = got.map(text)
  const lines = [
    ...wanted
      .filter((point) => !there.includes(point))
      .map((point) => `missing ${point} of ${key}`),
    ...there.filter((point) => !wanted.includes(point)).map((point) => `extra ${point} of ${key}`),
  ]
  if (lines.length === 0 && wanted.length !== there.length) lines.push(`twice: points of ${key}`)
  if (lines.length === 0 && wanted.join() !== there.join()) lines.push(`order of points of ${key}`)
  return lines
}

/** The same without some of the series. */
export function without(series: SeriesMap, isLeftOut: (labels: Labels) => boolean): SeriesMap {
  return relabelled(series, (labels) => (isLeftOut(labels) ? undefined : labels))
}
