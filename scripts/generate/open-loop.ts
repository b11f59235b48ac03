import { chunkQueue } from './chunk-queue.ts'
import type { Chunks } from './chunks.ts'
import type { Schedule } from './schedule.ts'

const IDLE = 0
const QUEUED = 1
const BUSY = 2

/**
 * Requests are due at fixed times, whatever the receiver does: so many samples a second from `start` on, and none at
 * `until` or later. One whose chunk is busy, or that nobody asks for in time, waits: it still counts from when it was due.
 * What waits is not kept, but computed: memory is by the number of chunks.
 */
export function openLoop(
  chunks: Chunks,
  samplesPerSecond: number,
  start: number,
  until: number,
): Schedule {
  const { count, series, perRequest } = chunks
  const states = new Uint8Array(count)
  const rounds = new Float64Array(count)
  const ready = chunkQueue(count)
  /** Requests that have become due, and those of them that have begun. */
  let dues = 0
  let begun = 0

  /** When request `n` of all is due: chunks take turns. */
  const dueAt = (n: number) => {
    const samplesBefore = Math.floor(n / count) * series + (n % count) * perRequest
    return start + (samplesBefore / samplesPerSecond) * 1000
  }
  const advance = (now: number) => {
    for (let due = dueAt(dues); due <= now && due < until; due = dueAt(++dues)) {
      const chunk = dues % count
      if (states[chunk] !== IDLE) continue
      states[chunk] = QUEUED
      ready.push(chunk)
    }
  }

  return {
    next(now) {
      advance(now)
      const chunk = ready.shift()
      if (chunk === undefined) return undefined
      const round = rounds[chunk]!
      states[chunk] = BUSY
      rounds[chunk] = round + 1
      begun += 1
      return { chunk, round, due: dueAt(round * count + chunk) }
    },
    answered(chunk) {
      // Its next round may have become due while it was busy.
      const waits = rounds[chunk]! * count + chunk < dues
      states[chunk] = waits ? QUEUED : IDLE
      if (waits) ready.push(chunk)
    },
    nextAt() {
      if (ready.length > 0) return Number.NEGATIVE_INFINITY
      const due = dueAt(dues)
      return due < until ? due : Number.POSITIVE_INFINITY
    },
    behind(now) {
      advance(now)
      return dues - begun
    },
  }
}
