import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkRelabel } from '../../scripts/check-relabel.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'check-relabel-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs the check on a file of rules and input in the given chunks. Paths in messages are cut to the file's name. */
async function check(rules: string, input: readonly (string | Uint8Array)[], explain = false) {
  const path = join(folder, 'rules.yaml')
  await writeFile(path, rules)
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const stdin = (async function* () {
    yield* input
  })()
  const exit = checkRelabel(path, { explain }, { stdin, stdout, stderr }).finally(() => {
    stdout.end()
    stderr.end()
  })
  const [out, err] = await Promise.all([text(stdout), text(stderr)])
  return { exit: await exit, out, err: err.replaceAll(path, 'rules.yaml') }
}

test('each line of labels becomes a line, names in byte order', async () => {
  const rules = `
- { source_labels: [a], regex: 'x(.+)', target_label: "1" }
- { source_labels: [a], regex: drop, action: drop }
`
  const input =
    '{"b":"2","a":"xy","Z":"","\\uff5e":"1","\\ud800\\udc00":"2"}\r\n\n  \n{"a":"drop"}\n{"b":"\u2028"}'
  expect(await check(rules, [input])).toEqual({
    exit: 0,
    out:
      '{"labels":{"1":"y","a":"xy","b":"2","\uff5e":"1","\u{10000}":"2"}}\n' +
      '{"dropped":true,"rule":1}\n{"labels":{"b":"\u2028"}}\n',
    err: '',
  })
})

test('input may come in pieces that cut lines and characters', async () => {
  const bytes = new TextEncoder().encode('{"a":"é"}\n{"a":"b"}')
  const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte))
  expect((await check('[]', pieces)).out).toBe('{"labels":{"a":"é"}}\n{"labels":{"a":"b"}}\n')
})

test('a bad line is told with its number, and the next ones go on', async () => {
  const input = [
    '{"a":"1"}',
    '',
    'nope',
    '[1]',
    '{"a":1}',
    '{"":"x"}',
    '{"a":"\\ud800"}',
    'null',
    '{"a":"2"}',
  ]
  const { exit, out, err } = await check('[]', [input.join('\n')])
  expect(exit).toBe(1)
  expect(out).toBe('{"labels":{"a":"1"}}\n{"labels":{"a":"2"}}\n')
  expect(err.replace(/(not JSON): .*/, '$1')).toBe(`line 3: not JSON
line 4: not an object of label names and values
line 5: the value of "a" is not a string
line 6: a label has no name
line 7: "a" or its value is broken Unicode
line 8: not an object of label names and values
`)
})

test('a series without a name is printed, one without labels is dropped by the rule that took the last', async () => {
  const rules = `
- { action: labeldrop, regex: __name__|b }
- { action: labelkeep, regex: b }
- { source_labels: [c], target_label: c }
`
  const input = ['{"__name__":"m"}', '{"a":"1"}', '{}', '{"a":"1","c":"2"}'].join('\n')
  expect((await check(rules, [input])).out).toBe(
    '{"dropped":true,"rule":0}\n{"dropped":true,"rule":1}\n{"dropped":true,"rule":null}\n{"dropped":true,"rule":1}\n',
  )
  expect(
    (await check('[{ action: labeldrop, regex: __name__ }]', ['{"__name__":"m","a":"1"}'])).out,
  ).toBe('{"labels":{"a":"1"}}\n')
})

test('labels that were gone in between do not count as dropped', async () => {
  const rules = '[{ action: labeldrop, regex: a }, { target_label: b, replacement: x }]'
  expect((await check(rules, ['{"a":"1"}'])).out).toBe('{"labels":{"b":"x"}}\n')
})

test('--explain adds every step', async () => {
  const rules =
    '[{ source_labels: [a], target_label: b }, { action: drop, source_labels: [b], regex: x }]'
  const { out } = await check(rules, ['{"a":"1"}\n{"a":"x"}'], true)
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    {
      labels: { a: '1', b: '1' },
      steps: [
        { rule: 0, action: 'replace', value: '1', what: 'set b="1"', labels: { a: '1', b: '1' } },
        { rule: 1, action: 'drop', value: '1', what: 'nothing', labels: { a: '1', b: '1' } },
      ],
    },
    {
      dropped: true,
      rule: 1,
      steps: [
        { rule: 0, action: 'replace', value: 'x', what: 'set b="x"', labels: { a: 'x', b: 'x' } },
        { rule: 1, action: 'drop', value: 'x', what: 'dropped', labels: { a: 'x', b: 'x' } },
      ],
    },
  ])
})

test('unquoted scalars mean what is written', async () => {
  const rules = `
- { target_label: a, replacement: 007 }
- { target_label: b, replacement: 1.50 }
- { target_label: c, replacement: True }
- { target_label: d, replacement: 0x1F }
- { source_labels: [1_0, 010], target_label: e }
`
  expect((await check(rules, ['{"1_0":"x","010":"y"}'])).out).toBe(
    '{"labels":{"010":"y","1_0":"x","a":"007","b":"1.50","c":"True","d":"0x1F","e":"x;y"}}\n',
  )
})

test('anchors, aliases and merge keys work', async () => {
  const rules = `
- &first { target_label: a, replacement: x }
- { <<: *first, target_label: b }
- *first
`
  expect((await check(rules, ['{"c":"1"}'])).out).toBe('{"labels":{"a":"x","b":"x","c":"1"}}\n')
})

test('every problem of the file is told with its place, and no label is looked at', async () => {
  const rules = `# comment
- source_labels: [job, "", 5]
  regex: a(
  foo: 1
- action: hashmod
  source_labels: job
-
- { action: labeldrop, regex: x, target_label: y }
`
  expect(await check(rules, ['{"a":"1"}'])).toEqual({
    exit: 1,
    out: '',
    err: `rules.yaml:2:3: [0]: replace: needs a target_label
rules.yaml:2:24: [0].source_labels[1]: replace: "" is not a valid label name
rules.yaml:3:10: [0].regex: replace: regex "a(" is not RE2 syntax: missing closing )
rules.yaml:4:8: [0].foo: replace: unknown key foo
rules.yaml:5:3: [1]: hashmod: needs a modulus other than 0
rules.yaml:5:3: [1]: hashmod: needs a target_label
rules.yaml:6:18: [1].source_labels: hashmod: source_labels must be a list of label names, not text
rules.yaml:7:2: [2]: this rule is empty
rules.yaml:8:48: [3].target_label: labeldrop: target_label can't be set, only regex
`,
  })
})

test.each([
  ['a: 1', 'rules.yaml:1:1: must be a list of relabel configs, [] for none\n'],
  ['', 'rules.yaml: must be a list of relabel configs, [] for none\n'],
  ['- { regex: a, regex: b }', 'rules.yaml:1:15: [0].regex: this key is written twice\n'],
  ['- { regex: "a }', 'rules.yaml:1:16: something is missing here: a closing quote'],
])('a file that is no list of rules is refused: %j', async (rules, message) => {
  const { exit, err } = await check(rules, [])
  expect(exit).toBe(1)
  expect(err).toContain(message)
})

const doubled = (_: unknown, i: number) => `- &a${i + 1} { regex: [*a${i}, *a${i}] }\n`

test.each([
  ['an alias without an anchor', '- { regex: *nope }'],
  ['an alias within what it stands for', '- &a { regex: *a }'],
  ['a merge with itself', '- &a { <<: *a, action: drop }'],
  ['a merge of no mapping', '- { <<: 5 }'],
  ['aliases that explode', `- &a0 { regex: x }\n${Array.from({ length: 40 }, doubled).join('')}`],
  ['too many brackets', '['.repeat(20_000)],
  ['a tag', '- !!binary aGVsbG8='],
  ['two documents', '[]\n---\n[]'],
  ['what is no text', '\0\u0001\u0002'],
  ['keys that objects have anyway', '- { __proto__: 1, constructor: 2, toString: 3 }'],
  ['keys that are collections', '- { ? [a] : b }'],
  ['too much', `- { regex: "${'x'.repeat(1 << 20)}" }`],
])('a hostile file is refused with its problems, not with a stack: %s', async (_, rules) => {
  const { exit, out, err } = await check(rules, ['{"a":"1"}'])
  expect([exit, out]).toEqual([1, ''])
  expect(err).toMatch(/^(rules\.yaml(:\d+:\d+)?: [^\n]+\n)+$/)
})

test('a file that can not be read is told', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const path = join(folder, 'nope.yaml')
  expect(await checkRelabel(path, { explain: false }, { stdin: stdout, stdout, stderr })).toBe(1)
  expect(String(stderr.read())).toContain(`${path}: ENOENT`)
})
