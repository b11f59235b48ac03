import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareBytes } from '../../src/relabel/byte-order.ts'

test.each([
  ['', 'a'],
  ['a', 'aa'],
  ['Z', '_'],
  ['_', 'a'],
  ['z', 'é'],
  ['\uff5e', '\u{10000}'],
  ['\ud7ff', '\ue000'],
  ['\u{10000}', '\u{10001}'],
  ['\u{10000}', '\u{20000}'],
  ['a\uffff', 'a\u{1f600}'],
])('%j comes before %j', (first, second) => {
  expect(compareBytes(first, second)).toBeLessThan(0)
  expect(compareBytes(second, first)).toBeGreaterThan(0)
  expect(compareBytes(first, `${first}`)).toBe(0)
})

test('the order is that of the UTF-8 bytes', () => {
  const text = fc.string({ unit: 'binary', maxLength: 4 })
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
    { seed: 7, numRuns: 2000 },
  )
})
