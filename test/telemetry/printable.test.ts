import { describe, expect, it } from 'vitest'
import { maskCredentials, printable } from '../../src/telemetry/printable.ts'

describe('printable', () => {
  const cases: [name: string, text: string, want: string][] = [
    ['plain text stays', 'label "a" is too long', 'label "a" is too long'],
    ['text in any script stays', 'größe 大きさ 🔑', 'größe 大きさ 🔑'],
    ['lines become one', ' one\r\n two\n\tthree\n', 'one two three'],
    ['controls go', 'a\x00b\x1b[31mc\x7fd\x85e', 'a b [31mc d e'],
    ['separators go', 'a\u2028b\u2029c\u00a0d', 'a b c d'],
    ['marks that reorder or hide text go', 'a\u202eb\u2066c\u200bd\ufeffe', 'a b c d e'],
    ['half characters go', 'a\ud800b\udc00c', 'a b c'],
    ['nothing is left of nothing', '\n\n', ''],
  ]
  it.each(cases)('%s', (_, text, want) => {
    expect(printable(text, 100)).toBe(want)
  })

  const cuts: [text: string, limit: number, want: string][] = [
    ['abcdef', 6, 'abcdef'],
    ['abcdefg', 6, 'abcde…'],
    ['abc🔑de', 6, 'abc🔑…'],
    ['abcd🔑e', 6, 'abcd…'],
    [`${'\n'.repeat(40)}late`, 6, ''],
  ]
  it.each(cuts)('%j cut to %d', (text, limit, want) => {
    expect(printable(text, limit)).toBe(want)
  })
})

describe('maskCredentials', () => {
  const cases: [text: string, want: string][] = [
    ['fetch of https://user:pw@host/path?a=b failed', 'fetch of https://***@host/path?a=b failed'],
    ['https://token@host', 'https://***@host'],
    ['https://a@x and http://b:c@y', 'https://***@x and http://***@y'],
    ['https://host/a@b', 'https://host/a@b'],
    ['Authorization: Bearer abcdef0123456789.x==', 'Authorization: Bearer ***'],
    ['basic dXNlcjpwYXNzd29yZA==', 'basic ***'],
    ['basic authentication failed', 'basic authentication failed'],
    ['a bearer of bad news', 'a bearer of bad news'],
  ]
  it.each(cases)('%s', (text, want) => {
    expect(maskCredentials(text)).toBe(want)
  })
})
