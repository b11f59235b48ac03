import type { Sleep } from './sleep.ts'

/** A signal that fires when time is up, or with its parent. */
export interface Alarm {
  readonly signal: AbortSignal
  /**
   * Settles as `work` does, or rejects when the signal fires; what `work` still brings then goes to
   * `late`.
   */
  race<T>(work: Promise<T>, late?: (value: T) => void): Promise<T>
  /** Ends it without firing. Whoever set the alarm must call it. */
  stop(): void
}

/** Sets an alarm for `ms` milliseconds from now; `parent`, where given, fires it at once. */
export function alarmAfter(ms: number, sleep: Sleep, parent?: AbortSignal): Alarm {
  const controller = new AbortController()
  const { signal } = controller
  const rang = Promise.withResolvers<never>()
  // Nobody may be racing when it fires.
  rang.promise.catch(() => undefined)
  const fire = () => {
    controller.abort()
    rang.reject(signal.reason)
  }
  const callOff = sleep(ms, fire)
  parent?.addEventListener('abort', fire)
  if (parent?.aborted) fire()
  return {
    signal,
    race(work, late) {
      // Its failure is the race's, or too late to matter.
      if (late) work.then((value) => signal.aborted && late(value)).catch(() => undefined)
      return Promise.race([work, rang.promise])
    },
    stop() {
      callOff()
      parent?.removeEventListener('abort', fire)
    },
  }
}
