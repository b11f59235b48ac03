import { expect, test } from 'vitest'
import { parseRetryAfter } from '../../src/deliver/retry-after.ts'

const NOW = Date.UTC(2026, 9, 21, 7, 28, 0)

function f(value: string | null, want: number | undefined) {
  expect(parseRetryAfter(value, NOW)).toBe(want)
}

test('whole seconds', () => {
  f('1', 1000)
  f(' 30 ', 30_000)
  f('007', 7000)
})

test('what asks for no wait is ignored', () => {
  f(null, undefined)
  f('', undefined)
  f('0', undefined)
  f('-5', undefined)
})

test('what is not whole seconds is ignored', () => {
  for (const value of ['1.5', '+5', '5s', '1e3', 'soon', '5, 10', '0x10', 'NaN', 'Infinity']) {
    f(value, undefined)
  }
})

test('what is huge is clamped to 120 s', () => {
  f('120', 120_000)
  f('121', 120_000)
  f('9'.repeat(400), 120_000)
  f('Fri, 31 Dec 9999 23:59:59 GMT', 120_000)
})

test('an IMF-fixdate is a wait from now', () => {
  f('Wed, 21 Oct 2026 07:28:30 GMT', 30_000)
  f('wed, 21 oct 2026 07:29:00 gmt', 60_000)
  f('Wed, 21 Oct 2026 07:28:60 GMT', 60_000)
})

test('a date that is past or now is ignored', () => {
  f('Wed, 21 Oct 2026 07:28:00 GMT', undefined)
  f('Wed, 21 Oct 2015 07:28:00 GMT', undefined)
  f('Sunday, 06-Nov-94 08:49:37 GMT', undefined)
  f('Sun Nov  6 08:49:37 1994', undefined)
})

test('the obsolete forms are read too', () => {
  f('Wednesday, 21-Oct-26 07:28:10 GMT', 10_000)
  f('Wed Oct 21 07:28:10 2026', 10_000)
})

test('two digits more than 50 years ahead are a year of the last century', () => {
  f('Monday, 01-Jan-77 00:00:00 GMT', undefined)
  f('Wednesday, 01-Jan-76 00:00:00 GMT', 120_000)
})

test('a day of the month with one digit in asctime is padded with a space', () => {
  const november = Date.UTC(2026, 10, 6, 8, 49, 30)
  expect(parseRetryAfter('Fri Nov  6 08:49:37 2026', november)).toBe(7000)
})

test('what is no date is ignored', () => {
  for (const value of [
    'Sat, 31 Feb 2037 07:28:00 GMT',
    'Wed, 00 Oct 2037 07:28:00 GMT',
    'Wed, 21 Foo 2037 07:28:00 GMT',
    'Wed, 21 Oct 2037 24:00:00 GMT',
    'Wed, 21 Oct 2037 07:60:00 GMT',
    'Wed, 21 Oct 2037 07:28:61 GMT',
    'Wed, 21 Oct 2037 07:28:00 CET',
    'Wed, 21 Oct 2037 07:28:00',
    '2037-10-21T07:28:00Z',
    'Wed, 21 Oct 2037 07:28:00 GMT trailing',
  ]) {
    f(value, undefined)
  }
})
