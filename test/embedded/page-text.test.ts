import { describe, expect, it } from 'vitest'
import { ageText, bytesText, countText, shorten } from '../../src/embedded/page-text.ts'

describe('ageText', () => {
  it.each([
    [0, '0 s'],
    [0.9, '0 s'],
    [-0.5, '0 s'],
    [1, '1 s'],
    [59.9, '59 s'],
    [60, '1 min'],
    [3600, '1 h'],
    [86_400 * 1500, '1,500 d'],
    [-125, 'in 2 min'],
  ])('%s seconds: %s', (seconds, text) => {
    expect(ageText(seconds)).toBe(text)
  })
})

describe('bytesText', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1536, '1.5 KiB'],
    [64 * 1024 * 1024, '64.0 MiB'],
  ])('%s: %s', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text)
  })
})

describe('countText', () => {
  it.each([
    [1, 'request', '1 request'],
    [2000, 'request', '2,000 requests'],
    [2, 'series', '2 series'],
  ])('%s %s: %s', (count, thing, text) => {
    expect(countText(count, thing)).toBe(text)
  })
})

describe('shorten', () => {
  it('leaves text that fits and cuts text that does not', () => {
    expect([shorten('abc', 3), shorten('abcd', 3)]).toEqual(['abc', 'abc…'])
  })
})
