import { expect, test } from 'vitest'
import { redact } from '../../src/deliver/redact.ts'

function f(text: string, secrets: string[], want: string) {
  expect(redact(text, secrets)).toBe(want)
}

test('every place of every secret is hidden', () => {
  f('bad token abc123, I said abc123', ['abc123'], 'bad token ***, I said ***')
  f('user:pw and pw', ['pw', 'user:pw'], '*** and ***')
})

test('a secret is found percent-encoded and as JSON writes it', () => {
  f('GET /?t=a%2Fb%20c', ['a/b c'], 'GET /?t=***')
  f('{"token":"a\\"b\\\\c"}', ['a"b\\c'], '{"token":"***"}')
})

test('a secret with characters that are special to regular expressions is taken literally', () => {
  f('a+(b and a$&', ['+(', '$&'], 'a***b and a***')
})

test('an empty secret hides nothing', () => {
  f('abc', [''], 'abc')
})

test('the start of a secret at the end of a cut text goes too', () => {
  expect(redact('you sent hunt', ['hunter2'], true)).toBe('you sent ')
  expect(redact('you sent hunt', ['hunter2'], false)).toBe('you sent hunt')
  expect(redact('you sent hunter2', ['hunter2'], true)).toBe('you sent ***')
})
