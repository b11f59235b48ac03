import { tooLarge } from '../wire/request-error.ts'

/** Buffers for compressed payloads that live across awaits, used again instead of being allocated for every request. */
export interface PayloadPool {
  /** A copy of `bytes`; the caller's until it gives it back, once, with `give`. */
  copy(bytes: Uint8Array): Uint8Array
  give(bytes: Uint8Array): void
  /** Bytes that lie idle. */
  readonly idle: number
}

/** Smallest buffer. Sizes are powers of two from here. */
const SMALLEST = 4096

/** A pool that keeps at most `limit` idle bytes. */
export function createPayloadPool(limit = 4 * 1024 * 1024): PayloadPool {
  const shelves = new Map<number, ArrayBuffer[]>()
  let idle = 0
  return {
    copy(bytes) {
      const size = shelf(bytes.length)
      const kept = shelves.get(size)?.pop()
      if (kept !== undefined) idle -= size
      const copy = new Uint8Array(kept ?? new ArrayBuffer(size), 0, bytes.length)
      copy.set(bytes)
      return copy
    },
    give({ buffer }) {
      const size = buffer.byteLength
      if (idle + size > limit) return
      idle += size
      const kept = shelves.get(size)
      if (kept === undefined) shelves.set(size, [buffer as ArrayBuffer])
      else kept.push(buffer as ArrayBuffer)
    },
    get idle() {
      return idle
    },
  }
}

/** The pool as one request sees it: once it has handed out more than `most` bytes, buffers counted whole, it throws a RequestError instead. */
export function boundedPool(pool: PayloadPool, most: number): PayloadPool {
  let out = 0
  const give = (bytes: Uint8Array) => {
    out -= bytes.buffer.byteLength
    pool.give(bytes)
  }
  return {
    copy(bytes) {
      const copy = pool.copy(bytes)
      out += copy.buffer.byteLength
      if (out <= most) return copy
      give(copy)
      throw tooLarge(
        'memory',
        `this request would take more than ${most} bytes of memory on its way to the origins: send less at once`,
      )
    },
    give,
    get idle() {
      return pool.idle
    },
  }
}

function shelf(length: number): number {
  let size = SMALLEST
  while (size < length) size *= 2
  return size
}
