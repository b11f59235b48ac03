import type { Sleep } from '../../src/deliver/sleep.ts'

/** A clock that moves only when everything else stands still. */
export interface VirtualTime {
  readonly now: () => number
  readonly sleep: Sleep
  /** Resolves after `ms` milliseconds, or when `signal` is aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * Runs until `work` has settled, jumping from sleeper to sleeper; throws when none is left.
   */
  run<T>(work: Promise<T>): Promise<T>
  /** Sleepers that are neither awake nor called off. */
  pending(): number
}

interface Pending {
  readonly at: number
  readonly wake: () => void
}

/** Starts at `start`, in epoch milliseconds. */
export function virtualTime(start = 1_000_000): VirtualTime {
  const pending = new Set<Pending>()
  let now = start
  const sleep: Sleep = (ms, wake) => {
    const one = { at: now + ms, wake }
    pending.add(one)
    return () => pending.delete(one)
  }
  return {
    now: () => now,
    sleep,
    pending: () => pending.size,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const callOff = sleep(ms, resolve)
        signal?.addEventListener('abort', () => {
          callOff()
          resolve()
        })
      }),
    async run(work) {
      let settled = false
      const done = () => {
        settled = true
      }
      work.then(done, done)
      for (;;) {
        // Two turns: streams of responses take more than microtasks.
        await turn()
        await turn()
        if (settled) return work
        const next = [...pending].sort((a, b) => a.at - b.at)[0]
        if (next === undefined) throw new Error('everything waits, and no sleeper is left')
        now = Math.max(now, next.at)
        pending.delete(next)
        next.wake()
      }
    },
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
