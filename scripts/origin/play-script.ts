import { seeded } from '../seeded.ts'
import type { Ending, Range, Script, Step, When } from './script.ts'
import type { Protocol } from './write-kind.ts'

/** What is done to one request. Times are milliseconds. */
export interface Treatment {
  /** Before the answer. */
  readonly latency: number
  /** How fast the body is read, in bytes a second; undefined: as fast as it comes. */
  readonly readRate: number | undefined
  /** How long the answer takes from its first byte to its last. */
  readonly answerOver: number
  /** What may become of the request, the first that applies; a 413 only does to what is too large. */
  readonly endings: readonly Ending[]
}

/** A script while it is played. */
export interface Player {
  /** What is done to the next request, which comes `elapsed` milliseconds after the origin began. */
  next(protocol: Protocol | undefined, elapsed: number): Treatment
  /** Requests that each step was for, in the order of the script. */
  readonly played: readonly number[]
}

/** Begins to play a script. What it does depends on the seed, on the order of requests and, where a step says so, on the time. */
export function playScript({ seed, steps }: Script): Player {
  const running = steps.map((step, i) => runStep(step, seed * 1_000_003 + i))
  return {
    get played() {
      return running.map(({ played }) => played)
    },
    next(protocol, elapsed) {
      let latency = 0
      let readRate: number | undefined
      let answerOver = 0
      const endings: Ending[] = []
      for (const step of running) {
        const random = step.next(protocol, elapsed)
        if (random === undefined) continue
        const { action } = step
        if (action.kind === 'latency') latency += within(action.wait, random)
        else if (action.kind === 'slow_answer') answerOver += within(action.over, random)
        else if (action.kind === 'slow_read')
          readRate = Math.min(readRate ?? Number.POSITIVE_INFINITY, action.bytesPerSecond)
        else endings.push(action)
      }
      return { latency, readRate, answerOver, endings }
    },
  }
}

function within({ from, to }: Range, random: number): number {
  return from + (to - from) * random
}

/** A step with its counter. `next` comes to a number in [0, 1) where the step is for the request. */
function runStep({ action, when }: Step, seed: number) {
  const random = seeded(seed)
  let seen = 0
  let played = 0
  return {
    action,
    get played() {
      return played
    },
    next(protocol: Protocol | undefined, elapsed: number): number | undefined {
      if (when.protocol !== undefined && when.protocol !== protocol) return undefined
      if (!isDuring(when, elapsed)) return undefined
      seen += 1
      // Always both, so that one request's luck does not depend on another's.
      const chance = random()
      const amount = random()
      if (when.first !== undefined && seen > when.first) return undefined
      if (when.every !== undefined && seen % when.every !== 0) return undefined
      if (when.share !== undefined && chance >= when.share) return undefined
      played += 1
      return amount
    },
  }
}

function isDuring({ after = 0, for: length = Number.POSITIVE_INFINITY }: When, elapsed: number) {
  return elapsed >= after && elapsed < after + length
}
