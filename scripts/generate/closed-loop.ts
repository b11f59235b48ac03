import { chunkQueue } from './chunk-queue.ts'
import type { Chunks } from './chunks.ts'
import type { Schedule } from './schedule.ts'

/** A request may begin whenever somebody asks: that of the chunk whose last answer is the longest ago. None at `until` or later. */
export function closedLoop(chunks: Chunks, until: number): Schedule {
  const rounds = new Float64Array(chunks.count)
  const idle = chunkQueue(chunks.count)
  for (let chunk = 0; chunk < chunks.count; chunk++) idle.push(chunk)
  return {
    next(now) {
      const chunk = now < until ? idle.shift() : undefined
      return chunk === undefined ? undefined : { chunk, round: rounds[chunk]!++, due: now }
    },
    answered: (chunk) => idle.push(chunk),
    nextAt: () => (idle.length > 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY),
    behind: () => 0,
  }
}
