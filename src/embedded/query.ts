import type { SeriesQuery } from './recent-series.ts'

/** Most series one answer lists. */
export const MAX_SERIES = 1000
/** Longest filter, in characters. */
export const MAX_NAME = 200
/** Series listed when nothing is said. */
export const DEFAULT_SERIES = 200

/** Reads `name` and `limit` of a query string; a string is what is wrong with them. */
export function parseSeriesQuery(parameters: URLSearchParams): SeriesQuery | string {
  const name = (parameters.get('name') ?? '').trim()
  if (name.length > MAX_NAME) return `name is longer than ${MAX_NAME} characters`
  const limit = parameters.get('limit') || String(DEFAULT_SERIES)
  if (!/^[0-9]{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > MAX_SERIES) {
    return `limit is not a number from 1 to ${MAX_SERIES}`
  }
  return { name, limit: Number(limit) }
}
