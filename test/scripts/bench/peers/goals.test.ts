import { expect, test } from 'vitest'
import type { Compared } from '../../../../scripts/bench/in-turns.ts'
import type { Measured } from '../../../../scripts/bench/measured.ts'
import { latencyGoal, sameWorkGoal, timesGoal } from '../../../../scripts/bench/peers/goals.ts'

/** What was measured on four connections; the middle one of three rounds counts. */
function compared(
  numbers: Record<string, { cpu?: number; p99?: number; share?: number }>,
): Compared {
  const rounds = (name: string) => {
    const { cpu = 1, p99 = 1 } = numbers[name] ?? {}
    return [0.1, 1, 9].map((k) => ({ samplesPerCpuSecond: k * cpu, p99: k * p99 }) as Measured)
  }
  const receivers = Object.keys(numbers)
  return {
    receivers,
    connections: [4],
    of: (name, connections) => (connections === 4 && name in numbers ? rounds(name) : []),
    straight: () => [],
    shares: new Map(receivers.map((name) => [name, numbers[name]!.share ?? 1])),
    itemsPerRequest: 1,
  }
}

test('Sluice is to be so many times another receiver', () => {
  const of = (cpu: number, wanted = 3) =>
    timesGoal('x', compared({ Sluice: { cpu }, vmagent: { cpu: 100 } }), 'vmagent', wanted)
  expect(of(300).map(({ met }) => met)).toEqual([true])
  expect(of(299).map(({ met }) => met)).toEqual([false])
  expect(of(100, 1)).toEqual([
    {
      text: 'x, 4 connections: not below the samples per CPU-second of vmagent',
      measured: '1.00 x',
      met: true,
    },
  ])
})

test('its p99 is to be below', () => {
  const of = (p99: number) =>
    latencyGoal('x', compared({ Sluice: { p99 }, vmagent: { p99: 30 } }), 'vmagent')
  expect([of(29)[0]!.met, of(30)[0]!.met]).toEqual([true, false])
})

test('where the other receiver is missing there is no goal', () => {
  const alone = compared({ Sluice: {} })
  expect(timesGoal('x', alone, 'vmagent', 3)).toEqual([])
  expect(latencyGoal('x', alone, 'vmagent')).toEqual([])
  expect(sameWorkGoal('x', alone)).toEqual([])
})

test('receivers that send on different shares do not do the same work', () => {
  const of = (share: number) =>
    sameWorkGoal('x', compared({ Sluice: { share }, vmagent: { share: 0.96 } }))[0]!
  expect(of(0.9601)).toMatchObject({ measured: 'Sluice 96.0 %, vmagent 96.0 %', met: true })
  expect(of(0.95)).toMatchObject({ met: false })
})
