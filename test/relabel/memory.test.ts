import { expect, test } from 'vitest'
import { createMemory, LONGEST } from '../../src/relabel/memory.ts'

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

test('what repeats soon is remembered, however many values there are', () => {
  const compute = counted((key) => key.length)
  const remembered = createMemory().remember(compute)
  for (let i = 0; i < 20_000; i++) {
    const key = `10.${i >> 8}.${i & 255}.7:9090`
    for (let again = 0; again < 3; again++) expect(remembered(key)).toBe(key.length)
  }
  expect(compute.calls).toBe(20_000)
})

test('a few hundred values in turn are nearly all remembered', () => {
  const compute = counted((key) => key)
  const remembered = createMemory().remember(compute)
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 200; i++) remembered(`gke-prod-pool-${i * 7919}-x`)
  }
  expect(compute.calls).toBeLessThan(500)
})

test('a long value is not remembered, but answered', () => {
  const compute = counted((key) => key.length)
  const remembered = createMemory().remember(compute)
  const long = 'x'.repeat(LONGEST + 1)
  expect([remembered(long), remembered(long)]).toEqual([LONGEST + 1, LONGEST + 1])
  expect(compute.calls).toBe(2)
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

test('functions of two strings are right however often their values change', () => {
  const joined = createMemory().rememberPair((a, b) => `${a}|${b}`)
  for (let i = 0; i < 5000; i++) {
    const [a, b] = [`${i % 71}`, `${(i * 7) % 113}`]
    expect(joined(a, b)).toBe(`${a}|${b}`)
  }
})
