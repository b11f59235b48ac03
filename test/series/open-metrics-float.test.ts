import { expect, test } from 'vitest'
import { openMetricsFloat } from '../../src/series/open-metrics-float.ts'

test.each<[number, string]>([
  [1, '1.0'],
  [0, '0.0'],
  [-1, '-1.0'],
  [-0, '-0.0'],
  [0.25, '0.25'],
  [5, '5.0'],
  [10, '10.0'],
  [100_000, '100000.0'],
  [123_456, '123456.0'],
  [999_999.5, '999999.5'],
  [1_000_000, '1e+06'],
  [1_234_567, '1.234567e+06'],
  [1e21, '1e+21'],
  [1e100, '1e+100'],
  [0.0001, '0.0001'],
  [0.000_123, '0.000123'],
  [0.000_01, '1e-05'],
  [1.5e-7, '1.5e-07'],
  [5e-324, '5e-324'],
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
  [Number.NaN, 'NaN'],
])('%d is written as %s, as Go does', (value, text) => {
  expect(openMetricsFloat(value)).toBe(text)
})
