/** How the series are divided among requests: runs of ids, one after the other, of which the last may be shorter. */
export interface Chunks {
  /** Of all chunks together: ids are from 0 up to it. */
  readonly series: number
  /** Series of each chunk but the last. */
  readonly perRequest: number
  readonly count: number
  /** The first series of a chunk. */
  first(chunk: number): number
  /** How many series it has. */
  size(chunk: number): number
  /** The chunk that a series is in. */
  of(seriesId: number): number
}

/** Divides so many series. Both numbers are from 1 on. */
export function chunksOf(series: number, perRequest: number): Chunks {
  return {
    series,
    perRequest,
    count: Math.ceil(series / perRequest),
    first: (chunk) => chunk * perRequest,
    size: (chunk) => Math.min(perRequest, series - chunk * perRequest),
    of: (seriesId) => Math.floor(seriesId / perRequest),
  }
}
