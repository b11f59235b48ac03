import { expect, it } from 'vitest'
import { createSentLog } from '../../../scripts/generate/sent-log.ts'

it('remembers times and what was acknowledged, by chunk and round', () => {
  const log = createSentLog(3)
  expect([log.span, log.rounds(1), log.firstAfter(1, 0)]).toEqual([undefined, 0, 0])
  for (let round = 0; round < 10; round++) log.sent(1, 100 + round * 10)
  log.sent(2, 95)
  for (const round of [0, 3, 9]) log.acknowledge(1, round)
  expect(log.rounds(1)).toBe(10)
  expect(log.timestamp(1, 9)).toBe(190)
  expect(log.timestamp(1, 10)).toBeNaN()
  expect(log.timestamp(0, 0)).toBeNaN()
  const rounds = Array.from({ length: 11 }, (_, round) => round)
  expect(rounds.filter((round) => log.isAcknowledged(1, round))).toEqual([0, 3, 9])
  expect(log.isAcknowledged(2, 0)).toBe(false)
  expect([99, 100, 105, 189, 190, 500].map((time) => log.firstAfter(1, time))).toEqual([
    0, 1, 1, 9, 10, 10,
  ])
  expect(log.span).toEqual({ first: 95, last: 190 })
})
