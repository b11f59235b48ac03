import { expect, test } from 'vitest'
import type { CaseResult } from '../../../scripts/bench/case.ts'
import { caseRow } from '../../../scripts/bench/case-group.ts'
import {
  heapGoals,
  otlpGoals,
  remoteWrite1Goals,
  remoteWrite2Goals,
  seriesOfGoals,
} from '../../../scripts/bench/goals.ts'

const KIB = 1024

function result(name: string, items: number, time: number, more: Partial<CaseResult> = {}) {
  const sluice = { time, bytes: 0, allocations: 0, samples: 1 }
  return { name, items, unit: 'sample', sluice, ...more } as CaseResult
}

function met(goals: (results: Map<string, CaseResult>) => readonly { met: boolean }[]) {
  return (...all: CaseResult[]) =>
    goals(new Map(all.map((one) => [one.name, one]))).map((goal) => goal.met)
}

const plain = (time: number) => ({ plain: { time, bytes: 2048, allocations: 70, samples: 1 } })
const heap = (name: string, bytes: number) =>
  result(name, 1, 1, { sluice: { time: 1, bytes, allocations: 1, samples: 1 } })

test('a warm table is to be 15 times the plain way, new series 4 times', () => {
  const of = met(remoteWrite1Goals)
  expect(of(result('remotewrite1/warm/kubernetes', 1, 10, plain(150)))).toEqual([true])
  expect(of(result('remotewrite1/warm/kubernetes', 1, 10, plain(149)))).toEqual([false])
  expect(of(result('remotewrite1/new/kubernetes', 1, 10, plain(40)))).toEqual([true])
  expect(of(result('remotewrite1/new/kubernetes', 1, 10, plain(39)))).toEqual([false])
})

test('from one version of remote write to another it is to be 12 times the plain way', () => {
  const of = met(remoteWrite2Goals)
  for (const direction of ['2-2', '2-1', '1-2']) {
    expect(of(result(`remotewrite2/${direction}/kubernetes`, 1, 10, plain(120)))).toEqual([true])
    expect(of(result(`remotewrite2/${direction}/kubernetes`, 1, 10, plain(119)))).toEqual([false])
  }
})

test.for([
  ['otlp/warm', 15],
  ['otlp/new', 4],
  ['otlp/histograms', 8],
] as const)('%s is to be %d times the plain way', ([name, times]) => {
  const of = met(otlpGoals)
  expect(of(result(name, 1, 10, plain(10 * times)))).toEqual([true])
  expect(of(result(name, 1, 10, plain(10 * times - 1)))).toEqual([false])
})

test('a request is to allocate less than 64 KiB, and no more than twice as much when it is large', () => {
  const of = met(heapGoals)
  expect(of(heap('heap/200', 2 * KIB), heap('heap/20000', 4 * KIB))).toEqual([true, true, true])
  expect(of(heap('heap/200', 2 * KIB), heap('heap/20000', 5 * KIB))).toEqual([true, true, false])
  expect(of(heap('heap/200', 64 * KIB))).toEqual([false])
})

test('times per sample are to be within 25 % of each other, from 1,000 samples on', () => {
  const of = met(seriesOfGoals)
  const times = (...ns: number[]) =>
    [100, 1000, 10_000, 100_000].map((n, i) => result(`series-of/${n}`, n, n * ns[i]))
  expect(of(...times(900, 12.5, 10, 11))).toEqual([true])
  expect(of(...times(900, 12.6, 10, 11))).toEqual([false])
  expect(of(...times(900, 12.6, 10, 11).slice(0, 3))).toEqual([])
})

test('a row shows both ways, one without a plain way only ours', () => {
  expect(caseRow(result('a', 2000, 1_000_000, plain(20_000_000)))).toEqual({
    case: 'a',
    sample: '2,000',
    Sluice: '1.00 ms',
    'per sample': '500 ns',
    'plain way': '20.0 ms',
    ratio: '20.0 x',
    'Sluice allocates': '0 B in 0',
    'plain way allocates': '2.00 KiB in 70',
  })
  expect(caseRow(result('a', 2000, 1_000_000))).not.toHaveProperty('ratio')
})
