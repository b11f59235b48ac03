import { expect, test } from 'vitest'
import { configOf, problemsOf } from './problems-of.ts'

const good = 'remote_write: [{ url: https://o.example/ }]\nsluice: { auth: none }\n'

test.each([
  ['', /^0:0 error : the config is empty/],
  ['# only a comment\n', /^0:0 error : the config is empty/],
  ['just text', /^1:1 error : the config must be a mapping/],
  ['- a\n- b', /^1:1 error : the config must be a mapping/],
  [`${good}---\n${good}`, /^3:1 error : a config is one YAML document/],
  [`${good}...\nx: 1`, /^4:1 error : a config is one YAML document/],
  [`${good}\tx: 1`, /^3:1 error : tabs are not allowed/],
  [`${good}x: a: b`, /^3:4 error : .*must be quoted/],
  [`${good}x: @b`, /^3:4 error : .*must be quoted/],
  [`${good}x: !b c`, /^3:4 error : .*starts with ! must be quoted/],
  [`${good}x: !!binary aGk=`, /^3:13 error : .*starts with ! must be quoted/],
  [`${good}x: *b`, /^3:4 error : .*starts with \* must be quoted/],
  [`${good}x: "\\q"`, /^3:5 error : unknown escape sequence/],
  [`${good}x: "b`, /^3:6 error : something is missing/],
  [`${good}x: {b`, /^3:6 error : wrong indentation, or a bracket/],
  [`%NO such\n---\n${good}`, /^1:1 error : YAML directives/],
  [`${good}x: &x [*x]`, /^3:8 error : this alias stands for a value that holds it/],
  [`${good}x: &x\n  <<: *x`, /^4:7 error : this alias stands for a value that holds it/],
  ['['.repeat(20_000), /^1:\d+ error : too deeply nested/],
  [`${good}#${'x'.repeat(1 << 20)}`, /^0:0 error : a config has at most 1 MiB/],
])('a text that is not one YAML mapping is refused (case %#)', (text, problem) => {
  const problems = problemsOf(text)
  expect(problems[0]).toMatch(problem)
  expect(problems.length).toBeLessThanOrEqual(5)
})

test('an alias bomb is refused before it is written out', () => {
  const levels = ['a: &a [x, x, x, x, x, x, x, x, x, x]']
  for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh', 'hi']) {
    levels.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(', ')}]`)
  }
  expect(problemsOf(`${levels.join('\n')}\n${good}`)).toEqual([
    '1:1 error : its aliases stand for more than 100000 values',
  ])
})

test('a syntax error never quotes the text', () => {
  for (const value of [
    '!hunter2',
    '*hunter2',
    '@hunter2',
    '"\\hunter2"',
    '"hunter2',
    'a: hunter2',
  ]) {
    const problems = problemsOf(`sluice:\n  auth:\n    - bearer: ${value}\n`)
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.join()).not.toContain('unter2')
  }
})

test('anchors, aliases and merge keys work as in Prometheus', () => {
  const text = `
scrape_configs: &rules
  - { regex: a, action: labeldrop }
remote_write:
  - &first { url: https://a.example/, remote_timeout: 7s, write_relabel_configs: *rules }
  - { <<: *first, url: https://b.example/ }
  - <<: [{ remote_timeout: 3s }, *first]
    name: c
sluice: { auth: none }
`
  const { origins } = configOf(text)
  expect(origins.map(({ url, timeout }) => [url, timeout])).toEqual([
    ['https://a.example/', 7000],
    ['https://b.example/', 7000],
    ['https://a.example/', 3000],
  ])
  expect(origins[2]!.writeRelabelConfigs[0]!.regex).toBe('a')
})

test('a problem in an aliased value is placed at the alias', () => {
  const text = `scrape_configs: &wrong 5x
remote_write:
  - url: https://a.example/
    remote_timeout: *wrong
sluice: { auth: none }`
  expect(problemsOf(text)[1]).toMatch(/^4:21 error remote_write\[0\]\.remote_timeout: /)
})

test('the tag of a string is allowed, CRLF and a byte order mark too', () => {
  const text = `\ufeff${good.replace('none', '!!str none').replaceAll('\n', '\r\n')}`
  expect(configOf(text).auth).toBe('none')
})
