import { expect, test } from 'vitest'
import { configOf, problemsOf, withSluice } from './problems-of.ts'

const bindings = { TOKEN: 't0ken', TENANT: 'prod', LINE: 'secret\n', EMPTY: '', COLON: 'a:b' }
const auth = (entries: string) => withSluice(`auth: ${entries}`)

test.each([
  ['none', 'none'],
  ['[{ bearer: abc }]', [{ tenant: 'default', bearer: 'abc' }]],
  ['[{ bearer: 123, tenant: 7 }]', [{ tenant: '7', bearer: '123' }]],
  [`[{ bearer: "\${TOKEN}", tenant: "\${TENANT}" }]`, [{ tenant: 'prod', bearer: 't0ken' }]],
  [
    `[{ username: u, password: "\${COLON}" }]`,
    [{ tenant: 'default', username: 'u', password: 'a:b' }],
  ],
  [
    '[{ username: u, password: old }, { username: u, password: new, tenant: t }]',
    [
      { tenant: 'default', username: 'u', password: 'old' },
      { tenant: 't', username: 'u', password: 'new' },
    ],
  ],
])('sluice.auth %s is read', (entries, expected) => {
  expect(configOf(auth(entries), bindings).auth).toEqual(expected)
})

test.each([
  ['[]', '', 'nobody could push: name at least one, or write none'],
  ['None', '', 'wanted none, or a list of'],
  ['false', '', 'wanted none, or a list of'],
  ['{ bearer: x }', '', 'wanted none, or a list of .*, found a mapping'],
  ['[x]', '[0]', 'wanted a mapping, found a string'],
  ['[{}]', '[0]', 'bearer is missing \\(or username and password\\)'],
  ['[{ tenant: t }]', '[0]', 'bearer is missing'],
  ['[{ username: u }]', '[0]', 'password is missing'],
  ['[{ password: p }]', '[0]', 'username is missing'],
  ['[{ bearer: b, username: u, password: p }]', '[0]', 'either bearer, or username and password'],
  ['[{ bearer: b, password: p }]', '[0]', 'either bearer, or username and password'],
  ['[{ bearer: "" }]', '[0].bearer', 'must not be empty'],
  [`[{ bearer: "\${EMPTY}" }]`, '[0].bearer', 'the binding EMPTY is empty'],
  [`[{ bearer: "\${NO}" }]`, '[0].bearer', 'there is no binding NO:'],
  [`[{ bearer: "\${LINE}" }]`, '[0].bearer', 'visible ASCII .*stored with one at its end'],
  ['[{ bearer: "a b" }]', '[0].bearer', 'visible ASCII characters, no spaces or line breaks$'],
  ['[{ bearer: ä }]', '[0].bearer', 'visible ASCII'],
  ['[{ bearer: [a] }]', '[0].bearer', 'wanted a string, found a list'],
  ['[{ username: "", password: p }]', '[0].username', 'must not be empty'],
  ['[{ username: u, password: "" }]', '[0].password', 'must not be empty'],
  [`[{ username: "\${COLON}", password: p }]`, '[0].username', 'must not hold a colon'],
  [`[{ username: u, password: "\${LINE}" }]`, '[0].password', 'must not hold line breaks'],
  ['[{ bearer: a, tenant: "" }]', '[0].tenant', 'wanted 1 to 150 visible ASCII'],
  ['[{ bearer: a, tenant: "a b" }]', '[0].tenant', 'wanted 1 to 150 visible ASCII'],
  ['[{ bearer: a, tenant: "a\\r\\nb" }]', '[0].tenant', 'wanted 1 to 150 visible ASCII'],
  [`[{ bearer: a, tenant: ${'t'.repeat(151)} }]`, '[0].tenant', 'wanted 1 to 150 visible ASCII'],
  ['[{ baerer: a, bearer: b }]', '[0]', 'unknown key: did you mean bearer\\?'],
  [
    `[{ bearer: t0ken }, { bearer: "\${TOKEN}", tenant: x }]`,
    '[1]',
    'the same credentials as in sluice.auth\\[0\\]',
  ],
  ['[{ username: u, password: p }, { username: u, password: p }]', '[1]', 'the same credentials'],
])('sluice.auth %s is refused', (entries, path, message) => {
  const escaped = path.replace(/[[\]]/g, '\\$&')
  expect(problemsOf(auth(entries), bindings)).toEqual([
    expect.stringMatching(`^3:\\d+ error sluice\\.auth${escaped}: .*${message}`),
  ])
})

test('a thousand entries are possible, more are refused', () => {
  const list = (count: number) =>
    auth(`[${Array.from({ length: count }, (_, i) => `{ bearer: b${i} }`).join()}]`)
  expect(configOf(list(1000)).auth).toHaveLength(1000)
  expect(problemsOf(list(1001))).toEqual([expect.stringContaining('at most 1000 entries')])
})

test.each([
  [withSluice('deadline: 8s'), '3:3'],
  [withSluice('auth:'), '3:3'],
  ['remote_write: [{ url: https://h/ }]', '0:0'],
  ['remote_write: [{ url: https://h/ }]\nsluice:', '0:0'],
])('without sluice.auth nobody is let in, and the error says what to write', (text, place) => {
  expect(problemsOf(text)).toEqual([
    `${place} error sluice.auth: who may push is not said: write sluice: ` +
      `{auth: [{bearer: "\${AGENT_TOKEN}"}]} and set the secret AGENT_TOKEN, or ` +
      'sluice: {auth: none} to let everyone in',
  ])
})

test('without sluice.auth the config is open where that was allowed, with a warning', () => {
  const text = 'remote_write: [{ url: https://h/ }]'
  const options = { openWithoutAuth: true }
  expect(configOf(text, {}, options).auth).toBe('none')
  expect(problemsOf(text, {}, options)).toEqual([
    expect.stringMatching(/^0:0 warning sluice\.auth: not said, so everyone/),
  ])
})

test.each([['[]'], ['nobody'], ['[{ bearer: "" }]']])(
  'what is wrong in sluice.auth stays wrong where it could be left out: %s',
  (entries) => {
    expect(problemsOf(auth(entries), {}, { openWithoutAuth: true })).toEqual([
      expect.stringContaining('error sluice.auth'),
    ])
  },
)

test.each([
  ['deadline: 0s', 'deadline', 'at most 5m, found "0s"'],
  ['deadline: 6m', 'deadline', 'at most 5m, found "6m"'],
  ['deadline: 8', 'deadline', 'found "8"'],
  ['limits: []', 'limits', 'wanted a mapping, found a list'],
  ['limits: { body: 33MB }', 'limits.body', 'from 1B to 32MB, found "33MB"'],
  ['limits: { body: 0 }', 'limits.body', 'from 1B to 32MB'],
  ['limits: { decoded: 33MB }', 'limits.decoded', 'from 1B to 32MB'],
  ['limits: { body: 20MB, decoded: 21MB }', 'limits', 'together must be at most 40MB'],
  ['limits: { series: 0 }', 'limits.series', 'from 1 to 1000000'],
  ['limits: { series: 1000001 }', 'limits.series', 'from 1 to 1000000'],
  ['limits: { labels: 128 }', 'limits.labels', 'from 1 to 127'],
  ['limits: { labels: 0 }', 'limits.labels', 'from 1 to 127'],
  ['limits: { label_name: 64KB }', 'limits.label_name', 'from 1B to 65535B'],
  ['limits: { label_value: 1048577B }', 'limits.label_value', 'from 1B to 1MB'],
  ['limits: { future: 0 }', 'limits.future', 'more than 0'],
  ['limits: { subrequests: 0 }', 'limits.subrequests', 'from 1 to 10000'],
  ['limits: { bodey: 1 }', 'limits.bodey', 'unknown key: did you mean body\\?'],
  ['relabel_configs: {}', 'relabel_configs', 'wanted a list of relabel configs'],
  ['relabel_config: []', 'relabel_config', 'did you mean relabel_configs\\?'],
])('%s is refused', (keys, path, message) => {
  expect(problemsOf(withSluice(`auth: none\n${keys}`))).toEqual([
    expect.stringMatching(`^4:\\d+ error sluice\\.${path}: .*${message}`),
  ])
})

test('limits up to their bounds are accepted', () => {
  const limits =
    '{ body: 32MB, decoded: 8MB, series: 1000000, labels: 127, label_name: 65535, label_value: 1MB, future: 1y, subrequests: 10000 }'
  expect(problemsOf(withSluice(`auth: none\nlimits: ${limits}`))).toEqual([])
})

test('fewer subrequests than origins are refused: no request could reach them all', () => {
  const text =
    'remote_write: [{ url: https://a/ }, { url: https://b/ }]\nsluice: { auth: none, limits: { subrequests: 1 } }'
  expect(problemsOf(text)).toEqual([
    expect.stringMatching(/^2:46 error sluice\.limits\.subrequests: fewer than the 2 origins/),
  ])
})

test('a sluice that is no mapping is the one thing to say', () => {
  expect(problemsOf('remote_write: [{ url: https://a/ }]\nsluice: none')).toEqual([
    '2:9 error sluice: wanted a mapping, found a string',
  ])
})
