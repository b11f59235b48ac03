import { expect, test } from 'vitest'
import { seeded } from '../../scripts/seeded.ts'
import { LabelPair } from '../../src/relabel/label-pair.ts'
import { LabelList } from '../../src/translate/label-list.ts'

test('does what a map does, with few labels and with many', () => {
  const random = seeded(7)
  const list = new LabelList()
  for (let round = 0; round < 60; round++) {
    const into: LabelPair[] = [new LabelPair('left', 'over')]
    const want = new Map<string, LabelPair>()
    list.begin(into)
    const names = 4 + Math.floor(random() * 50)
    for (let step = 0; step < 200; step++) {
      const pair = new LabelPair(`n${Math.floor(random() * names)}`, String(step))
      const what = random()
      if (what < 0.4) {
        expect(list.add(pair)).toBe(!want.has(pair.name))
        if (!want.has(pair.name)) want.set(pair.name, pair)
      } else if (what < 0.7) {
        list.set(pair)
        want.set(pair.name, pair)
      } else {
        list.remove(pair.name)
        want.delete(pair.name)
      }
      expect(list.get(pair.name)).toBe(want.get(pair.name))
    }
    expect(new Map(into.map((pair) => [pair.name, pair]))).toEqual(want)
    expect(into.length).toBe(want.size)
  }
})

test('leaves the array before alone', () => {
  const list = new LabelList()
  const first: LabelPair[] = []
  const second: LabelPair[] = []
  list.begin(first)
  for (let i = 0; i < 20; i++) list.add(new LabelPair(`n${i}`, 'v'))
  list.remove('n3')
  list.begin(second)
  expect(list.get('n1')).toBe(undefined)
  list.add(new LabelPair('n1', 'v'))
  expect(first.length).toBe(19)
  expect(second.length).toBe(1)
})
