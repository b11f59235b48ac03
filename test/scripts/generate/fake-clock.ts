import type { Clock } from '../../../scripts/generate/clock.ts'

/** A clock that goes when it is told to. */
export interface FakeClock extends Clock {
  /** Lets so many milliseconds pass; what falls due in them is called at its time, and promises settle in between. */
  pass(milliseconds: number): Promise<void>
}

/** At 0. */
export function fakeClock(): FakeClock {
  let now = 0
  let timers: { at: number; then: () => void }[] = []
  // Long enough for chains of a few promises.
  const settle = async () => {
    for (let i = 0; i < 20; i++) await Promise.resolve()
  }
  return {
    now: () => now,
    after(milliseconds, then) {
      const timer = { at: now + Math.max(milliseconds, 0), then }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    async pass(milliseconds) {
      const until = now + milliseconds
      for (;;) {
        await settle()
        const next = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
        if (next === undefined) break
        timers = timers.filter((other) => other !== next)
        now = next.at
        next.then()
      }
      now = until
      await settle()
    },
  }
}
