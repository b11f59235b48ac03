/** Chunks that wait, the longest first: each at most once, so that there is room for all. */
export interface ChunkQueue {
  push(chunk: number): void
  /** Undefined when none waits. */
  shift(): number | undefined
  readonly length: number
}

/** An empty queue with room for so many. */
export function chunkQueue(room: number): ChunkQueue {
  const ring = new Int32Array(room)
  let head = 0
  let length = 0
  return {
    push(chunk) {
      if (length === room) throw new Error('BUG: a chunk waits twice')
      ring[(head + length++) % room] = chunk
    },
    shift() {
      if (length === 0) return undefined
      const chunk = ring[head]!
      head = (head + 1) % room
      length -= 1
      return chunk
    },
    get length() {
      return length
    },
  }
}
