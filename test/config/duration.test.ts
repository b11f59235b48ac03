import { expect, test } from 'vitest'
import { formatDuration, parseDuration } from '../../src/config/duration.ts'

test.each([
  ['0', 0],
  ['0s', 0],
  ['30ms', 30],
  ['8s', 8000],
  ['10m', 600_000],
  ['1h30m', 5_400_000],
  ['1d', 86_400_000],
  ['2w', 1_209_600_000],
  ['1y', 31_536_000_000],
  ['1y1w1d1h1m1s1ms', 32_230_861_001],
  ['292y', 292 * 31_536_000_000],
])('the duration %s is %d ms', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds)
})

test.each(['', '5', '1.5s', '-1s', '1m1h', '1s1s', '30 s', '1S', '1us', 's', '293y', '1h 30m'])(
  '%j is no duration',
  (text) => {
    expect(parseDuration(text)).toBeUndefined()
  },
)

test.each([
  [0, '0s'],
  [30, '30ms'],
  [8000, '8s'],
  [600_000, '10m'],
  [5_400_000, '1h30m'],
  [90_061_001, '1d1h1m1s1ms'],
  [604_800_000, '1w'],
  [691_200_000, '8d'],
  [31_536_000_000, '1y'],
])('%d ms are written %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text)
  expect(parseDuration(text)).toBe(milliseconds)
})
