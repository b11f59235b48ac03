import { describe, expect, it } from 'vitest'
import { chunksOf } from '../../../scripts/generate/chunks.ts'
import { openLoop } from '../../../scripts/generate/open-loop.ts'
import type { Schedule } from '../../../scripts/generate/schedule.ts'

/** All that may begin now. */
function takeAll(schedule: Schedule, now: number) {
  const taken = []
  for (let due = schedule.next(now); due !== undefined; due = schedule.next(now)) taken.push(due)
  return taken
}

describe('the open loop', () => {
  it('makes requests due at fixed times, by the samples of those before', () => {
    // 25 series in requests of 10, 10 and 5; 100 samples a second.
    const schedule = openLoop(chunksOf(25, 10), 100, 1000, 10_000)
    const taken = []
    for (let now = 1000; now <= 1500; now += 50) {
      for (const due of takeAll(schedule, now)) {
        taken.push([due.chunk, due.round, due.due, now])
        schedule.answered(due.chunk)
      }
    }
    expect(taken).toEqual([
      [0, 0, 1000, 1000],
      [1, 0, 1100, 1100],
      [2, 0, 1200, 1200],
      [0, 1, 1250, 1250],
      [1, 1, 1350, 1350],
      [2, 1, 1450, 1450],
      [0, 2, 1500, 1500],
    ])
  })

  it('says when the next one is due', () => {
    const schedule = openLoop(chunksOf(20, 10), 100, 1000, 1150)
    expect(schedule.next(999)).toBeUndefined()
    expect(schedule.nextAt()).toBe(1000)
    expect(schedule.next(1000)).toBeDefined()
    expect(schedule.nextAt()).toBe(1100)
    expect(schedule.next(1100)).toBeDefined()
    // The next one would be due at 1200, when it is over.
    expect(schedule.nextAt()).toBe(Number.POSITIVE_INFINITY)
    expect(schedule.next(5000)).toBeUndefined()
  })

  it('lets a busy chunk wait, and counts from when each was due', () => {
    const schedule = openLoop(chunksOf(10, 10), 100, 0, 10_000)
    expect(schedule.next(0)).toEqual({ chunk: 0, round: 0, due: 0 })
    expect(schedule.next(350)).toBeUndefined()
    expect(schedule.behind(350)).toBe(3)
    schedule.answered(0)
    expect(schedule.nextAt()).toBe(Number.NEGATIVE_INFINITY)
    expect(schedule.next(350)).toEqual({ chunk: 0, round: 1, due: 100 })
    schedule.answered(0)
    expect(schedule.next(350)).toEqual({ chunk: 0, round: 2, due: 200 })
    schedule.answered(0)
    expect(schedule.next(350)).toEqual({ chunk: 0, round: 3, due: 300 })
    schedule.answered(0)
    expect(schedule.next(350)).toBeUndefined()
  })

  it('does not let one slow chunk hold up the others', () => {
    const schedule = openLoop(chunksOf(30, 10), 1000, 0, 10_000)
    const first = takeAll(schedule, 100)
    expect(first.map(({ chunk }) => chunk)).toEqual([0, 1, 2])
    schedule.answered(1)
    schedule.answered(2)
    expect(takeAll(schedule, 100).map(({ chunk, round }) => [chunk, round])).toEqual([
      [1, 1],
      [2, 1],
    ])
  })

  it('has nothing due at its end or later', () => {
    const schedule = openLoop(chunksOf(10, 10), 100, 0, 300)
    let begun = 0
    for (let now = 0; now < 2000; now += 10) {
      begun += takeAll(schedule, now).length
      schedule.answered(0)
    }
    expect(begun).toBe(3)
    expect(schedule.behind(2000)).toBe(0)
  })
})
