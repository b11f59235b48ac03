import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LabelPair } from '../../src/relabel/label-pair.ts'
import { LabelSet } from '../../src/relabel/label-set.ts'
import { idsOf, labelSet, pairsOf } from './labels.ts'

test('an absent label is empty, and so is one that was deleted or set to nothing', () => {
  const set = labelSet({ a: '1', b: '2', c: '3' })
  set.set(new LabelPair('a', ''))
  set.delete('b')
  set.delete('nope')
  expect(['a', 'b', 'c', 'nope'].map((name) => set.get(name))).toEqual(['', '', '3', ''])
  expect(set.length).toBe(1)
  expect(idsOf(set)).toEqual([3])
})

test('an id stays with its pair, and goes when the value changes', () => {
  const set = labelSet({ a: '1', b: '2', c: '3' })
  set.set(new LabelPair('a', '1'))
  set.set(new LabelPair('b', 'two'))
  set.set(new LabelPair('d', '4'))
  expect(pairsOf(set)).toEqual([
    ['a', '1'],
    ['b', 'two'],
    ['c', '3'],
    ['d', '4'],
  ])
  expect(idsOf(set)).toEqual([1, 0, 3, 0])
})

test('a value that came back has no id: the pair must be looked up again', () => {
  const set = labelSet({ a: '1' })
  set.set(new LabelPair('a', '2'))
  set.set(new LabelPair('a', '1'))
  expect(idsOf(set)).toEqual([0])
})

test('what is told of a label moves along when one before it is removed', () => {
  const set = labelSet({ a: '1', b: '2', c: '3' })
  set.set(new LabelPair('c', 'new'))
  set.set(new LabelPair('b', '2'))
  set.delete('a')
  expect(pairsOf(set)).toEqual([
    ['b', '2'],
    ['c', 'new'],
  ])
  expect(idsOf(set)).toEqual([2, 0])
  expect(set.turns.slice(0, 2)).toEqual([2, 1])
})

test('after clear nothing of the series before is left', () => {
  const set = labelSet({ a: '1', b: '2' })
  set.set(new LabelPair('a', '3'))
  set.clear()
  expect(set.length).toBe(0)
  expect(set.get('a')).toBe('')
  set.push(new LabelPair('c', '1'))
  expect(pairsOf(set)).toEqual([['c', '1']])
  expect(set.turns[0]).toBe(0)
})

test('labels remember in which turn they were set, until they are sorted', () => {
  const set = labelSet({ a: '1', b: '2' })
  set.set(new LabelPair('z', '1'))
  set.set(new LabelPair('a', '1'))
  set.set(new LabelPair('z', '2'))
  expect(set.turns.slice(0, 3)).toEqual([2, 0, 1])
  set.sortByBytes()
  expect(set.turns.slice(0, 3)).toEqual([0, 0, 0])
})

test('the arrays are the same ones and grow no further when they are used again', () => {
  const set = new LabelSet()
  const { pairs, turns } = set
  for (let series = 0; series < 100; series++) {
    set.clear()
    for (let i = 0; i < 10; i++) set.push(new LabelPair(`name${i}`, `${series}`))
    set.set(new LabelPair('more', 'x'))
    set.delete('name3')
  }
  expect([set.pairs, set.turns]).toEqual([pairs, turns])
  expect([pairs.length, turns.length]).toEqual([11, 11])
})

test('sorting is by UTF-8 bytes and keeps values and ids with their names', () => {
  const names = fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 3 }), { maxLength: 20 })
  fc.assert(
    fc.property(names, (sent) => {
      const set = new LabelSet()
      for (const [i, name] of sent.entries()) {
        const pair = new LabelPair(name, `v${name}`)
        pair.id = i + 1
        set.push(pair)
      }
      set.sortByBytes()
      const want = sent.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      expect(pairsOf(set)).toEqual(want.map((name) => [name, `v${name}`]))
      expect(idsOf(set)).toEqual(want.map((name) => sent.indexOf(name) + 1))
    }),
    { seed: 7, numRuns: 500 },
  )
})

test('a copy has the labels and nothing of what was done to them', () => {
  const from = labelSet({ a: '1', b: '2' })
  from.set(new LabelPair('z', '1'))
  const to = labelSet({ x: '1', y: '2', z: '3', zz: '4' })
  to.copy(from)
  expect(pairsOf(to)).toEqual(pairsOf(from))
  expect(to.turns.slice(0, 3)).toEqual([0, 0, 0])
  to.delete('a')
  expect(from.get('a')).toBe('1')
})
