import { describe, expect, it } from 'vitest'
import { chunksOf } from '../../../scripts/generate/chunks.ts'
import { closedLoop } from '../../../scripts/generate/closed-loop.ts'
import { openLoop } from '../../../scripts/generate/open-loop.ts'
import { type Load, type LoadOptions, runLoad } from '../../../scripts/generate/run-load.ts'
import type { Due } from '../../../scripts/generate/schedule.ts'
import { seeded } from '../../../scripts/seeded.ts'
import { fakeClock } from './fake-clock.ts'

interface Sent extends Due {
  readonly begun: number
  ended?: number
}

/** Runs a load whose requests take as long as `latency` says, on a clock of its own. */
function rig(
  options: Pick<LoadOptions, 'concurrency'> & Partial<LoadOptions>,
  latency: (due: Due) => number,
  answered = (_: Due) => true,
) {
  const clock = fakeClock()
  const sent: Sent[] = []
  let inFlight = 0
  let most = 0
  const load: Load = runLoad({
    schedule: openLoop(chunksOf(40, 10), 1000, 0, 1000),
    until: 1000,
    most: Number.POSITIVE_INFINITY,
    pause: 0,
    clock,
    send(due) {
      const one: Sent = { ...due, begun: clock.now() }
      sent.push(one)
      most = Math.max(most, ++inFlight)
      return new Promise((resolve) => {
        clock.after(latency(due), () => {
          one.ended = clock.now()
          inFlight -= 1
          resolve(answered(due))
        })
      })
    },
    ...options,
  })
  let isOver = false
  load.ended.then(
    () => {
      isOver = true
    },
    () => {},
  )
  return { clock, sent, load, most: () => most, isOver: () => isOver }
}

/** Whether each round of a chunk began after the one before had ended. */
function expectOrdered(sent: readonly Sent[]): void {
  const last = new Map<number, Sent>()
  for (const one of sent) {
    const before = last.get(one.chunk)
    expect(one.round).toBe(before === undefined ? 0 : before.round + 1)
    if (before !== undefined) expect(one.begun).toBeGreaterThanOrEqual(before.ended!)
    last.set(one.chunk, one)
  }
}

describe('a load in an open loop', () => {
  it('begins each request when it is due while the receiver is fast', async () => {
    const { clock, sent, isOver } = rig({ concurrency: 8 }, () => 3)
    await clock.pass(2000)
    expect(isOver()).toBe(true)
    expect(sent).toHaveLength(100)
    expect(sent.map(({ due }) => due)).toEqual(Array.from({ length: 100 }, (_, i) => i * 10))
    for (const { begun, due } of sent) expect(begun - due).toBeLessThanOrEqual(1)
  })

  it('keeps to the times that were due when the receiver stalls', async () => {
    const { clock, sent, load } = rig({ concurrency: 8 }, ({ due }) => (due === 200 ? 400 : 1))
    await clock.pass(2000)
    const stalled = sent.filter(({ chunk, due }) => chunk === 0 && due > 200 && due < 600)
    expect(stalled.map(({ due }) => due)).toEqual([240, 280, 320, 360, 400, 440, 480, 520, 560])
    for (const { begun } of stalled) expect(begun).toBeGreaterThanOrEqual(600)
    // Other chunks were not held up.
    for (const { chunk, begun, due } of sent) if (chunk !== 0) expect(begun - due).toBeLessThan(3)
    expect(sent).toHaveLength(100)
    expect(load.behind()).toBe(0)
  })

  it.each([1, 2, 3, 8])('is ordered and bounded with %i in flight at most', async (concurrency) => {
    const random = seeded(concurrency)
    const { clock, sent, most, isOver } = rig({ concurrency }, () => Math.floor(random() * 60))
    await clock.pass(3000)
    expect(isOver()).toBe(true)
    expect(most()).toBeLessThanOrEqual(concurrency)
    expectOrdered(sent)
  })

  it('says what was due and never begun', async () => {
    const { clock, sent, load, isOver } = rig({ concurrency: 1 }, () => 100)
    await clock.pass(5000)
    expect(isOver()).toBe(true)
    expect(sent.length + load.behind()).toBe(100)
    expect(sent.length).toBeLessThan(13)
    for (const { begun } of sent) expect(begun).toBeLessThanOrEqual(1000)
  })
})

describe('a load in a closed loop', () => {
  const closed = (chunks: number, until = 1000) => closedLoop(chunksOf(chunks * 10, 10), until)

  it('sends the next when one is answered, chunks in turn', async () => {
    const { clock, sent, isOver, most } = rig({ concurrency: 2, schedule: closed(5) }, () => 10)
    await clock.pass(2000)
    expect(isOver()).toBe(true)
    expect(most()).toBe(2)
    expect(sent).toHaveLength(200)
    expect(sent.slice(0, 6).map(({ chunk }) => chunk)).toEqual([0, 1, 2, 3, 4, 0])
    expectOrdered(sent)
  })

  it('waits a little where there was no answer', async () => {
    const options = { concurrency: 1, schedule: closed(3), pause: 100 }
    const { clock, sent } = rig(
      options,
      () => 0,
      () => false,
    )
    await clock.pass(2000)
    expect(sent.map(({ begun }) => begun)).toEqual(Array.from({ length: 10 }, (_, i) => i * 100))
  })

  it('ends after so many requests', async () => {
    const { clock, sent, isOver } = rig({ concurrency: 3, schedule: closed(5), most: 7 }, () => 10)
    await clock.pass(100)
    expect(isOver()).toBe(true)
    expect(sent).toHaveLength(7)
  })

  it('begins nothing when it was stopped, and ends with the last answer', async () => {
    const { clock, sent, load, isOver } = rig({ concurrency: 2, schedule: closed(5) }, () => 50)
    await clock.pass(120)
    load.stop()
    const before = sent.length
    expect(load.inFlight()).toBe(2)
    await clock.pass(10)
    expect(isOver()).toBe(false)
    await clock.pass(100)
    expect(isOver()).toBe(true)
    expect(sent).toHaveLength(before)
  })

  it('rejects with what should not have happened', async () => {
    const send = () => Promise.reject(new Error('BUG'))
    const { clock, load } = rig({ concurrency: 1, schedule: closed(1), send }, () => 0)
    const ended = expect(load.ended).rejects.toThrow('BUG')
    await clock.pass(10)
    await ended
  })
})
