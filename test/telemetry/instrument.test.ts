import { expect, it } from 'vitest'
import { counter, gauge, MAX_CHILDREN } from '../../src/telemetry/instrument.ts'

it('the same values give the same child', () => {
  const family = counter('x_total', 'X.', ['a', 'b'])
  const child = family.with('1', '2')
  child.add(5)
  expect(family.with('1', '2')).toBe(child)
  expect(family.with('2', '1')).not.toBe(child)
  expect(family.with('1', '2').value).toBe(5)
})

it('values can not be mixed up by what they hold', () => {
  const family = counter('x_total', 'X.', ['a', 'b'])
  expect(family.with('a,', 'b')).not.toBe(family.with('a', ',b'))
  expect(family.with('a","b', '')).not.toBe(family.with('a', 'b'))
})

it('a family has a largest size, further values are counted together', () => {
  const family = counter('x_total', 'X.', ['a', 'b'])
  for (let i = 0; i < MAX_CHILDREN; i++) family.with(String(i), 'x').add()
  const overflow = family.with('one more', 'x')
  expect(family.with('and another', 'y')).toBe(overflow)
  expect(family.with('7', 'x').value).toBe(1)
  const children = [...family.children]
  expect(children.length).toBe(MAX_CHILDREN + 1)
  expect(children.at(-1)?.values).toEqual(['other', 'other'])
})

it.each([-1, Number.NaN])('a counter refuses %d', (n) => {
  const child = counter('x_total', 'X.', []).with()
  expect(() => child.add(n)).toThrow('BUG:')
  expect(child.value).toBe(0)
})

it('a gauge goes up and down', () => {
  const child = gauge('x', 'X.', []).with()
  child.set(3)
  child.set(-1)
  expect(child.value).toBe(-1)
})
