import { expect, test } from 'vitest'
import { seeded } from '../../scripts/seeded.ts'
import { boundText } from '../../src/translate/bound-text.ts'
import golden from '../golden/histogram.json' with { type: 'json' }

test.each(golden.le_label_formatting)('the golden bound $bound is $le', ({ bound, le }) => {
  expect(boundText(Number(bound))).toBe(le)
})

test.each<[number, string]>([
  [0, '0'],
  [-0, '-0'],
  [Number.POSITIVE_INFINITY, '+Inf'],
  [Number.NEGATIVE_INFINITY, '-Inf'],
  [Number.NaN, 'NaN'],
  [-1e-7, '-0.0000001'],
  [1.25e-9, '0.00000000125'],
  [-1.5e21, '-1500000000000000000000'],
  [1.7976931348623157e308, `17976931348623157${'0'.repeat(292)}`],
  [5e-324, `0.${'0'.repeat(323)}5`],
  [123456789012345680000, '123456789012345680000'],
  [1e20, '100000000000000000000'],
])('%s is %s', (value, text) => {
  expect(boundText(value)).toBe(text)
})

test('every text means its number and has no exponent', () => {
  const random = seeded(41)
  const bits = new Uint32Array(2)
  for (let i = 0; i < 2000; i++) {
    bits[0] = random() * 2 ** 32
    bits[1] = random() * 2 ** 32
    const value = new Float64Array(bits.buffer)[0]!
    if (Number.isNaN(value)) continue
    const text = boundText(value)
    expect(text).toMatch(/^-?\d+(\.\d+)?$/)
    expect(Number(text)).toBe(value)
  }
})
