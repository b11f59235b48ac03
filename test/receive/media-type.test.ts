import { describe, expect, it } from 'vitest'
import { parseMediaType } from '../../src/receive/media-type.ts'

describe('well-formed media types', () => {
  const cases: [value: string, essence: string, parameters?: Record<string, string>][] = [
    ['application/x-protobuf', 'application/x-protobuf'],
    ['Application/X-ProtoBuf', 'application/x-protobuf'],
    ['  text/plain\t', 'text/plain'],
    ['a/b;c=d', 'a/b', { c: 'd' }],
    ['a/b;C=D', 'a/b', { c: 'D' }],
    ['a/b ; \t c=d \t;e=f ', 'a/b', { c: 'd', e: 'f' }],
    ['a/b;', 'a/b'],
    ['a/b; ;;c=d;', 'a/b', { c: 'd' }],
    ['a/b;c="d"', 'a/b', { c: 'd' }],
    ['a/b;c=""', 'a/b', { c: '' }],
    ['a/b;c="d;e=f, g\t"', 'a/b', { c: 'd;e=f, g\t' }],
    ['a/b;c="d\\"\\\\\\e"', 'a/b', { c: 'd"\\e' }],
    ['a/b;c="\u00fc"', 'a/b', { c: '\u00fc' }],
    ["!#$%&'*+-.^_`|~/b", "!#$%&'*+-.^_`|~/b"],
    ['a/b;__proto__=x', 'a/b', { ['__proto__']: 'x' }],
  ]
  it.each(cases)('%s', (value, essence, parameters = {}) => {
    const type = parseMediaType(value)
    expect(type?.essence).toBe(essence)
    expect([...(type?.parameters ?? [])]).toEqual(Object.entries(parameters))
  })
})

describe('malformed media types', () => {
  const cases = [
    '',
    ' ',
    'a',
    'a/',
    '/b',
    'a /b',
    'a/ b',
    'a/b/c',
    'a/b c=d',
    'a/b;c',
    'a/b;c=',
    'a/b;=d',
    'a/b;c =d',
    'a/b;c= d',
    'a/b;c="d',
    'a/b;c="d\\"',
    'a/b;c="d"e',
    'a/b;c="\x01"',
    'a/b;c="\\\x7f"',
    'a/b;c="\u0100"',
    'a/b;c=d e',
    'a/b;c=d;c=d',
    'a/b;c=d;C="e"',
    'a/b, a/b',
    'a/b;c=d, a/b',
    'ä/b',
  ]
  it.each(cases)('%j', (value) => {
    expect(parseMediaType(value)).toBeUndefined()
  })
})

it('a long header takes linear time', () => {
  const start = performance.now()
  expect(parseMediaType(`a/b${' ;'.repeat(50_000)}"`)).toBeUndefined()
  expect(parseMediaType(`a/b;c="${'\\a'.repeat(50_000)}`)).toBeUndefined()
  expect(parseMediaType(`a/b${' '.repeat(100_000)}x`)).toBeUndefined()
  expect(performance.now() - start).toBeLessThan(2000)
})
