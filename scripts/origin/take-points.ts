import type { Findings } from './problems.ts'
import type { SeriesStore } from './series-store.ts'
import type { StoredSeries } from './stored-series.ts'

/** How far ahead of its receiver a sender's clock may be, as Prometheus has it. Milliseconds. */
const MAX_AHEAD = 10 * 60_000

/** Points of each kind: those of a request, or those of it that were written. */
export interface PointCounts {
  samples: number
  histograms: number
  exemplars: number
}

/** Where points go: the store, and what is wrong with them. */
export interface Taking {
  readonly store: SeriesStore
  readonly findings: Findings
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Of all points that came. */
  readonly came: PointCounts
  /** Of those with which nothing is wrong, in a series with which nothing is wrong. */
  readonly written: PointCounts
}

/** Takes one point and counts it: as written too when its series is sound and `take` finds nothing that is refused. */
export function takeOne(
  { findings, came, written }: Taking,
  sound: boolean,
  kind: keyof PointCounts,
  take: () => void,
): void {
  const before = findings.refused
  take()
  came[kind] += 1
  if (sound && findings.refused === before) written[kind] += 1
}

/** Checks the time of a sample, its place among the others of its series, and stores it, whatever is wrong. */
export function takeSample(
  { store, findings, now }: Taking,
  series: StoredSeries,
  time: number,
  value: number,
  where: () => string,
): void {
  checkTime(time, now, where, findings)
  if (time <= series.latest) {
    const before = series.find(time)
    const same = before >= 0 && !series.histogram(before) && sameBits(series.value(before), value)
    tellOrder(series, time, before, same, where, findings)
  }
  store.sample(series, time, value)
}

/** As `takeSample`, of a sample that says the series has ended. */
export function takeStale(
  { store, findings, now }: Taking,
  series: StoredSeries,
  time: number,
  where: () => string,
): void {
  checkTime(time, now, where, findings)
  if (time <= series.latest) {
    const before = series.find(time)
    tellOrder(series, time, before, false, where, findings)
  }
  store.stale(series, time)
}

/** As `takeSample`, of a histogram in its binary form, which is the same in 1.0 and 2.0. The store keeps the bytes. */
export function takeHistogram(
  { store, findings, now }: Taking,
  series: StoredSeries,
  time: number,
  bytes: Uint8Array,
  where: () => string,
): void {
  checkTime(time, now, where, findings)
  if (time <= series.latest) {
    const before = series.find(time)
    const same = before >= 0 && Buffer.compare(series.histogram(before) ?? EMPTY, bytes) === 0
    tellOrder(series, time, before, same, where, findings)
  }
  store.histogram(series, time, bytes)
}

const EMPTY = new Uint8Array()

/** A time that no clock shows: too large to be milliseconds, or more than ten minutes ahead. */
export function checkTime(
  time: number,
  now: number,
  where: () => string,
  findings: Findings,
): void {
  if (time > now + MAX_AHEAD) findings.add('time', where, `${timeText(time)} is in the future`)
  else if (!Number.isSafeInteger(time)) findings.add('time', where, `${time} ms is out of range`)
}

function tellOrder(
  { latest }: StoredSeries,
  time: number,
  before: number,
  same: boolean,
  where: () => string,
  findings: Findings,
): void {
  if (before >= 0) {
    const value = same ? 'the same value' : 'another value'
    findings.add(
      same ? 'duplicate' : 'conflict',
      where,
      `${value} at ${timeText(time)} came before`,
    )
    return
  }
  const late = latest - time
  findings.add('out_of_order', where, `${timeText(time)} is ${late} ms older than one before it`)
}

const scratch = new DataView(new ArrayBuffer(16))

function sameBits(a: number, b: number): boolean {
  scratch.setFloat64(0, a)
  scratch.setFloat64(8, b)
  return scratch.getBigUint64(0) === scratch.getBigUint64(8)
}

/** As milliseconds and, where there is one, as a date. */
function timeText(time: number): string {
  return Math.abs(time) <= 8.64e15 ? `${time} (${new Date(time).toISOString()})` : String(time)
}
