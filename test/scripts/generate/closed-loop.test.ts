import { expect, test } from 'vitest'
import { chunkQueue } from '../../../scripts/generate/chunk-queue.ts'
import { chunksOf } from '../../../scripts/generate/chunks.ts'
import { closedLoop } from '../../../scripts/generate/closed-loop.ts'

test('a closed loop gives the chunk that was answered the longest ago, none that is busy, none at the end', () => {
  const schedule = closedLoop(chunksOf(3, 1), 100)
  const next = (now: number) => {
    const due = schedule.next(now)
    return due && `${due.chunk}.${due.round}@${due.due}`
  }
  expect([next(1), next(2), next(3), next(4)]).toEqual(['0.0@1', '1.0@2', '2.0@3', undefined])
  expect(schedule.nextAt()).toBe(Number.POSITIVE_INFINITY)
  schedule.answered(2)
  schedule.answered(0)
  expect(schedule.nextAt()).toBe(Number.NEGATIVE_INFINITY)
  expect([next(5), next(6), next(7)]).toEqual(['2.1@5', '0.1@6', undefined])
  schedule.answered(1)
  expect([next(100), next(99)]).toEqual([undefined, '1.1@99'])
})

test('a queue goes round in its room, and has none for a chunk twice', () => {
  const queue = chunkQueue(2)
  for (let i = 0; i < 5; i++) {
    queue.push(i)
    queue.push(i + 10)
    expect([queue.length, queue.shift(), queue.shift(), queue.shift()]).toEqual([
      2,
      i,
      i + 10,
      undefined,
    ])
  }
  queue.push(1)
  queue.push(2)
  expect(() => queue.push(3)).toThrow('BUG')
})

test('chunks cover all series, the last one what is left', () => {
  const chunks = chunksOf(25, 10)
  expect([0, 1, 2].map((chunk) => [chunks.first(chunk), chunks.size(chunk)])).toEqual([
    [0, 10],
    [10, 10],
    [20, 5],
  ])
  expect([chunks.count, chunks.of(9), chunks.of(10), chunks.of(24)]).toEqual([3, 0, 1, 2])
  expect(chunksOf(20, 10).count).toBe(2)
})
