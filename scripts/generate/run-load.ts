import type { Clock } from './clock.ts'
import type { Due, Schedule } from './schedule.ts'

/** What is run, and how far it may go. */
export interface LoadOptions {
  readonly schedule: Schedule
  /** Requests in flight at most. */
  readonly concurrency: number
  /** Nothing begins after it: milliseconds of the clock. */
  readonly until: number
  /** Nor after so many requests. */
  readonly most: number
  /** Sends a request. Resolves when it has ended, to false where there was no answer; never rejects. */
  send(due: Due): Promise<boolean>
  /** For so long one who got no answer waits before the next request, in milliseconds: or a dead receiver is asked without end. */
  readonly pause: number
  readonly clock: Clock
}

/** A load that runs. */
export interface Load {
  /** Resolves when nothing is in flight and nothing will begin. Rejects with what `send` did, which it never should. */
  readonly ended: Promise<void>
  /** Nothing begins any more. */
  stop(): void
  inFlight(): number
  /** Requests that were due, up to now or the end, and have not begun. */
  behind(): number
}

/** So many requests are written before answers are looked at again. */
const BURST = 8

/** Starts a load. */
export function runLoad(options: LoadOptions): Load {
  const { schedule, concurrency, until, most, clock, pause } = options
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>()
  let inFlight = 0
  let pausing = 0
  let begun = 0
  let stoppedAt: number | undefined
  let callOff = () => {}

  function pump(): void {
    callOff()
    const now = clock.now()
    if (stoppedAt === undefined) {
      const last = now >= until
      const more = beginSome(last ? Number.POSITIVE_INFINITY : BURST)
      if (last || begun >= most) stoppedAt = Math.min(now, until)
      else if (more) callOff = clock.after(0, pump)
      else {
        const full = inFlight + pausing >= concurrency
        const at = Math.min(until, full ? until : schedule.nextAt())
        callOff = clock.after(Math.max(at - now, 1), pump)
      }
    }
    if (stoppedAt !== undefined && inFlight === 0) end()
  }

  /** Returns whether it stopped only because there were so many. */
  function beginSome(many: number): boolean {
    for (let i = 0; i < many; i++) {
      if (inFlight + pausing >= concurrency || begun >= most) return false
      const due = schedule.next(clock.now())
      if (due === undefined) return false
      begin(due)
    }
    return true
  }

  function begin(due: Due): void {
    inFlight += 1
    begun += 1
    options.send(due).then((answered) => {
      inFlight -= 1
      schedule.answered(due.chunk)
      if (!answered && pause > 0 && stoppedAt === undefined) {
        pausing += 1
        clock.after(pause, () => {
          pausing -= 1
          pump()
        })
      }
      pump()
    }, fail)
  }

  callOff = clock.after(0, pump)
  return {
    ended,
    stop() {
      stoppedAt ??= Math.min(clock.now(), until)
      pump()
    },
    inFlight: () => inFlight,
    behind: () => schedule.behind(stoppedAt ?? Math.min(clock.now(), until)),
  }
}
