import { expect, test } from 'vitest'
import { configOf, problemsOf } from './problems-of.ts'

const withUrl = (url: string) =>
  `remote_write:\n  - url: ${JSON.stringify(url)}\nsluice: { auth: none }`

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

test.each([
  ['https://h.example/api/v1/push', 'https://h.example/api/v1/push', 'h.example/api/v1/push'],
  ['HTTP://H.example:8080', 'http://h.example:8080/', 'H.example:8080'],
  ['https://h/p?a=b&c#frag', 'https://h/p?a=b&c', 'h/p'],
  ['https://[::1]:9090/w', 'https://[::1]:9090/w', '[::1]:9090/w'],
  ['sluice://embedded', 'sluice://embedded', 'embedded'],
  ['sluice://embedded/', 'sluice://embedded', 'embedded'],
  [`https://\${HOST}/\${TOKEN}/w`, 'https://origin.example/t0ken/w', `\${HOST}/\${TOKEN}/w`],
  [`\${URL}`, 'https://whole.example/x?key=k', `\${URL}`],
])('the url %s becomes %s, named %s', (written, url, name) => {
  const bindings = { HOST: 'origin.example', TOKEN: 't0ken', URL: 'https://whole.example/x?key=k' }
  expect(configOf(withUrl(written), bindings).origins[0]).toMatchObject({ url, name })
})

test.each([
  ['https://u:p@h/w', 'https://h/w', 'u:p'],
  ['https://u@h/w', 'https://h/w', 'u:'],
  ['https://:p@h/w', 'https://h/w', ':p'],
  ['https://u%40x:p%3A%20q@h/w', 'https://h/w', 'u@x:p: q'],
  [`https://u:\${PW}@h/w`, 'https://h/w', 'u:s3cret'],
  [`\${ALL}h/w`, 'https://h/w', 'u:s3cret'],
])('the user in %s becomes basic authentication, as in Prometheus', (written, url, user) => {
  const bindings = { PW: 's3cret', ALL: 'https://u:s3cret@' }
  const origin = configOf(withUrl(written), bindings).origins[0]!
  expect(origin).toMatchObject({ url, authorization: basic(user) })
  expect(origin.name).toBe(written.startsWith('$') ? `\${ALL}h/w` : 'h/w')
})

test.each([
  ['https://h/w?token=abc&flag&x=', 'https://h/w?token=<secret>&<secret>&x=<secret>'],
  ['https://u:p@h/w?a=b', 'https://h/w?a=<secret>'],
  [`https://\${HOST}/w#x`, `https://\${HOST}/w`],
])('of %s only %s is shown', (written, shown) => {
  expect(configOf(withUrl(written), { HOST: 'h' }).origins[0]!.shownUrl).toBe(shown)
})

test.each([
  'ftp://h/',
  'h.example/w',
  '//h/w',
  'https:h/w',
  'https:/h/w',
  'https:///w',
  'https://',
  'https://h:99999/',
  'https://[::1/',
  'sluice://other',
  'sluice:embedded',
  'javascript:alert(1)',
  'unix:///x',
  '',
])('the url %j is refused', (url) => {
  expect(problemsOf(withUrl(url))).toEqual([
    '2:10 error remote_write[0].url: wanted an http:// or https:// url, or sluice://embedded',
  ])
})

test.each([
  ['https://h/a b', /spaces, line breaks/],
  ['https://h\\@evil/', /backslashes/],
  ['https://h/\n', /line breaks or backslashes \(the binding was stored with one at its end\)/],
  ['https://u:100%@h/', /must be written %25/],
])('the url %j is refused, with a reason', (url, reason) => {
  expect(problemsOf(withUrl(url))).toEqual([expect.stringMatching(reason)])
})

test('a url is never repeated in a problem', () => {
  for (const url of ['hunter2://h/', 'https://h/hunter2 x', 'https://hunter2:99%@h/']) {
    expect(problemsOf(withUrl(url)).join()).not.toContain('hunter2')
  }
})
