import { describe, expect, test } from 'vitest'
import { LabelPair } from '../../src/relabel/label-pair.ts'
import { createTranslator } from '../../src/translate/translator.ts'
import { REASON_ATTRIBUTE_NAME, REASON_UTF8 } from '../../src/wire/layout.ts'
import { type Bytes, double, field, number, text } from '../batch/message.ts'
import { anyValue, keyValue, otlp, type Value } from './otlp-config.ts'

const escaping = createTranslator(otlp())
const verbatim = createTranslator(otlp({ translationStrategy: 'NoTranslation' }))
const attribute = (bytes: Bytes) => escaping.attribute(Uint8Array.from(bytes))

describe('a value is', () => {
  const map = (...entries: [string, Value][]) => new Map(entries)
  test.each<[string, Value, string]>([
    ['a string as it is', 'é"<\n', 'é"<\n'],
    ['true', true, 'true'],
    ['false', false, 'false'],
    ['an integer', -7n, '-7'],
    ['the largest integer', 2n ** 63n - 1n, '9223372036854775807'],
    ['the smallest integer', -(2n ** 63n), '-9223372036854775808'],
    ['an odd integer above 2^53', 2n ** 53n + 1n, '9007199254740993'],
    ['a double', 0.1, '0.1'],
    ['a whole double', 5, '5'],
    ['minus zero', -0, '-0'],
    ['a small double', 1e-6, '0.000001'],
    ['a smaller one', 1e-7, '1e-7'],
    ['a large double', 1e20, '100000000000000000000'],
    ['a larger one', 1e21, '1e+21'],
    ['no number', Number.NaN, 'NaN'],
    ['infinity', Number.POSITIVE_INFINITY, 'Infinity'],
    ['minus infinity', Number.NEGATIVE_INFINITY, '-Infinity'],
    ['bytes in base64', Uint8Array.of(0xfb, 0xff, 1, 2), '+/8BAg=='],
    ['no bytes', new Uint8Array(), ''],
    ['nothing', null, ''],
    ['an empty array', [], '[]'],
    ['an empty map', map(), '{}'],
    ['an array of all', ['a', 1n, -0, 1e21, true, null], '["a",1,-0,1e+21,true,null]'],
    ['an exact integer inside', [2n ** 53n + 1n], '[9007199254740993]'],
    ['bytes inside', [Uint8Array.of(1)], '["AQ=="]'],
    ['no bytes inside', [new Uint8Array()], '[null]'],
    [
      'what is not finite inside',
      [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
      '["NaN","Infinity","-Infinity"]',
    ],
    ['a map, sorted', map(['b', 1n], ['a', 'x'], ['', null]), '{"":null,"a":"x","b":1}'],
    ['sorted by bytes', map(['\u{10000}', 1n], ['\uff5e', 2n]), '{"\uff5e":2,"\u{10000}":1}'],
    ['maps in arrays', [map(['a', [map()]])], '[{"a":[{}]}]'],
    ['not escaped for HTML', ['<a href="x">&</a>', "it's"], '["<a href=\\"x\\">&</a>","it\'s"]'],
    [
      'escaped as Go does',
      ['\b\f\n\r\t\x01\x7f\u2028\u2029\\/'],
      '["\\b\\f\\n\\r\\t\\u0001\x7f\\u2028\\u2029\\\\/"]',
    ],
    ['one key with numbers', map(['10', 1n], ['9', 2n]), '{"10":1,"9":2}'],
    ['the key __proto__', map(['__proto__', 1n]), '{"__proto__":1}'],
  ])('%s', (_, value, expected) => {
    expect(attribute(keyValue('k', value)).value).toBe(expected)
  })

  test('many bytes, in base64', () => {
    const bytes = Uint8Array.from({ length: 20_000 }, (_, i) => i)
    expect(attribute(keyValue('k', bytes)).value).toBe(Buffer.from(bytes).toString('base64'))
  })

  test('64 levels deep', () => {
    let value: Value = 'x'
    for (let i = 0; i < 64; i++) value = i % 2 === 0 ? [value] : new Map([['k', value]])
    const { value: json } = attribute(keyValue('k', value))
    expect(json.length).toBe(3 + 32 * 2 + 32 * 6)
    expect(JSON.parse(json)).toBeTruthy()
  })
})

describe('a message may have', () => {
  test.each<[string, Bytes, string, string]>([
    ['its value first', [...field(2, anyValue('v')), ...text(1, 'k')], 'k', 'v'],
    ['two keys', [...text(1, 'a'), ...keyValue('k', 'v')], 'k', 'v'],
    ['two values', [...keyValue('k', 'a'), ...field(2, anyValue(2n))], 'k', '2'],
    ['an empty second value', [...keyValue('k', 'a'), ...field(2, [])], 'k', 'a'],
    [
      'two kinds of value',
      [...text(1, 'k'), ...field(2, [...text(1, 'a'), ...number(2, 1)])],
      'k',
      'true',
    ],
    [
      'two arrays, of which the last counts',
      [...text(1, 'k'), ...field(2, [...anyValue(['a']), ...anyValue(['b'])])],
      'k',
      '["b"]',
    ],
    [
      'a key twice inside',
      keyValue('k', 'x').concat(
        field(2, field(6, [...field(1, keyValue('a', 'x')), ...field(1, keyValue('a', 'y'))])),
      ),
      'k',
      '{"a":"y"}',
    ],
    ['a key alone', text(1, 'k'), 'k', ''],
    [
      'a key alone inside',
      [...text(1, 'k'), ...field(2, field(6, field(1, text(1, 'a'))))],
      'k',
      '{"a":null}',
    ],
    [
      'unknown fields',
      [
        ...double(9, 1),
        ...text(1, 'k'),
        0x4b,
        0x08,
        1,
        0x4c,
        ...field(2, [...number(8, 5), ...text(1, 'v'), ...field(15, [1])]),
        ...number(3, 7),
      ],
      'k',
      'v',
    ],
    [
      'fields of another type',
      [
        ...number(1, 5),
        ...number(2, 5),
        ...text(1, 'k'),
        ...field(2, [...number(1, 3), ...double(3, 1), ...text(2, 'x')]),
      ],
      'k',
      '',
    ],
    ['an index into a table of strings', [...text(1, 'k'), ...field(2, number(8, 5))], 'k', ''],
  ])('%s', (_, bytes, key, value) => {
    expect(attribute(bytes)).toMatchObject({ key, value, problem: 0 })
  })
})

describe('the label', () => {
  test('has the escaped key and the value', () => {
    expect(attribute(keyValue('a.b', 'v')).pair).toEqual(new LabelPair('a_b', 'v'))
  })

  test('has the key as it is where nothing is escaped, even underscores alone', () => {
    expect(verbatim.attribute(Uint8Array.from(keyValue('a.日', 'v'))).name).toBe('a.日')
    expect(verbatim.attribute(Uint8Array.from(keyValue('___', 'v'))).name).toBe('___')
  })

  test('is none when the value is empty, but its name is known', () => {
    expect(attribute(keyValue('a.b', ''))).toMatchObject({
      name: 'a_b',
      pair: undefined,
      problem: 0,
    })
  })

  test.each(['__name__', '..name__', '..name..'])('is none for the key %s', (key) => {
    const none = { key, value: 'evil', name: undefined, pair: undefined, problem: 0 }
    expect(attribute(keyValue(key, 'evil'))).toEqual(none)
  })

  test.each(['', '___', '日本'])('can\'t be made of the key "%s"', (key) => {
    expect(attribute(keyValue(key, 'v'))).toMatchObject({
      pair: undefined,
      problem: REASON_ATTRIBUTE_NAME,
    })
    expect(attribute(keyValue(key, '')).problem).toBe(REASON_ATTRIBUTE_NAME)
  })

  test('needs a key where nothing is escaped too', () => {
    const of = (value: string) => verbatim.attribute(Uint8Array.from(keyValue('', value))).problem
    expect(of('v')).toBe(REASON_ATTRIBUTE_NAME)
    expect(of('')).toBe(0)
  })
})

describe('text that is no UTF-8 is refused', () => {
  const bad: Bytes = field(1, [0x61, 0xff])
  test.each<[string, Bytes]>([
    ['as a key', [...bad, ...field(2, anyValue('v'))]],
    ['as a value', [...text(1, 'k'), ...field(2, bad)]],
    ['in an array', [...text(1, 'k'), ...field(2, field(5, field(1, bad)))]],
    ['as a key in a map', [...text(1, 'k'), ...field(2, field(6, field(1, bad)))]],
    ['as half of a surrogate pair', [...text(1, 'k'), ...field(2, field(1, [0xed, 0xa0, 0x80]))]],
  ])('%s', (_, bytes) => {
    expect(attribute(bytes)).toMatchObject({ pair: undefined, problem: REASON_UTF8 })
  })

  test('but not where it was sent as the sign for it, or as bytes', () => {
    expect(attribute(keyValue('k', '\ufffd')).problem).toBe(0)
    expect(attribute(keyValue('k', Uint8Array.of(0xff))).problem).toBe(0)
  })

  test('and not when the one before was', () => {
    attribute(bad)
    expect(attribute(keyValue('k', 'v')).problem).toBe(0)
  })
})

test('keeps nothing of the bytes', () => {
  const bytes = Uint8Array.from(keyValue('some.key', 'some value'))
  const kept = escaping.attribute(bytes)
  bytes.fill(0)
  expect(kept.pair).toEqual(new LabelPair('some_key', 'some value'))
})
