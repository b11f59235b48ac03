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

const AWKWARD = `a/b+c=&<d>"e'f\\g h!é`

test.each<[string, string]>([
  ['as it is', AWKWARD],
  ['by JSON', JSON.stringify(AWKWARD).slice(1, -1)],
  ["by Go's JSON", String.raw`a/b+c=\u0026\u003cd\u003e\"e'f\\g h!é`],
  ["by Go's html", String.raw`a/b+c=&amp;&lt;d&gt;&#34;e&#39;f\g h!é`],
  ["by Go's html/template", String.raw`a/b&#43;c=&amp;&lt;d&gt;&#34;e&#39;f\g h!é`],
  ["by Python's html", String.raw`a/b+c=&amp;&lt;d&gt;&quot;e&#x27;f\g h!é`],
  ["by Express' escape-html", String.raw`a/b+c=&amp;&lt;d&gt;&quot;e&#39;f\g h!é`],
  ['in a URL', encodeURIComponent(AWKWARD)],
  ['in a URL, lower case', "a%2fb%2bc%3d%26%3cd%3e%22e'f%5cg%20h!%c3%a9"],
  ['in a form', new URLSearchParams({ k: AWKWARD }).toString().slice(2)],
  ['in a form, lower case', 'a%2fb%2bc%3d%26%3cd%3e%22e%27f%5cg+h%21%c3%a9'],
])('a secret is found as it is written %s', (_, written) => {
  f(`no: [${written}]`, [AWKWARD], 'no: [***]')
  expect(redact(`no: [${written.slice(0, -1)}`, [AWKWARD], true)).toBe('no: [')
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
