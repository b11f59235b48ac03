import { expect, test } from 'vitest'
import { oneLine } from '../../src/deliver/one-line.ts'

function f(text: string, max: number, want: string) {
  expect(oneLine(text, max)).toBe(want)
}

test('what is printable stays', () => {
  f('out of order sample', 100, 'out of order sample')
  f('größer als 8 MB: 日本 😀', 100, 'größer als 8 MB: 日本 😀')
})

test('line breaks and tabs become one space', () => {
  f('a\r\n\tb\nc', 100, 'a b c')
  f('\n a \n', 100, 'a')
})

test('control, format and line separating characters are replaced', () => {
  f('a\x1b[31mb\0c', 100, 'a\ufffd[31mb\ufffdc')
  f('a\u202eb\u200bc\u2028d', 100, 'a\ufffdb\ufffdc\ufffdd')
  f('lone \ud800 surrogate', 100, 'lone \ufffd surrogate')
})

test('what is too long ends in an ellipsis, within the limit', () => {
  f('abcdef', 6, 'abcdef')
  f('abcdefg', 6, 'abcde…')
})

test('a character is never cut in half', () => {
  f('abcd😀fg', 6, 'abcd…')
})
