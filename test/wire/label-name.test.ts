import { expect, test } from 'vitest'
import { labelName } from '../../src/wire/label-name.ts'

test.each([
  '__name__',
  'pod',
  '',
  '0',
  '__proto__',
  'constructor',
  'toString',
  'ünï.cödé',
  '\ud800',
])('the name %j stays what it is, the first time and later', (name) => {
  const again = `${name} `.slice(0, -1)
  expect(labelName(name)).toBe(name)
  expect(labelName(again)).toBe(name)
})

test('so many different names come that not all are kept: each is still itself', () => {
  for (let i = 0; i < 10_000; i++) expect(labelName(`name_${i}`)).toBe(`name_${i}`)
})

test('long names are not kept: thousands of them cost no more than reading them', () => {
  const long = (i: number) => `${'n'.repeat(50_000)}${i}`
  const sizes = [0, 1].map(() => {
    for (let i = 0; i < 2000; i++) expect(labelName(long(i))).toBe(long(i))
    return process.memoryUsage().heapUsed
  })
  // 2,000 of them would be 100 MB.
  expect(sizes[1]! - sizes[0]!).toBeLessThan(50e6)
}, 10_000)
