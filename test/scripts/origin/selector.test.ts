import { expect, test } from 'vitest'
import { parseSelector } from '../../../scripts/origin/selector.ts'

test.each<[string, string[], number | undefined]>([
  ['up', ['__name__=up'], undefined],
  [' up [5m] ', ['__name__=up'], 300_000],
  ['{}', [], undefined],
  ['job:rate:5m{}', ['__name__=job:rate:5m'], undefined],
  [
    'up{a="b",c!="d",e=~"re",f!~"re"}[1h30m]',
    ['__name__=up', 'a=b', 'c!=d', 'e=~re', 'f!~re'],
    5_400_000,
  ],
  ['{ a = "b" , }', ['a=b'], undefined],
  ['{generate_run="id",__name__="x"}[10m]', ['generate_run=id', '__name__=x'], 600_000],
  ['{"http.requests", "a.b"=\'c\'}', ['__name__=http.requests', 'a.b=c'], undefined],
  ['{a="q\\"\\\\\\n\\u00e9\\x41"}', ['a=q"\\\néA'], undefined],
  ['{a=`raw\\n`}', ['a=raw\\n'], undefined],
])('%s', (text, matchers, range) => {
  const selector = parseSelector(text)
  expect(selector.matchers.map(({ label, op, value }) => label + op + value)).toEqual(matchers)
  expect(selector.range).toBe(range)
})

test.each([
  ['', 'at character 1: wanted a selector such as up{job="a"}[5m]'],
  ['rate(up[5m])', 'at character 5: wanted the end; only selectors are known'],
  ['up{', 'at character 4: wanted a label, or }'],
  ['up{a}', 'at character 5: wanted =, !=, =~ or !~'],
  ['up{a=b}', 'at character 6: wanted a value in quotes'],
  ['up{a="b" c="d"}', 'at character 10: wanted , or }'],
  ['up{a="\\q"}', 'at character 6: an escape sequence that nobody knows'],
  ['up{a=~"("}', /^at character 10: "\(" is not RE2 syntax: /],
  ['up[x]', 'at character 5: wanted a duration such as 5m'],
  ['up[0]', 'at character 5: wanted a duration such as 5m'],
  ['up[5m', 'at character 6: wanted ]'],
  ['up[5m] offset 1m', 'at character 8: wanted the end; only selectors are known'],
  ['x'.repeat(10_001), 'at character 1: a query has at most 10000 characters'],
])('%s is refused', (text, message) => {
  expect(() => parseSelector(text)).toThrow(message)
})

test.each([
  ['=~', 'a.c', 'abc', true],
  ['=~', 'a.c', 'abcd', false],
  ['=~', 'a|b', 'b', true],
  ['=~', 'a.c', 'a\nc', true],
  ['!~', 'a.*', 'abc', false],
  ['!~', 'a.*', '', true],
  ['=', '', '', true],
  ['!=', 'a', '', true],
])('a label %s "%s" is %j: %s', (op, value, label, wanted) => {
  expect(parseSelector(`{a${op}"${value}"}`).matchers[0]!.matches(label)).toBe(wanted)
})
