// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import { describe, expect, test } from 'vitest'
import { TemplateProblem } from '../../../scripts/generate/parse-template.ts'
import { generationOf, seriesSet } from '../../../scripts/generate/series-set.ts'

describe('a set of series', () => {
  test.each([
    ['a', undefined, 'gauge', ''],
    ['a_total', undefined, 'counter', ''],
    ['a_seconds_total', undefined, 'counter', 'seconds'],
    ['a_bytes', undefined, 'gauge', 'bytes'],
    ['a_total', 'gauge', 'gauge', ''],
    ['a_seconds', 'histogram', 'histogram', 'seconds'],
    ['a${series_id}_total', undefined, 'counter', ''],
  ] as const)('of the name %s and the kind %s is of %s, unit "%s"', (name, asked, kind, unit) => {
    const [shape] = seriesSet({ labels: { __name__: name }, kind: asked }).shapes
    expect(shape).toMatchObject({ kind, unit })
  })

  test('has its labels sorted', () => {
    const [shape] = seriesSet({ labels: { b: '1', __name__: 'm', B: '2' } }).shapes
    expect([...shape!.labels.keys()]).toEqual(['B', '__name__', 'b'])
  })

  test.each([
    [{ a: '1' }, 'the series have no label __name__'],
    [{ __name__: 'm', 'a.b': '1' }, '"a.b" is no name of a label'],
    [{ __name__: 'm', a: '' }, 'the label a has an empty value'],
    [{ __name__: '${series_id}' }, '"0" is no name of a metric'],
    [{ __name__: 'a b' }, '"a b" is no name of a metric'],
  ])('is not made of %j', (labels: Record<string, string>, message) => {
    expect(() => seriesSet({ labels })).toThrow(message)
  })

  test('is not made of what is no template', () => {
    expect(() => seriesSet({ labels: { __name__: 'm', a: '${x}' } })).toThrow(TemplateProblem)
  })

  test.each([
    { group: 0, rounds: 1 },
    { group: 1, rounds: 0.5 },
  ])('does not churn by %j', (churn) => {
    expect(() => seriesSet({ labels: { __name__: 'm' } }, churn)).toThrow('churn takes')
  })
})

describe('churn', () => {
  const labels = { __name__: 'm', pod: '${series_id/10}-${generation}' }
  const set = seriesSet({ labels }, { group: 10, rounds: 5 })
  const generations = (round: number) =>
    Array.from({ length: 500 }, (_, id) => generationOf(set, id, round))

  test('begins with series that were never replaced', () => {
    expect(new Set(generations(0))).toEqual(new Set([0]))
  })

  test('replaces one group of five in each round, all of its series at once', () => {
    for (let round = 1; round < 23; round++) {
      const [before, after] = [generations(round - 1), generations(round)]
      const replaced = after.flatMap((generation, id) => (generation !== before[id] ? [id] : []))
      expect(replaced.length).toBe(100)
      expect(new Set(replaced.map((id) => Math.floor(id / 10))).size).toBe(10)
      for (const id of replaced) expect(after[id]).toBe(before[id]! + 1)
    }
  })

  test('is not there unless it is asked for', () => {
    expect(generationOf(seriesSet({ labels }), 3, 1_000)).toBe(0)
  })
})
