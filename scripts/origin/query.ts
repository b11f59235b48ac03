import { valueText } from '../value-text.ts'
import { histogramJson } from './histogram-json.ts'
import type { Matcher, Selector } from './selector.ts'
import type { SeriesStore } from './series-store.ts'
import type { StoredSeries } from './stored-series.ts'

/**
 * The answer of Prometheus' /api/v1/query to a selector, in pieces: each is of one series as it is when it is asked for. A range gives a
 * matrix of all points after `time` minus the range up to `time`, in the order they came in, what came twice twice; an instant gives a
 * vector of the latest points up to `time`, however old they are. Times are milliseconds. Stale markers are `stale`.
 */
export function* queryAnswer(
  store: SeriesStore,
  { matchers, range }: Selector,
  time: number,
): Generator<string> {
  yield `{"status":"success","data":{"resultType":"${range === undefined ? 'vector' : 'matrix'}","result":[`
  let before = ''
  const write = range === undefined ? instantOf : rangeOf(range)
  // What comes in while the answer is sent is not in it.
  for (const series of [...candidates(store, matchers)]) {
    const labels: unknown = JSON.parse(series.key)
    const metric = metricOf(labels as string[])
    if (!matchers.every(({ label, matches }) => matches(metric.get(label) ?? ''))) continue
    const points = write(series, time)
    if (points === '') continue
    yield `${before}{"metric":${JSON.stringify(Object.fromEntries(metric))},${points}}`
    before = ','
  }
  yield ']}}'
}

function candidates(store: SeriesStore, matchers: readonly Matcher[]): Iterable<StoredSeries> {
  const name = matchers.find(({ label, op }) => label === '__name__' && op === '=')?.value
  return name === undefined || name === '' ? store.all() : store.all(name)
}

function metricOf(labels: readonly string[]): Map<string, string> {
  const metric = new Map<string, string>()
  for (let i = 0; i < labels.length; i += 2) metric.set(labels[i]!, labels[i + 1]!)
  return metric
}

function rangeOf(range: number) {
  return (series: StoredSeries, time: number): string => {
    const values: string[] = []
    const histograms: string[] = []
    for (let i = series.first; i < series.end; i++) {
      const at = series.time(i)
      if (at > time || at <= time - range) continue
      const list = series.histogram(i) === undefined ? values : histograms
      list.push(pointText(series, i))
    }
    return [
      ...(values.length > 0 ? [`"values":[${values.join(',')}]`] : []),
      ...(histograms.length > 0 ? [`"histograms":[${histograms.join(',')}]`] : []),
    ].join(',')
  }
}

/** Of points of the same time the last that came. */
function instantOf(series: StoredSeries, time: number): string {
  let latest = -1
  for (let i = series.first; i < series.end; i++) {
    const at = series.time(i)
    if (at <= time && (latest < 0 || at >= series.time(latest))) latest = i
  }
  if (latest < 0) return ''
  const key = series.histogram(latest) === undefined ? 'value' : 'histogram'
  return `"${key}":${pointText(series, latest)}`
}

/** Seconds, as the API has times, and the value. */
function pointText(series: StoredSeries, position: number): string {
  const bytes = series.histogram(position)
  const value = bytes === undefined ? valueText(series.value(position)) : histogramJson(bytes)
  return `[${series.time(position) / 1000},${JSON.stringify(value)}]`
}
