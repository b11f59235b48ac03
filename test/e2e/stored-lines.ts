import { bucketsOf } from './native-buckets.ts'
import type { Prometheus } from './prometheus.ts'
import { bitsFloat, type Labels, type SeriesMap, STALE, seriesLabels } from './series.ts'

/** What a Prometheus holds, for `storedLines`. */
export interface Stored {
  readonly points: SeriesMap
  readonly exemplars: SeriesMap
}

/** Reads all that a Prometheus holds, up to two hours ahead. Native histograms are written in one way only. */
export async function readStored(prometheus: Prometheus): Promise<Stored> {
  const points = await prometheus.read('.*', 0, Date.now() + 7_200_000)
  return { points: bucketsOf(points), exemplars: await prometheus.exemplars() }
}

/** `stored` without, or with nothing but, the series whose labels are `wanted`. */
export function filtered(stored: Stored, wanted: (labels: Labels) => boolean): Stored {
  const filter = (map: SeriesMap) => new Map([...map].filter(([key]) => wanted(seriesLabels(key))))
  return { points: filter(stored.points), exemplars: filter(stored.exemplars) }
}

/** Labels that tell where a point is from, not what it is. */
const ORIGINS = new Set([
  '__name__',
  'job',
  'service.name',
  'service_name',
  'host.name',
  'host_name',
])

/**
 * All points and exemplars of job `id` as text without times, sorted, ` xN` behind what is there N times. In names `id` is
 * written `m`, and `${id}n` as `n`.
 */
export function storedLines(stored: Stored, id: string): string[] {
  const { points, exemplars } = filtered(stored, ({ job }) => job === id)
  const counts = new Map<string, number>()
  const add = (line: string) => counts.set(line, (counts.get(line) ?? 0) + 1)
  for (const [key, values] of points) {
    for (const { value } of values) add(`${seriesText(seriesLabels(key), id)} ${valueText(value)}`)
  }
  for (const [key, values] of exemplars) {
    for (const { value } of values) {
      add(`exemplar ${seriesText(seriesLabels(key), id)} ${exemplarText(value)}`)
    }
  }
  const lines = [...counts].map(([line, count]) => (count > 1 ? `${line} x${count}` : line))
  return lines.sort()
}

function seriesText(labels: Labels, id: string): string {
  const name = labels.__name__ ?? ''
  const short = name === `${id}n` ? 'n' : name.startsWith(id) ? `m${name.slice(id.length)}` : name
  const shown = Object.entries(labels).filter(([label]) => !ORIGINS.has(label))
  return short + labelsText(Object.fromEntries(shown))
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

/** `value`: bits in hex, or a native histogram of `bucketsOf`. */
function valueText(value: string): string {
  if (value === STALE) return 'stale'
  if (!value.startsWith('{')) return String(bitsFloat(value))
  const { schema, count, zeroThreshold, zeroCount, negative, positive, customValues } =
    JSON.parse(value)
  const zero = `${zeroThreshold}/${zeroCount}`
  const buckets = `negative=${JSON.stringify(negative)} positive=${JSON.stringify(positive)}`
  return `native schema=${schema} count=${count} zero=${zero} ${buckets} bounds=${customValues}`
}

/** `value`: the labels as `seriesKey` has them, and the value, with a blank between. */
function exemplarText(value: string): string {
  const blank = value.lastIndexOf(' ')
  const labels = labelsText(seriesLabels(value.slice(0, blank)))
  return value.slice(blank + 1) + (labels && ` ${labels}`)
}
