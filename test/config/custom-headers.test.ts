import { expect, test } from 'vitest'
import { originOf, problemsOf, withOrigin } from './problems-of.ts'

const bindings = { KEY: 'k3y', LINE: 'secret\r\n', EVIL: 'a\r\nHost: evil' }

test.each([
  [
    'headers: { X-Scope-OrgID: prod, x-n: 007 }',
    [
      ['X-Scope-OrgID', 'prod'],
      ['x-n', '007'],
    ],
  ],
  [`headers: { X-Key: "a \${KEY}" }`, [['X-Key', 'a k3y']]],
  ['headers: { X-Empty: "" }', [['X-Empty', '']]],
  ['http_headers: { X-A: { values: [v] } }', [['X-A', 'v']]],
  [`http_headers: { X-A: { secrets: ["\${KEY}"] } }`, [['X-A', 'k3y']]],
  [
    'headers: { X-B: b }\nhttp_headers: { X-A: { values: [a] } }',
    [
      ['X-B', 'b'],
      ['X-A', 'a'],
    ],
  ],
  ['headers: {}', []],
])('%s are read', (keys, headers) => {
  expect(originOf(keys, bindings).headers).toEqual(headers)
})

const reserved = `host content-encoding content-length content-type user-agent connection
  keep-alive proxy-authenticate proxy-authorization www-authenticate accept-encoding
  x-prometheus-remote-write-version x-prometheus-remote-read-version x-amz-date x-amz-security-token
  x-amz-content-sha256 te trailer transfer-encoding upgrade`.split(/\s+/)

test.each(reserved)('the header %s is reserved, in any case', (name) => {
  for (const spelled of [name, name.toUpperCase()]) {
    expect(problemsOf(withOrigin(`headers: { ${spelled}: x }`))).toEqual([
      `3:16 error remote_write[0].headers.${spelled}: this is a reserved header: it must not be changed`,
    ])
  }
  expect(problemsOf(withOrigin(`http_headers: { ${name}: { values: [x] } }`))).toHaveLength(1)
})

test.each([
  ['headers: { Authorization: x }', 'headers.Authorization', 'set by basic_auth, authorization or'],
  ['headers: { authorization: x }', 'headers.authorization', 'set by basic_auth'],
  ['headers: { "X Y": x }', 'headers', 'this is no valid header name'],
  ['headers: { "": x }', 'headers', 'this is no valid header name'],
  ['headers: { "X\\r\\nHost": x }', 'headers', 'this is no valid header name'],
  ['headers: { X-Ä: x }', 'headers', 'this is no valid header name'],
  ['headers: { X-A: a, x-a: b }', 'headers.x-a', 'this header is there twice'],
  ['headers: { X-A: a, X-A: b }', 'headers.X-A', 'this key is written twice'],
  ['headers: { X-A: [a] }', 'headers.X-A', 'wanted a string, found a list'],
  ['headers: { X-A: }', 'headers.X-A', 'wanted a string, found nothing'],
  ['headers: [X-A]', 'headers', 'wanted a mapping, found a list'],
  ['headers: { X-A: "a\\r\\nb" }', 'headers.X-A', 'must not hold a line break$'],
  ['headers: { X-A: "a\\nb" }', 'headers.X-A', 'must not hold a line break$'],
  [`headers: { X-A: "\${EVIL}" }`, 'headers.X-A', 'must not hold a line break$'],
  [`headers: { X-A: "\${LINE}" }`, 'headers.X-A', 'line break \\(the binding was stored with one'],
  ['headers: { X-A: "\\0" }', 'headers.X-A', 'printable ASCII'],
  ['headers: { X-A: "ä" }', 'headers.X-A', 'printable ASCII'],
  ['headers: { X-A: " a" }', 'headers.X-A', 'begin or end with a space'],
  [`headers: { X-A: "\${NO}" }`, 'headers.X-A', 'there is no binding NO'],
  ['http_headers: { X-A: x }', 'http_headers.X-A', 'wanted a mapping, found a string'],
  ['http_headers: { X-A: {} }', 'http_headers.X-A', 'wanted exactly one value'],
  ['http_headers: { X-A: { values: [a, b] } }', 'http_headers.X-A', 'wanted exactly one value'],
  [
    'http_headers: { X-A: { values: [a], secrets: [b] } }',
    'http_headers.X-A',
    'wanted exactly one value',
  ],
  ['http_headers: { X-A: { files: [f] } }', 'http_headers.X-A.files', 'no files at the edge'],
  ['http_headers: { X-A: { value: [f] } }', 'http_headers.X-A', 'did you mean values'],
])('%s is refused', (keys, path, message) => {
  expect(problemsOf(withOrigin(keys), bindings).join('\n')).toMatch(
    new RegExp(`^3:\\d+ error remote_write\\[0\\]\\.${path}: .*${message}`, 'm'),
  )
})

test('a header that headers and http_headers both set is refused', () => {
  const keys = 'headers: { X-A: a }\nhttp_headers: { x-a: { values: [b] } }'
  expect(problemsOf(withOrigin(keys))).toEqual([
    '4:21 error remote_write[0].http_headers.x-a: this header is there twice',
  ])
})

const tenants = (auth: string) =>
  problemsOf(
    withOrigin('headers: { X-Scope-OrgID: "team-{tenant}" }').replace(
      'auth: none',
      `auth: ${auth}`,
    ),
  )

test('{tenant} without auth is refused, since there is no tenant', () => {
  expect(tenants('none')).toEqual([
    expect.stringMatching(
      /^3:31 error remote_write\[0\]\.headers\.X-Scope-OrgID: \{tenant\} stands/,
    ),
  ])
})

test('{tenant} with an entry that names none is worth a warning', () => {
  expect(tenants('[{ bearer: a, tenant: t }, { bearer: b }]')).toEqual([
    '4:44 warning sluice.auth[1]: no tenant here, so {tenant} in the headers of an origin becomes "default"',
  ])
  expect(tenants('[{ bearer: a, tenant: t }]')).toEqual([])
})
