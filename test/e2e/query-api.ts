import { type Labels, type Point, type SeriesMap, seriesKey } from './series.ts'

/** One series as Prometheus' query API prints it, of an instant value or of a range such as `metric[5m]`. */
export interface QueryResult {
  readonly metric: Labels
  readonly value?: readonly [seconds: number, text: string]
  readonly values?: readonly (readonly [seconds: number, text: string])[]
  readonly histograms?: readonly (readonly [seconds: number, histogram: object])[]
}

/** `data` of an answer of Prometheus' HTTP API under `url`. Throws when it says anything but success. */
export async function queryApi<T>(
  url: string,
  path: string,
  parameters: Record<string, string> = {},
): Promise<T> {
  const response = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(parameters)}`)
  const answer = (await response.json()) as { status: string; error?: string; data: T }
  if (answer.status !== 'success') throw new Error(`${path}: ${answer.error}`)
  return answer.data
}

/** Ranges as points whose values are the API's own text, which tells every float but NaNs apart. */
export function printedPoints(results: readonly QueryResult[]): SeriesMap {
  const series = new Map<string, readonly Point[]>()
  for (const { metric, values = [], histograms = [] } of results) {
    const points = [...values, ...histograms].map(([seconds, value]) => ({
      time: Math.round(seconds * 1000),
      value: JSON.stringify(value),
    }))
    series.set(seriesKey(metric), points)
  }
  return series
}
