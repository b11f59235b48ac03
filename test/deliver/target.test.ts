import { expect, test } from 'vitest'
import { targetOf } from '../../src/deliver/target.ts'
import { originConfig } from './fixtures.ts'

test('a plain url is left alone and has no secrets', () => {
  const target = targetOf(originConfig({ url: 'https://mimir.example/api/v1/push?x=1' }))
  expect(target).toEqual({
    url: 'https://mimir.example/api/v1/push?x=1',
    authorization: undefined,
    secrets: [],
  })
})

test('the embedded origin has a url that fetch takes', () => {
  expect(targetOf(originConfig({ url: 'sluice://embedded' })).url).toBe(
    'http://embedded/api/v1/write',
  )
})

test('userinfo leaves the url and becomes basic auth', () => {
  const target = targetOf(originConfig({ url: 'https://me:p%40ss@mimir.example/push' }))
  expect(target.url).toBe('https://mimir.example/push')
  expect(target.authorization).toBe(`Basic ${btoa('me:p@ss')}`)
  expect(target.secrets).toEqual(expect.arrayContaining(['p%40ss', 'p@ss', 'me:p@ss']))
})

test('authorization of the config wins over userinfo, and both are secret', () => {
  const target = targetOf(
    originConfig({ url: 'https://me:hunter2@mimir.example/', authorization: 'Bearer tok' }),
  )
  expect(target.authorization).toBe('Bearer tok')
  expect(target.secrets).toEqual(expect.arrayContaining(['hunter2', 'Bearer tok', 'tok']))
})

test('a token in the place of a user without a password is secret', () => {
  const inUrl = targetOf(originConfig({ url: 'https://glc_token@mimir.example/' }))
  const inHeader = targetOf(originConfig({ authorization: `Basic ${btoa('glc_token:')}` }))
  expect(inUrl.secrets).toContain('glc_token')
  expect(inHeader.secrets).toContain('glc_token')
})

test('a lone percent sign in a password means itself', () => {
  const target = targetOf(originConfig({ url: 'https://me:100%@mimir.example/' }))
  expect(target.authorization).toBe(`Basic ${btoa('me:100%')}`)
})

test('of basic auth the header, the base64, the pair and the password are secret', () => {
  const pair = Buffer.from('sluice:pässword:x').toString('base64')
  const target = targetOf(originConfig({ authorization: `Basic ${pair}` }))
  expect(target.secrets).toEqual(
    expect.arrayContaining([`Basic ${pair}`, pair, 'sluice:pässword:x', 'pässword:x']),
  )
})

test('long header and query values are secret, short ones and those of the tenant are not', () => {
  const target = targetOf(
    originConfig({
      url: 'https://mimir.example/push?key=0123456789&v=1',
      headers: [
        ['X-Api-Key', 'abcdefgh12'],
        ['X-Scope-OrgID', 'team-{tenant}'],
        ['X-Short', 'abc'],
      ],
    }),
  )
  expect(target.secrets).toEqual(['0123456789', 'abcdefgh12'])
})

test('a url that is none is an error that does not quote it', () => {
  expect(() => targetOf(originConfig({ url: 'https://me:hunter2@' }))).toThrow(/^BUG: .*mimir/)
  expect(() => targetOf(originConfig({ url: 'https://me:hunter2@' }))).not.toThrow(/hunter2/)
})

test('it is worked out once per config object', () => {
  const origin = originConfig()
  expect(targetOf(origin)).toBe(targetOf(origin))
})

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: how a binding is written
test.each<[string, string, string, string[]]>([
  [
    'a value of the query as it is echoed',
    'http://h/?k=a%2fb+cdefgh',
    '',
    ['a%2fb+cdefgh', 'a/b+cdefgh', 'a/b cdefgh'],
  ],
  ['a query without a name', 'http://h/?v=1&0123456789', '', ['0123456789']],
  ['a part of the path', 'http://h:80/w/0123456789/w', 'http://h:80/w/${TOKEN}/w', ['0123456789']],
  [
    'two parts of one binding',
    'http://h/aaaaaaaaa/b%2Fbbbbbbb',
    'http://h/${TOKEN}',
    ['aaaaaaaaa', 'b%2Fbbbbbbb', 'b/bbbbbbb'],
  ],
  [
    'a part that it is only a part of',
    'http://h/key-0123456789',
    'http://h/key-${TOKEN}',
    ['key-0123456789'],
  ],
  [
    'a host',
    'http://key-0123.example:81/writewrite',
    'http://${HOST}/writewrite',
    ['key-0123.example:81', 'key-0123.example'],
  ],
  [
    'all of it',
    'http://h123.example/tenant-0123/push',
    '${BASE}/push',
    ['h123.example', 'tenant-0123'],
  ],
])('what a binding may have brought into a url is secret: %s', (_, url, shownUrl, secrets) => {
  expect(targetOf(originConfig({ url, shownUrl })).secrets).toEqual(secrets)
})

test('a path and a host that are written out are no secret', () => {
  const url = 'https://mimir.example:8080/api/v1/push-to-here'
  expect(targetOf(originConfig({ url, shownUrl: url })).secrets).toEqual([])
  const bound = targetOf(originConfig({ url: `${url}/abc`, shownUrl: `${url}/\${SHORT}` }))
  expect(bound.secrets).toEqual([])
})
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: how a binding is written

test('what stands beside the tenant in a header is secret, the tenant is not', () => {
  const headers = [['X-Key', '{tenant}:0123456789']] as const
  expect(targetOf(originConfig({ headers })).secrets).toEqual([':0123456789'])
})
