import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compilePattern } from '../../src/relabel/pattern.ts'
import { parseShapes } from '../../src/relabel/shape.ts'

/** Whether a regex matches and where its groups are, by hand or on RE2. */
function found(regex: string, value: string, byHand: boolean) {
  const { test: tests, find, groups } = compilePattern(regex, byHand)
  const bounds = find(value)
  if (tests(value) !== (bounds !== null)) throw new Error('test and find disagree')
  return bounds === null ? null : Array.from(bounds).slice(0, 2 * groups + 2)
}

test.each([
  '',
  'api',
  'kube-system',
  'a b',
  'a\\.b\\-c\\_',
  'é',
  '5x',
  '.*',
  '.+',
  '(.*)',
  '(.+)',
  '.*?',
  '(.+?)',
  'go_.*',
  'go_.+',
  '.*_total',
  '.*_(.+)',
  'a.*b',
  'a(.*)b',
  '__meta_(.+)',
  '[^:]+',
  '([^:]*)',
  'a[^b]+c',
  '[^-]+',
  '[^\\.]+',
  '([^:]+):.*',
  '([^:]+)::(.*)',
  '(.*):.*',
  '(.*?):(.+)',
  '(.+)-(.+)',
  '(.*)-([^-]+)',
  '/(.*)/([^/]+)/x',
  'prod|staging',
  'a||b',
  'go_.*|process_.*|promhttp',
  '(a.*)',
  '(prod|staging)',
  '(?:prod|go_.*)',
  '(.*)a|b(.+)',
  '^api$',
  '^a|b$',
  '^go_.*',
])('%s is matched by hand', (regex) => {
  expect(parseShapes(regex)).not.toBeNull()
})

test.each([
  '.',
  '5..',
  'a*',
  'a?',
  '😀',
  'a+',
  'a{2}',
  'é*',
  '(a)*',
  '.*.*',
  '(.*)(.*)',
  '.*a.*b.*',
  '.**',
  '.+*',
  '.*{2}',
  '(.*',
  '.*)',
  'a)|(b',
  '(a|b)c',
  '(a)(b)',
  '((a))',
  '(?i)a',
  '(?P<n>.*)',
  '(?:(.*))',
  '[ab]+',
  '[^ab]+',
  '[^a-c]+',
  '[^:]',
  '[^^]+',
  '[^[]+',
  '[^:]{2}',
  '\\d',
  '\\w+',
  '\\Qa\\E',
  '\\',
  'a\\',
  '(a\\)',
  '\\.*',
  '\\pL',
  '\\x41',
  'a^b',
  'a$b',
  '$a',
  '^^a',
  'a$$',
  '^*',
  'a$*',
  '([^:]+)x.*',
  '(.*?)-([^-]+)',
  '[^:]+[^:]+',
  'a]',
  'a}',
  '{',
])('%s is left to RE2', (regex) => {
  expect(parseShapes(regex)).toBeNull()
})

test.each<[string, string, readonly number[] | null]>([
  ['([^:]+):.*', '10.0.0.7:9090', [0, 13, 0, 8]],
  ['([^:]+):.*', 'a:', [0, 2, 0, 1]],
  ['([^:]+):.*', ':9090', null],
  ['([^:]+):.*', 'a', null],
  ['([^:]+)::(.*)', 'a:b::c', null],
  ['([^:]*)::(.*)', '::c', [0, 3, 0, 0, 2, 3]],
  ['(.*):(.*)', 'a:b:c', [0, 5, 0, 3, 4, 5]],
  ['(.*?):(.*)', 'a:b:c', [0, 5, 0, 1, 2, 5]],
  ['(.*):(.+)', 'a:b:', [0, 4, 0, 1, 2, 4]],
  ['(.+?):(.*)', '::b', [0, 3, 0, 1, 2, 3]],
  ['(.*)::(.*)', 'a:::b', [0, 5, 0, 2, 4, 5]],
  ['(.*)-([^-]+)', 'a-b-', null],
  ['(.*)-([^-]*)', 'a-b-', [0, 4, 0, 3, 4, 4]],
  ['ab(.*)ba', 'aba', null],
  ['ab(.*)ba', 'abba', [0, 4, 2, 2]],
  ['a[^b]+b', 'acb', [0, 3]],
  ['a[^b]+b', 'acbb', null],
  ['.+', '', null],
  ['.*', '\n', [0, 1]],
  ['[^:]+', '\n', [0, 1]],
  ['(a.*)', 'ab', [0, 2, 0, 2]],
  ['(.*)a|b(.+)', 'bc', [0, 2, -1, -1, 1, 2]],
  ['(.*)a|b(.+)', 'ba', [0, 2, 0, 1, -1, -1]],
  ['prod|staging', 'staging', [0, 7]],
  ['prod|staging', 'prodstaging', null],
  ['a||b', '', [0, 0]],
  ['^a|b$', 'b', [0, 1]],
])('%s on %j gives %j, by hand and on RE2', (regex, value, want) => {
  expect(found(regex, value, true)).toEqual(want)
  expect(found(regex, value, false)).toEqual(want)
})

test('whatever simple regex and value: by hand is as on RE2', () => {
  const text = fc.constantFrom('a', 'b', ':', '-', 'a:', '::', 'ab', 'aa', '\\.', 'é', '😀')
  const dot = fc.constantFrom(
    '.*',
    '.+',
    '.*?',
    '.+?',
    '[^:]*',
    '[^:]+',
    '[^a]+',
    '[^-]*',
    '[^\\.]+',
  )
  const gap = fc.tuple(dot, fc.boolean()).map(([gap, group]) => (group ? `(${gap})` : gap))
  const one = fc.array(fc.oneof(text, gap), { maxLength: 5 }).map((parts) => parts.join(''))
  const several = fc.array(one, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('|'))
  const around = fc.constantFrom(['', ''], ['(', ')'], ['(?:', ')'], ['^', '$'])
  const regexes = fc.tuple(several, around).map(([regex, [open, close]]) => open + regex + close)
  const piece = fc.constantFrom('a', 'b', ':', '-', '.', 'é', '😀', '\n', 'ab', '::')
  const value = fc.array(piece, { maxLength: 7 }).map((parts) => parts.join(''))

  const seen = { byHand: 0, onEngine: 0, matched: 0, missed: 0 }
  fc.assert(
    fc.property(regexes, fc.array(value, { minLength: 20, maxLength: 20 }), (regex, values) => {
      if (parseShapes(regex) === null) {
        seen.onEngine++
        return
      }
      seen.byHand++
      for (const each of values) {
        const want = found(regex, each, false)
        if (want === null) seen.missed++
        else seen.matched++
        expect(found(regex, each, true)).toEqual(want)
      }
    }),
    { seed: 20_260, numRuns: 3000 },
  )
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(700)
})

test('a search takes time in proportion to the value, whatever the regex', () => {
  const value = `${'a'.repeat(20_000)}!`
  for (const regex of ['(a+)+b', '(a|a)*b', '(.*a){20}b', '(?:a?){50}b']) {
    expect(compilePattern(regex).test(value)).toBe(false)
  }
})
