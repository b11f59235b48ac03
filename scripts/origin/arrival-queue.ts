const FIRST_ROOM = 1024

/** Numbers of 32 bits, the first that came leaves first; 4 bytes each. */
export interface ArrivalQueue {
  readonly size: number
  push(id: number): void
  /** There must be one. */
  shift(): number
}

/** An empty queue. */
export function createArrivalQueue(): ArrivalQueue {
  let ring = new Uint32Array(FIRST_ROOM)
  let head = 0
  let size = 0
  return {
    get size() {
      return size
    },
    push(id) {
      if (size === ring.length) {
        const next = new Uint32Array(size * 2)
        next.set(ring.subarray(head))
        next.set(ring.subarray(0, head), size - head)
        ring = next
        head = 0
      }
      ring[(head + size) % ring.length] = id
      size += 1
    },
    shift() {
      const id = ring[head]!
      head = (head + 1) % ring.length
      size -= 1
      return id
    },
  }
}
