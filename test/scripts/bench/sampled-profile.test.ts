import { expect, test } from 'vitest'
import { functionShares, type SampledProfile } from '../../../scripts/bench/sampled-profile.ts'

const root = new URL('../../../', import.meta.url).href

function node(id: number, functionName: string, url: string, children: number[] = []) {
  return { id, callFrame: { functionName, url, lineNumber: 9 }, children }
}

const profile: SampledProfile = {
  nodes: [
    node(1, '(root)', '', [2, 6]),
    node(2, 'outer', `${root}src/a.ts`, [3, 4]),
    node(3, 'inner', 'wasm://wasm/0123'),
    node(4, 'outer', `${root}src/a.ts`, [5]),
    node(5, 'inner', 'wasm://wasm/0123'),
    node(6, '', 'node:internal/timers'),
  ],
  samples: [2, 3, 4, 5, 6, 3],
  timeDeltas: [100, 200, 100, 300, 100, 200],
}

test('self is what a function took alone, total with what it called, those first that took most', () => {
  expect(functionShares(profile).filter(({ self }) => self > 0)).toEqual([
    { name: 'inner', place: 'kernel', self: 0.7, total: expect.closeTo(0.7) },
    { name: 'outer', place: 'src/a.ts:10', self: expect.closeTo(0.2), total: expect.closeTo(0.9) },
    { name: '(anonymous)', place: 'node:internal/timers', self: 0.1, total: 0.1 },
  ])
})

test('the root is all of it', () => {
  expect(functionShares(profile).find(({ name }) => name === '(root)')).toMatchObject({ total: 1 })
})

test('an empty profile has no functions', () => {
  expect(functionShares({ nodes: [] })).toEqual([])
})
