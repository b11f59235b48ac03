import { expect, test } from 'vitest'
import { comparisonRows } from '../../../scripts/bench/comparison-rows.ts'
import type { Compared } from '../../../scripts/bench/in-turns.ts'
import type { Measured } from '../../../scripts/bench/measured.ts'

const measured = (cpu: number, p50: number, peak: number): Measured => ({
  requests: 100,
  errors: 0,
  seconds: 2,
  requestsPerSecond: 50,
  samplesPerSecond: 100_000,
  samplesPerCpuSecond: cpu,
  bytesPerSample: 47.26,
  p50,
  p99: 4 * p50,
  peak,
})

const compared: Compared = {
  receivers: ['Sluice', 'vmagent'],
  connections: [4],
  of: (name) =>
    name === 'Sluice'
      ? [measured(100, 9, 150), measured(300, 10, 140), measured(400, 11, 130)]
      : [{ ...measured(100, 20, 90), errors: 2, firstError: '503 busy\nlater' }],
  straight: () => [measured(0, 1, 0)],
  shares: new Map([
    ['Sluice', 0.96],
    ['vmagent', 0.9604],
  ]),
  itemsPerRequest: 2000,
}

test('a line has the medians, what is added to the straight way, and the highest peak', () => {
  expect(comparisonRows(compared, 'vmagent')[0]).toEqual({
    receiver: 'Sluice',
    connections: '4',
    'samples per CPU-second': '300',
    'to vmagent': '3.00 x',
    'requests per second': '50',
    'samples per second': '100,000',
    'p50 ms': '10.0',
    'p99 ms': '40.0',
    'added p50 ms': '9.0',
    'added p99 ms': '36.0',
    'sent on': '96.0 %',
    'bytes out per sample': '47.3',
    'peak MiB': '150',
    errors: '0',
  })
})

test('errors are counted, the first one is quoted', () => {
  expect(comparisonRows(compared)[1]).toMatchObject({ receiver: 'vmagent', errors: '2 (503 busy)' })
})

test('beside nothing there are no ratios, and the straight way has no receiver', () => {
  const rows = comparisonRows(compared)
  expect(rows.flatMap(Object.keys)).not.toContain('to vmagent')
  expect(rows[2]).toEqual({
    receiver: '(none)',
    connections: '4',
    'requests per second': '50',
    'samples per second': '100,000',
    'p50 ms': '1.0',
    'p99 ms': '4.0',
    errors: '0',
  })
})
