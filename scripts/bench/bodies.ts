import SnappyJS from 'snappyjs'
import { type BodyOptions, FIRST_STAMP, requestBodies } from './shape.ts'

/** Requests of a shape as a sender would compress them, all samples of the time `stamp`. Same arguments, same bytes. */
export function compressedBodies(options: BodyOptions, stamp = FIRST_STAMP): Uint8Array[] {
  return [...requestBodies(options)].map((body) => {
    body.stamp(stamp)
    return SnappyJS.compress(body.bytes)
  })
}

/** Hands out the elements one after the other, over and over. */
export function inTurn<T>(elements: readonly T[]): () => T {
  let next = 0
  return () => elements[next++ % elements.length]
}
