import { expect, test } from 'vitest'
import { lowerRunes, upperRunes } from '../../src/relabel/rune-case.ts'

test.each([
  ['TeAm-X', 'team-x', 'TEAM-X'],
  ['straße', 'straße', 'STRAßE'],
  ['ΟΔΟΣ', 'οδοσ', 'ΟΔΟΣ'],
  ['İx', 'ix', 'İX'],
  ['ı', 'ı', 'I'],
  ['ſ', 'ſ', 'S'],
  ['\u212a', 'k', '\u212a'],
  ['ŉ', 'ŉ', 'ŉ'],
  ['ǰ', 'ǰ', 'ǰ'],
  ['ﬃ', 'ﬃ', 'ﬃ'],
  ['ΐ', 'ΐ', 'ΐ'],
  ['\u1f80\u1f97\u1fa5', '\u1f80\u1f97\u1fa5', '\u1f88\u1f9f\u1fad'],
  ['\u1fb3\u1fc3\u1ff3', '\u1fb3\u1fc3\u1ff3', '\u1fbc\u1fcc\u1ffc'],
  ['\u1fb4', '\u1fb4', '\u1fb4'],
  ['ǅ', 'ǆ', 'Ǆ'],
  ['\u{10400}\u{10428}', '\u{10428}\u{10428}', '\u{10400}\u{10400}'],
  ['', '', ''],
])('%j is %j in lower case and %j in upper case, as in Go', (text, lower, upper) => {
  expect(lowerRunes(text)).toBe(lower)
  expect(upperRunes(text)).toBe(upper)
})

test('one code point always becomes one code point, in the planes that have letters with case', () => {
  for (let point = 0; point < 0x20000; point++) {
    if (point >= 0xd800 && point < 0xe000) continue
    const rune = String.fromCodePoint(point)
    for (const mapped of [lowerRunes(rune), upperRunes(rune)]) {
      if (mapped.length !== (mapped.codePointAt(0)! > 0xffff ? 2 : 1)) {
        throw new Error(`U+${point.toString(16)} became ${JSON.stringify(mapped)}`)
      }
    }
  }
})
