import { expect, it } from 'vitest'
import { parse } from 'yaml'
import type { AuthEntry } from '../../src/config/types.ts'
import { prometheusSnippet } from '../../src/embedded/snippet.ts'

const URL_ = 'https://edge.example'
const BEARER: AuthEntry = { tenant: 'a', bearer: 'secret' }
const USER: AuthEntry = { tenant: 'a', username: 'secret-user', password: 'secret' }

it.each<[string, 'none' | readonly AuthEntry[], object]>([
  ['no auth', 'none', {}],
  ['a bearer token', [BEARER, USER], { authorization: { credentials: expect.any(String) } }],
  [
    'a user',
    [USER],
    { basic_auth: { username: expect.any(String), password: expect.any(String) } },
  ],
])('the snippet is YAML that Prometheus takes, for %s', (_, auth, added) => {
  const snippet = prometheusSnippet(URL_, auth)
  expect(parse(snippet)).toEqual({
    remote_write: [{ url: 'https://edge.example/api/v1/write', ...added }],
  })
  expect(snippet).not.toContain('secret')
})
