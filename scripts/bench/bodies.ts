import SnappyJS from 'snappyjs'
import { type BodyOptions, FIRST_STAMP, requestBodies } from './shape.ts'

/** Requests of a shape as a sender would compress them, all samples of the time `stamp`. Same arguments, same bytes. */
export function compressedBodies(options: BodyOptions, stamp = FIRST_STAMP): Uint8Array[] {
  return [...requestBodies(options)].map((body) => {
    body.stamp(stamp)
    return SnappyJS.compress(body.bytes)
  })
}

/** Series of each request of a load. */
export const SERIES_PER_REQUEST = 2000

/**
 * Requests for a load: of each slice of the series, as often as it takes to have times that go on for a while, ending now.
 */
export function loadBodies(options: Omit<BodyOptions, 'perRequest'>): Uint8Array[] {
  const count = Math.ceil(options.series / SERIES_PER_REQUEST)
  const stamps = Math.max(1, Math.floor(200 / count))
  const start = Date.now() - stamps * 1000
  return Array.from({ length: stamps }, (_, i) =>
    compressedBodies({ ...options, perRequest: SERIES_PER_REQUEST }, start + i * 1000),
  ).flat()
}

/** Hands out the elements one after the other, over and over. */
export function inTurn<T>(elements: readonly T[]): () => T {
  let next = 0
  return () => elements[next++ % elements.length]
}
