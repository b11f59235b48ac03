import { expect, it } from 'vitest'
import { createLatencies } from '../../../scripts/generate/latencies.ts'
import { seeded } from '../../../scripts/seeded.ts'

it('has no latency while nothing was counted', () => {
  const { count, max, at } = createLatencies()
  expect([count, max, at(0.5)]).toEqual([0, Number.NaN, Number.NaN])
})

it.each([[[7]], [[0]], [[0.0004, 3]], [[1, 2, 3, 4]], [[1e9, 5]]])('counts %j', (all) => {
  const latencies = createLatencies()
  for (const one of all) latencies.add(one)
  expect(latencies.count).toBe(all.length)
  expect(latencies.max).toBe(Math.max(...all))
  expect(latencies.at(1)).toBe(Math.max(...all))
})

it('is 1 % too much at the most', () => {
  const random = seeded(4)
  const latencies = createLatencies()
  const all = Array.from({ length: 5000 }, () => 10 ** (random() * 7 - 2))
  for (const one of all) latencies.add(one)
  all.sort((a, b) => a - b)
  for (const share of [0.001, 0.1, 0.5, 0.9, 0.99, 0.999]) {
    const exact = all[Math.ceil(share * all.length) - 1]!
    const found = latencies.at(share)
    expect(found).toBeGreaterThanOrEqual(exact)
    expect(found).toBeLessThanOrEqual(exact * 1.01)
  }
})
