import { expect, test } from 'vitest'
import { compilePattern } from '../../src/relabel/pattern.ts'
import { replaceMatches } from '../../src/relabel/replace-matches.ts'
import { compileTemplate } from '../../src/relabel/template.ts'

test.each([
  ['k8s_(.+)', '$1', 'k8s_pod', 'pod'],
  ['k8s_(.+)', '$1', 'pod', null],
  ['(.*)', '<$1>', '', '<>'],
  // The anchors hold for one alternative each: a at the start, b at the end.
  ['a)|(b', 'x', 'ab', 'xx'],
  ['a)|(b', 'x', 'aab', 'xax'],
  ['a)|(b', 'x', 'ba', null],
  ['a)|(b', '[$1]', 'acb', '[]c[b]'],
  ['a)|(b*', 'x', 'aéb', 'xéx'],
  ['a)|(b*', 'x', 'a😀', 'x😀x'],
  ['a*)|(b*', 'x', '', 'x'],
  ['b)|(', 'x', 'ab', 'abx'],
])('every match of %s by %s in %j gives %j', (regex, replacement, text, want) => {
  const { find, groups, names } = compilePattern(regex)
  const { expand } = compileTemplate(replacement, groups, names)
  expect(replaceMatches(text, find, expand)).toBe(want)
})
