import type { Clock } from './clock.ts'
import { closedLoop } from './closed-loop.ts'
import type { Interrupt } from './interrupt.ts'
import { openLoop } from './open-loop.ts'
import type { Plan } from './plan.ts'
import { type ProgressOutput, showProgress } from './progress.ts'
import type { RequestWriter } from './request-writer.ts'
import { runLoad } from './run-load.ts'
import type { Due } from './schedule.ts'
import type { Shown } from './secrets.ts'
import { createSender } from './send.ts'
import { MOST_REMEMBERED, type SentLog } from './sent-log.ts'
import { sequenceNumber } from './sequence.ts'
import { createStamps } from './stamps.ts'
import { type Summary, summaryOf } from './summary.ts'
import { createCounting } from './totals.ts'

/** What a load needs besides its plan. */
export interface LoadSurroundings {
  readonly writer: RequestWriter
  /** Where what was sent is written down, if it is to be verified. */
  readonly sent?: SentLog
  readonly clock: Clock
  readonly shown: Shown
  readonly progress: ProgressOutput
  readonly interrupt: Interrupt
}

/** After Ctrl-C those that are in flight have so long to be answered, in milliseconds. */
const GRACE = 2000
/** A virtual user that got no answer waits so long. */
const PAUSE = 100

/** Puts the load on the receiver until it is over or interrupted, and sums up how that went. */
export async function generateLoad(plan: Plan, surroundings: LoadSurroundings): Promise<Summary> {
  const { target, protocol, chunks, load, duration, interval, timeout } = plan
  const { writer, sent, clock, shown, progress, interrupt } = surroundings
  const concurrency = Math.min('rate' in load ? load.maxInFlight : load.vus, chunks.count)
  const sender = createSender({
    url: target.url,
    headers: { ...writer.headers, ...target.headers },
    connections: concurrency,
    timeout,
  })
  const counting = createCounting(protocol, shown)
  const start = clock.now()
  const until = start + duration
  const startOfDay = Date.now()
  const stamps = createStamps(chunks.count, startOfDay, interval)

  async function send({ chunk, round, due }: Due): Promise<boolean> {
    const size = chunks.size(chunk)
    // The time of day that does not go back.
    const now = Math.floor(startOfDay + clock.now() - start)
    const timestamp = stamps.next(chunk, round, now)
    const value = sequenceNumber(chunks.count, chunk, round)
    const written = writer.write(chunks.first(chunk), size, timestamp, value, round)
    // What is written is lent until the next one is.
    const body = Buffer.from(written.body)
    counting.begun(size, written.rawBytes, body.length)
    sent?.sent(chunk, timestamp)
    // In a closed loop nothing was due: latency is that of the receiver alone.
    const since = 'rate' in load ? due : clock.now()
    const answer = await sender.post(body)
    if (counting.ended(answer, size, clock.now() - since)) sent?.acknowledge(chunk, round)
    return 'status' in answer
  }

  const running = runLoad({
    schedule:
      'rate' in load ? openLoop(chunks, load.rate, start, until) : closedLoop(chunks, until),
    concurrency,
    until,
    most: sent === undefined ? Number.POSITIVE_INFINITY : MOST_REMEMBERED,
    send,
    pause: 'rate' in load ? 0 : PAUSE,
    clock,
  })
  let callOff = () => {}
  interrupt.onFirst(() => {
    running.stop()
    callOff = clock.after(GRACE, () => sender.close())
  })
  const endProgress = showProgress({
    output: progress,
    duration,
    now: () => clock.now(),
    read: () => ({
      samples: counting.samples,
      inFlight: running.inFlight(),
      errors: counting.requests - running.inFlight() - counting.acknowledged.requests,
      behind: running.behind(),
    }),
  })
  await running.ended
  endProgress()
  interrupt.onFirst(() => {})
  callOff()
  sender.close()
  return summaryOf(counting, {
    milliseconds: clock.now() - start,
    interrupted: interrupt.code !== undefined,
    unsent: running.behind(),
    ahead: stamps.ahead,
  })
}
