import { expect, test } from 'vitest'
import { createMemory } from '../../src/relabel/memory.ts'

/** A function that counts how often it is really called. */
function counted<V>(compute: (key: string) => V) {
  const counting = Object.assign(
    (key: string) => {
      counting.calls++
      return compute(key)
    },
    { calls: 0 },
  )
  return counting
}

test('a result is computed once, null and false included', () => {
  const compute = counted((key) => (key === 'a' ? null : key === 'b' ? false : key))
  const remembered = createMemory().remember(compute)
  const twice = () => ['a', 'b', ''].map(remembered)
  expect([twice(), twice()]).toEqual([
    [null, false, ''],
    [null, false, ''],
  ])
  expect(compute.calls).toBe(3)
})

test('functions of one memory keep their results apart', () => {
  const memory = createMemory()
  const [upper, size] = [
    memory.remember((key) => key.toUpperCase()),
    memory.remember((key) => key.length),
  ]
  expect([upper('a'), size('a'), upper('a'), size('a')]).toEqual(['A', 1, 'A', 1])
})

test('forgetting loses nothing but time', () => {
  const memory = createMemory()
  const compute = counted((key) => key)
  const remembered = memory.remember(compute)
  remembered('a')
  memory.forget()
  expect(remembered('a')).toBe('a')
  expect(compute.calls).toBe(2)
})

test.each([
  ['entries', 10, 1_000_000, 'x'],
  ['characters', 1_000_000, 60, 'xxxx'],
])('it is bounded by %s over all its functions', (_, entries, characters, pad) => {
  const memory = createMemory(entries, characters)
  const computes = [counted((key) => key), counted((key) => key)]
  const [first, second] = computes.map((compute) => memory.remember(compute))
  first('early')
  for (let i = 0; i < 6; i++) {
    first(pad + i)
    second(pad + i)
  }
  expect(first('early')).toBe('early')
  expect(computes[0].calls).toBe(8)
})

test('a key longer than all it may hold is still answered', () => {
  const remembered = createMemory(10, 5).remember((key) => key.length)
  expect([remembered('x'.repeat(100)), remembered('x'), remembered('x'.repeat(100))]).toEqual([
    100, 1, 100,
  ])
})

test('a function of two strings is remembered by both', () => {
  const memory = createMemory()
  let calls = 0
  const joined = memory.rememberPair((a, b) => {
    calls++
    return `${a}/${b}`
  })
  const all = () => [joined('a', 'b'), joined('a', 'c'), joined('', 'b'), joined('a/', 'b')]
  expect(all()).toEqual(['a/b', 'a/c', '/b', 'a//b'])
  expect(all()).toEqual(['a/b', 'a/c', '/b', 'a//b'])
  expect(calls).toBe(4)
  memory.forget()
  all()
  expect(calls).toBe(8)
})

test('functions of two strings are bounded too, and right when what they keep is forgotten', () => {
  const joined = createMemory(3, 100).rememberPair((a, b) => a + b)
  for (let i = 0; i < 50; i++) expect(joined(`${i % 5}`, `${i % 7}`)).toBe(`${i % 5}${i % 7}`)
})
