// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of relabel rules look like this
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import {
  isLabelName,
  type NameScheme,
  parseRelabelConfig,
} from '../../src/config/relabel-config.ts'

function parsed(rule: string | object, scheme?: NameScheme) {
  const raw = typeof rule === 'string' ? parse(rule, { intAsBigInt: true }) : rule
  return parseRelabelConfig(raw, scheme)
}

/** The problems of a rule as `path: message`; none when it is good. */
function problems(rule: string | object, scheme?: NameScheme): string[] {
  const result = parsed(rule, scheme)
  return 'config' in result
    ? []
    : result.problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
}

function config(rule: string | object, scheme?: NameScheme) {
  const result = parsed(rule, scheme)
  if ('problems' in result) throw new Error(JSON.stringify(result.problems))
  return result.config
}

test("what is left out has Prometheus' defaults", () => {
  expect(config('{ target_label: x }')).toEqual({
    sourceLabels: [],
    separator: ';',
    regex: '(.*)',
    modulus: 0n,
    targetLabel: 'x',
    replacement: '$1',
    action: 'replace',
  })
})

test.each([
  ['{ target_label: x, separator: "", replacement: "", regex: "" }', 'empty text'],
  ['{ target_label: x, separator: null, replacement: ~, regex: }', 'null'],
])('%s stays empty: no default takes its place', (rule) => {
  expect(config(rule)).toMatchObject({ separator: '', replacement: '', regex: '' })
})

test.each([
  ['KEEP', 'keep'],
  ['LabelMap', 'labelmap'],
  ['hashMod', 'hashmod'],
])('action %s is %s', (written, action) => {
  expect(config({ action: written, modulus: 2, target_label: 'x' })).toMatchObject({ action })
})

test.each([
  ['{ target_label: x, regex: 404, replacement: true }', { regex: '404', replacement: 'true' }],
  ['{ target_label: 5, separator: 1.5 }', { targetLabel: '5', separator: '1.5' }],
  ['{ source_labels: [1, true, job], target_label: x }', { sourceLabels: ['1', 'true', 'job'] }],
  ['{ source_labels: [null], target_label: x }', { sourceLabels: [''] }],
  ['{ source_labels: null, action: labeldrop }', { sourceLabels: [] }],
])('scalars where text is due become text: %s', (rule, want) => {
  expect(config(rule)).toMatchObject(want)
})

test.each<[unknown, bigint]>([
  [8, 8n],
  [1e3, 1000n],
  [8n, 8n],
  [18446744073709551615n, 18446744073709551615n],
  ['18446744073709551615', 18446744073709551615n],
])('modulus %s', (modulus, want) => {
  expect(config({ action: 'hashmod', target_label: 'x', modulus }).modulus).toBe(want)
})

test.each<[unknown, string]>([
  [-1, '-1'],
  [2.5, '2.5'],
  [2 ** 60, '1152921504606847000'],
  [1n << 64n, '18446744073709551616'],
  ['8', '"8"'],
  ['18446744073709551616', '"18446744073709551616"'],
  ['ten', '"ten"'],
  [true, 'true'],
  [[8], 'a list'],
])('modulus %s is refused', (modulus, given) => {
  expect(problems({ action: 'hashmod', target_label: 'x', modulus })).toEqual([
    `modulus: hashmod: modulus must be a whole number from 0 to 2^64-1, not ${given}`,
  ])
})

test.each<[string, string[]]>([
  ['null', ['empty relabel rule']],
  ['text', ['a relabel rule is a mapping, not text']],
  ['[a]', ['a relabel rule is a mapping, not a list']],
  ['{ source_labels: [job] }', ['replace: needs a target_label']],
  ['{ target_label: "" }', ['target_label: replace: needs a target_label']],
  ['{ action: hashmod, target_label: x }', ['hashmod: needs a modulus other than 0']],
  [
    '{ action: hashmod, target_label: x, modulus: 0 }',
    ['modulus: hashmod: needs a modulus other than 0'],
  ],
  ['{ action: lowercase }', ['lowercase: needs a target_label']],
  ['{ action: uppercase }', ['uppercase: needs a target_label']],
  ['{ action: keepequal }', ['keepequal: needs a target_label']],
  ['{ action: dropequal }', ['dropequal: needs a target_label']],
  ['{ action: keep }', []],
  ['{ action: drop, target_label: x, replacement: y }', []],
  ['{ action: labelmap, source_labels: [a] }', []],
  [
    '{ action: labelmap, replacement: "" }',
    ['replacement: labelmap: "" is not a valid replacement: it names labels'],
  ],
  [
    '{ action: lowercase, target_label: x, replacement: y }',
    ["replacement: lowercase: replacement can't be set"],
  ],
  ['{ action: uppercase, target_label: x, replacement: $1, regex: a }', []],
  ['{ action: keepequal, target_label: x, separator: ";", replacement: $1, modulus: 0 }', []],
  [
    '{ action: keepequal, target_label: x, regex: (.*) }',
    ["regex: keepequal: regex can't be set, only source_labels and target_label"],
  ],
  [
    '{ action: dropequal, target_label: x, separator: ",", modulus: 1, replacement: y }',
    [
      "separator: dropequal: separator can't be set, only source_labels and target_label",
      "modulus: dropequal: modulus can't be set, only source_labels and target_label",
      "replacement: dropequal: replacement can't be set, only source_labels and target_label",
    ],
  ],
  [
    '{ action: labelkeep, regex: a, source_labels: [], target_label: x }',
    [
      "source_labels: labelkeep: source_labels can't be set, only regex",
      "target_label: labelkeep: target_label can't be set, only regex",
    ],
  ],
  ['{ action: labeldrop, regex: a, separator: ";", replacement: $1 }', []],
  [
    '{ action: labeldrop, regex: a, replacement: "" }',
    ["replacement: labeldrop: replacement can't be set, only regex"],
  ],
  [
    '{ source_label: [a], target_label: x, constructor: y }',
    [
      'source_label: replace: unknown key source_label: did you mean source_labels?',
      'constructor: replace: unknown key constructor',
    ],
  ],
  [
    '{ source_labels: job, target_label: x }',
    ['source_labels: replace: source_labels must be a list of label names, not text'],
  ],
  [
    '{ source_labels: [a, "", {}], target_label: x }',
    [
      'source_labels[1]: replace: "" is not a valid label name',
      'source_labels[2]: replace: a label name must be text, not a mapping',
    ],
  ],
  [
    '{ target_label: [x], replacement: {} }',
    [
      'target_label: replace: target_label must be text, not a list',
      'replacement: replace: replacement must be text, not a mapping',
    ],
  ],
  [
    '{ action: [keep], regex: ( }',
    [
      'action: replace: action must be text, not a list',
      'regex: replace: regex "(" is not RE2 syntax: missing closing )',
    ],
  ],
])('%s has the problems %j', (rule, want) => {
  expect(problems(rule)).toEqual(want)
})

test.each([
  ['{ action: dropp }', '"dropp"'],
  ['{ action: 5 }', '"5"'],
  ['{ action: "" }', '""'],
  ['{ action: null }', '""'],
])('%s is an unknown action, and says which there are', (rule, given) => {
  expect(problems(rule)).toEqual([
    `action: relabel: unknown action ${given}, must be one of replace, keep, drop, keepequal, ` +
      'dropequal, hashmod, labelmap, labeldrop, labelkeep, lowercase, uppercase',
  ])
})

test.each<[NameScheme, string, boolean]>([
  ['utf8', 'service.name', true],
  ['utf8', '1a', true],
  ['utf8', 'a-$', true],
  ['legacy', 'service_name', true],
  ['legacy', 'service.name', false],
  ['legacy', '1a', false],
  ['legacy', '$1', true],
  ['legacy', 'a_${1}_b$name', true],
  ['legacy', '$1_2', true],
  ['legacy', '1$1', false],
  ['legacy', '$', false],
  ['legacy', '${', false],
  ['legacy', '${}', false],
  ['legacy', '-$1', false],
  ['legacy', 'a.b$1', false],
  ['legacy', '$$1', false],
])('under %s, replace to %s: good is %s', (scheme, target_label, good) => {
  expect(problems({ target_label }, scheme)).toEqual(
    good
      ? []
      : [`target_label: replace: ${JSON.stringify(target_label)} is not a valid target_label`],
  )
})

test('only replace has templates as targets', () => {
  expect(problems({ action: 'lowercase', target_label: '$1' }, 'legacy')).toHaveLength(1)
  expect(problems({ action: 'labelmap', replacement: 'a.b' }, 'legacy')).toHaveLength(1)
  expect(problems({ action: 'labelmap', replacement: 'a_$1' }, 'legacy')).toEqual([])
})

test('a rule remembers that it may set legacy names only', () => {
  expect(config({ target_label: '$1' }, 'legacy').nameScheme).toBe('legacy')
  expect(config({ target_label: '$1' }).nameScheme).toBeUndefined()
})

test('a legacy template that nearly fits is refused at once, not after trying every way', () => {
  expect(problems({ target_label: `${'$aaaa'.repeat(2000)}.` }, 'legacy')).toHaveLength(1)
})

test.each([
  '(?i)prod',
  String.raw`(?P<host>[^:]+):(?<port>\d+)`,
  String.raw`\Aa\z`,
  String.raw`\Qa.b\E.*`,
  '[[:alpha:]]+',
  String.raw`\pL\p{Greek}\P{Lu}\p{Any}`,
  String.raw`\x{10FFFF}`,
  'a{1000}',
  '(?U)a+?',
  String.raw`\\p{Emoji}`,
  String.raw`\Q\p{Emoji}\E`,
  'a)|(b',
  '',
])('regex %s is RE2 syntax', (regex) => {
  expect(problems({ target_label: 'x', regex })).toEqual([])
})

test.each([
  ['a(?=p)', 'invalid or unsupported Perl syntax: `(?=`'],
  ['a(?!p)', 'invalid or unsupported Perl syntax: `(?!`'],
  ['(?<=a)p', 'invalid named capture'],
  ['(?>a)', 'invalid or unsupported Perl syntax: `(?>`'],
  [String.raw`(a)\1`, 'invalid escape sequence: ' + '`\\1`'],
  ['a++', 'invalid nested repetition operator: `++`'],
  [String.raw`\u0041`, 'invalid escape sequence: `\\u`'],
  [String.raw`\C`, 'invalid escape sequence: `\\C`'],
  [String.raw`\Z`, 'invalid escape sequence: `\\Z`'],
  [String.raw`\p{Emoji}`, 'no Unicode class Emoji'],
  [String.raw`[\p{Alphabetic}]`, 'no Unicode class Alphabetic'],
  ['a{1001}', 'invalid repeat count: `{1001}`'],
  ['(a{500}){3}', 'invalid repeat count: `{3}`'],
  ['a)', 'unexpected )'],
  ['(a', 'missing closing )'],
  [String.raw`\Qa`, 'missing closing )'],
  ['[a', 'missing closing ]'],
])('regex %s is refused: %s', (regex, why) => {
  expect(problems({ target_label: 'x', regex })).toEqual([
    `regex: replace: regex ${JSON.stringify(regex)} is not RE2 syntax: ${why}`,
  ])
})

test('text with a lone surrogate is refused: it has no UTF-8', () => {
  expect(problems({ target_label: '\ud800' })).toEqual([
    'target_label: replace: target_label must be text, not broken Unicode',
  ])
})

test.each<[string, NameScheme, boolean]>([
  ['job', 'legacy', true],
  ['_1', 'legacy', true],
  ['1_', 'legacy', false],
  ['a\n', 'legacy', false],
  ['', 'legacy', false],
  ['日本', 'utf8', true],
  ['', 'utf8', false],
  ['\udc00', 'utf8', false],
])('label name %j under %s: %s', (name, scheme, valid) => {
  expect(isLabelName(name, scheme)).toBe(valid)
})

const long = 'x'.repeat(100_000)

test.each([
  { regex: `${long}(`, action: 'drop' },
  { regex: `(${long}`, action: 'drop' },
  { regex: `${long}\\p{${long}}`, action: 'drop' },
  { regex: '('.repeat(5000) + ')'.repeat(5000), action: 'drop' },
  { action: long },
  { target_label: 'a', [long]: 1 },
  { target_label: `\ud800${long}` },
  { target_label: 'a', source_labels: [`${long}\ud800`] },
  { target_label: 'a', modulus: long },
  { target_label: 'a', modulus: 10n ** 5000n },
])('a problem of a long value is not as long itself: %#', (rule) => {
  const told = problems(rule)
  expect(told).not.toEqual([])
  for (const text of told) expect(text.length).toBeLessThan(1000)
})

test('a long name is refused where only short words are names, in a message of its own length', () => {
  const [told = ''] = problems({ target_label: `${long}!` }, 'legacy')
  expect(told).toMatch(/^target_label: replace: "x{200}…" is not a valid target_label$/)
})
