import { describe, expect, test } from 'vitest'
import { compileRules } from '../../src/relabel/compile.ts'
import { md5Hashmod } from '../../src/relabel/hashmod.ts'
import { idsOf, type Labels, labelSet, pairsOf, relabel, rule } from './labels.ts'

const m = { __name__: 'm' }

describe.each([
  ['by hand where it can be', true],
  ['on RE2 always', false],
])('matched %s', (_, byHand) => {
  /** A row: what it shows, rules, labels, what becomes of the labels (null: they stay). */
  test.each<[string, readonly object[], Labels, Labels | number | null]>([
    [
      'keep: the whole value must match',
      [{ action: 'keep', source_labels: ['a'], regex: 'b' }],
      { a: 'bb' },
      0,
    ],
    [
      'keep: an absent label is empty',
      [{ action: 'keep', source_labels: ['a'], regex: '.*' }],
      m,
      null,
    ],
    [
      'keep: alternatives are anchored together',
      [{ action: 'keep', source_labels: ['a'], regex: 'b|cd' }],
      { a: 'bd' },
      0,
    ],
    [
      'keep: dot takes a line end',
      [{ action: 'keep', source_labels: ['a'], regex: 'b.c' }],
      { a: 'b\nc' },
      null,
    ],
    [
      'keep: $ is no line end',
      [{ action: 'keep', source_labels: ['a'], regex: 'b' }],
      { a: 'b\n' },
      0,
    ],
    ['drop: the second rule says so', [{ action: 'keep' }, { action: 'drop' }], m, 1],
    [
      'drop: sources are joined in the order of the rule',
      [{ action: 'drop', source_labels: ['b', 'a'], regex: '2;1' }],
      { a: '1', b: '2' },
      0,
    ],
    [
      'drop: a lone parenthesis takes the anchors apart',
      [{ action: 'drop', source_labels: ['a'], regex: 'x)|(y' }],
      { a: 'xz' },
      0,
    ],
    [
      'keepequal: equal',
      [{ action: 'keepequal', source_labels: ['a'], target_label: 'b' }],
      { a: '1', b: '1' },
      null,
    ],
    [
      'keepequal: both absent',
      [{ action: 'keepequal', source_labels: ['a'], target_label: 'b' }],
      m,
      null,
    ],
    [
      'keepequal: not equal',
      [{ action: 'keepequal', source_labels: ['a'], target_label: 'b' }],
      { a: '1' },
      0,
    ],
    [
      'dropequal: joined values',
      [{ action: 'dropequal', source_labels: ['a', 'b'], target_label: 'c' }],
      { a: '1', b: '2', c: '1;2' },
      0,
    ],
    [
      'dropequal: both absent',
      [{ action: 'dropequal', source_labels: ['a'], target_label: 'b' }],
      m,
      0,
    ],
    [
      'replace: copies',
      [{ source_labels: ['a'], target_label: 'b' }],
      { a: '1' },
      { a: '1', b: '1' },
    ],
    [
      'replace: no match, nothing',
      [{ source_labels: ['a'], regex: 'x', target_label: 'b' }],
      { a: '1' },
      null,
    ],
    [
      'replace: an empty result deletes',
      [{ source_labels: ['x'], target_label: 'a' }],
      { a: '1', ...m },
      m,
    ],
    [
      'replace: a constant to every series',
      [{ target_label: 'a', replacement: 'x' }],
      m,
      { a: 'x', ...m },
    ],
    [
      'replace: a constant where the regex matches',
      [{ source_labels: ['s'], regex: '5..', target_label: 'c', replacement: 'error' }],
      { s: '503' },
      { s: '503', c: 'error' },
    ],
    [
      'replace: three sources and an empty separator',
      [{ source_labels: ['a', 'b', 'a'], separator: '', target_label: 'c' }],
      { a: '1', b: '2' },
      { a: '1', b: '2', c: '121' },
    ],
    [
      'replace: the target is a group',
      [{ source_labels: ['p'], regex: '(.+)=(.+)', target_label: '$1', replacement: '$2' }],
      { p: 'my.team=core' },
      { p: 'my.team=core', 'my.team': 'core' },
    ],
    [
      'replace: an empty target does nothing',
      [{ source_labels: ['p'], regex: '(x)?.*', target_label: '$1', replacement: 'v' }],
      { p: 'abc' },
      null,
    ],
    [
      'replace: a target can delete',
      [{ source_labels: ['p'], regex: '(.+)', target_label: '$1', replacement: '' }],
      { p: 'q', q: '1' },
      { p: 'q' },
    ],
    [
      'replace: a template without groups is a target',
      [{ target_label: 'a$$b', replacement: 'x' }],
      m,
      { ...m, a$b: 'x' },
    ],
    [
      'replace: a target that is empty whatever matches',
      [{ target_label: '$nope', replacement: 'x' }],
      m,
      null,
    ],
    [
      'replace: __name__ is a label like others',
      [{ source_labels: ['__name__'], regex: '(.*)_total', target_label: '__name__' }],
      { __name__: 'x_total' },
      { __name__: 'x' },
    ],
    [
      'hashmod: 0 is a value',
      [{ action: 'hashmod', source_labels: ['a'], target_label: 'h', modulus: 1 }],
      { a: '1' },
      { a: '1', h: '0' },
    ],
    [
      'lowercase: to itself',
      [{ action: 'lowercase', source_labels: ['a'], target_label: 'a' }],
      { a: 'ÄB' },
      { a: 'äb' },
    ],
    [
      'uppercase: joined',
      [{ action: 'uppercase', source_labels: ['a', 'b'], target_label: 'c' }],
      { a: 'x', b: 'ß' },
      { a: 'x', b: 'ß', c: 'X;ß' },
    ],
    [
      'lowercase: nothing deletes',
      [{ action: 'lowercase', source_labels: ['x'], target_label: 'a' }],
      { a: '1', ...m },
      m,
    ],
    [
      'labeldrop: __name__ is no exception',
      [{ action: 'labeldrop', regex: '__.*' }],
      { ...m, a: '1' },
      { a: '1' },
    ],
    [
      'labeldrop: neighbours go both',
      [{ action: 'labeldrop', regex: 'a|b|d' }],
      { a: '1', b: '1', c: '1', d: '1' },
      { c: '1' },
    ],
    [
      'labelkeep: keeps what is listed',
      [{ action: 'labelkeep', regex: 'a|__name__' }],
      { ...m, a: '1', b: '2' },
      { ...m, a: '1' },
    ],
    ['labelkeep: may leave nothing', [{ action: 'labelkeep', regex: 'x' }], m, {}],
    [
      'labelmap: the original stays',
      [{ action: 'labelmap', regex: 'k_(.+)' }],
      { k_a: '1' },
      { k_a: '1', a: '1' },
    ],
    [
      'labelmap: the new name is not checked',
      [{ action: 'labelmap', regex: 'k_(.*)' }],
      { k_: '1' },
      { k_: '1', '': '1' },
    ],
    [
      'labelmap: copies are not copied again',
      [{ action: 'labelmap', regex: '(.+)', replacement: 'p$1' }],
      { a: '1', pa: '2' },
      { a: '1', pa: '1', ppa: '2' },
    ],
    [
      'labelmap: of two to one name, the later by name stays',
      [{ action: 'labelmap', regex: '.(z)' }],
      { az: '1', bz: '2' },
      { az: '1', bz: '2', z: '2' },
    ],
    [
      'labelmap: labels that were set come after those that were sent',
      [
        { target_label: 'az', replacement: 'new' },
        { action: 'labelmap', regex: '.(z)' },
      ],
      { bz: '2' },
      { az: 'new', bz: '2', z: 'new' },
    ],
    [
      'labelmap: also when they were sent too',
      [
        { target_label: 'az', replacement: '1' },
        { action: 'labelmap', regex: '.(z)' },
      ],
      { az: '1', bz: '2' },
      { az: '1', bz: '2', z: '1' },
    ],
    [
      'labelmap: those that were set come in the order they were first set',
      [
        { target_label: 'cz', replacement: 'c' },
        { target_label: 'bz', replacement: 'b' },
        { target_label: 'cz', replacement: 'C' },
        { action: 'labelmap', regex: '.(z)' },
      ],
      m,
      { ...m, bz: 'b', cz: 'C', z: 'b' },
    ],
    [
      'labelmap: set, deleted and set again is set last',
      [
        { target_label: 'cz', replacement: 'c' },
        { target_label: 'bz', replacement: 'b' },
        { target_label: 'cz', replacement: '' },
        { target_label: 'cz', replacement: 'C' },
        { action: 'labelmap', regex: '.(z)' },
      ],
      m,
      { ...m, bz: 'b', cz: 'C', z: 'C' },
    ],
    [
      'labelmap: many that were set and sent, set in another order than their names',
      [
        { target_label: 'bz', replacement: 'b' },
        { target_label: 'dz', replacement: 'd' },
        { target_label: 'az', replacement: 'a' },
        { action: 'labelmap', regex: '[a-d](z)' },
      ],
      { az: '1', bz: '1', cz: 'c', dz: '1' },
      { az: 'a', bz: 'b', cz: 'c', dz: 'd', z: 'a' },
    ],
    [
      'labelmap: the same, and the last of them in the middle by name',
      [
        { target_label: 'dz', replacement: 'd' },
        { target_label: 'az', replacement: 'a' },
        { target_label: 'bz', replacement: 'b' },
        { action: 'labelmap', regex: '[a-d](z)' },
      ],
      { az: '1', bz: '1', cz: 'c', dz: '1' },
      { az: 'a', bz: 'b', cz: 'c', dz: 'd', z: 'b' },
    ],
    [
      'labelmap: every match is replaced',
      [{ action: 'labelmap', regex: 'a)|(b', replacement: 'x' }],
      { acb: '1' },
      { acb: '1', xcx: '1' },
    ],
  ])('%s', (_name, rules, labels, want) => {
    expect(relabel(rules, labels, { byHand })).toEqual(want ?? labels)
  })
})

test('under legacy names an expanded target that is none does nothing', () => {
  const rules = [{ source_labels: ['p'], regex: '(.+)', target_label: '$1', replacement: 'x' }]
  expect(relabel(rules, { p: 'a.b' }, { scheme: 'legacy' })).toEqual({ p: 'a.b' })
  expect(relabel(rules, { p: 'a_b' }, { scheme: 'legacy' })).toEqual({ p: 'a_b', a_b: 'x' })
  expect(relabel(rules, { p: 'a.b' })).toEqual({ p: 'a.b', 'a.b': 'x' })
})

test('what is remembered changes nothing, before and after it is forgotten', () => {
  const rules = compileRules(
    [
      { action: 'drop', source_labels: ['a'], regex: '[x-z]+' },
      { source_labels: ['a'], regex: '([a-f]+)\\d', target_label: 'b' },
      { source_labels: ['a'], regex: '([g-k]+)(\\d)', target_label: '$1', replacement: '$2' },
      { action: 'hashmod', source_labels: ['a'], target_label: 'h', modulus: 10 },
      { action: 'labelmap', regex: '([g-k])', replacement: 'x$1' },
    ].map((raw) => rule(raw)),
    md5Hashmod,
  )
  const run = () =>
    ['x', 'ab1', 'g5', 'g6', '0'].map((a) => {
      const labels = labelSet({ a })
      return rules.apply(labels) < 0 ? pairsOf(labels) : null
    })
  const first = run()
  expect(first.slice(0, 3)).toEqual([
    null,
    [
      ['a', 'ab1'],
      ['b', 'ab'],
      ['h', '4'],
      ['xh', '4'],
    ],
    [
      ['a', 'g5'],
      ['g', '5'],
      ['h', '8'],
      ['xg', '5'],
      ['xh', '8'],
    ],
  ])
  expect(run()).toEqual(first)
  rules.forget()
  expect(run()).toEqual(first)
})

test('each distinct value is hashed once', () => {
  let calls = 0
  const config = rule({ action: 'hashmod', source_labels: ['a'], target_label: 'h', modulus: 10 })
  const rules = compileRules([config], (value, modulus) => {
    calls++
    return md5Hashmod(value, modulus)
  })
  for (const a of ['1', '2', '1', '2', '1']) rules.apply(labelSet({ a }))
  expect(calls).toBe(2)
})

test('a ruleset tells how many rules it has, and none keeps everything', () => {
  expect(
    compileRules([rule({ action: 'keep' }), rule({ action: 'drop' })], md5Hashmod).length,
  ).toBe(2)
  expect(relabel([], { a: '1' })).toEqual({ a: '1' })
})

test('a pair keeps its id as long as it is the same pair', () => {
  const rules = [
    { source_labels: ['b'], target_label: 'b' },
    { target_label: 'c', replacement: 'new' },
    { action: 'labeldrop', regex: 'a' },
  ]
  const labels = labelSet({ a: '1', b: '2', c: '3', d: '4' })
  compileRules(
    rules.map((raw) => rule(raw)),
    md5Hashmod,
  ).apply(labels)
  expect(pairsOf(labels)).toEqual([
    ['b', '2'],
    ['c', 'new'],
    ['d', '4'],
  ])
  expect(idsOf(labels)).toEqual([2, 0, 4])
})
