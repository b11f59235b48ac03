import { describe, expect, it } from 'vitest'
import { OptionProblem } from '../../../scripts/generate/option-problem.ts'
import { type HeaderOptions, targetOf } from '../../../scripts/generate/request-headers.ts'
import { hidingSecrets } from '../../../scripts/generate/secrets.ts'

const ENV = { TOKEN: 's3cret-token', PAIR: 'user:p4ssword', EMPTY: '', SPACED: 'a b' }
const target = (url: string, options: Partial<HeaderOptions> = {}) =>
  targetOf(url, { header: [], ...options }, ENV)

describe('headers of a request', () => {
  it.each<[string, Partial<HeaderOptions>, Record<string, string>]>([
    ['http://h/w', {}, {}],
    [
      'http://h/w',
      { header: ['X-Scope-OrgID: team 1', 'x-two:a:b'] },
      { 'x-scope-orgid': 'team 1', 'x-two': 'a:b' },
    ],
    ['http://h/w', { bearerEnv: 'TOKEN' }, { authorization: 'Bearer s3cret-token' }],
    ['http://h/w', { basicEnv: 'PAIR' }, { authorization: `Basic ${btoa('user:p4ssword')}` }],
    ['http://us%65r:p%40ss@h/w#x', {}, { authorization: `Basic ${btoa('user:p@ss')}` }],
  ])('%s %j', (url, options, headers) => {
    const found = target(url, options)
    expect(found.headers).toEqual(headers)
    expect(found.url.href).toBe('http://h/w')
  })

  it.each<[string, Partial<HeaderOptions>, string]>([
    ['h:9090/w', {}, '--url: wanted a URL that begins with http:// or https://'],
    ['', {}, '--url: wanted a URL'],
    ['http://h', { header: ['nothing'] }, "--header: wanted 'Name: value'"],
    ['http://h', { header: [': x'] }, "--header: wanted 'Name: value'"],
    ['http://h', { header: ['a b: s3cret'] }, '--header: "a b" is no header'],
    ['http://h', { header: ['a: s3cret\r\nb: c'] }, '--header: "a" is no header'],
    ['http://h', { header: ['Content-Length: 3'] }, '--header: content-length is not yours'],
    ['http://h', { bearerEnv: 'NONE' }, '--bearer-env: there is no variable'],
    ['http://h', { bearerEnv: 'toString' }, '--bearer-env: there is no variable'],
    ['http://h', { bearerEnv: 'EMPTY' }, '--bearer-env: there is no variable'],
    ['http://h', { bearerEnv: 'SPACED' }, '--bearer-env: the variable holds what no token'],
    ['http://h', { basicEnv: 'TOKEN' }, '--basic-env: TOKEN does not hold user:password'],
    ['http://u:p@h', { bearerEnv: 'TOKEN' }, '--bearer-env and the user in --url both'],
    [
      'http://h',
      { header: ['Authorization: x'], basicEnv: 'PAIR' },
      '--header and --basic-env both say who sends',
    ],
  ])('%s %j is refused', (url, options, message) => {
    expect(() => target(url, options)).toThrow(OptionProblem)
    expect(() => target(url, options)).toThrow(message)
    expect(() => target(url, options)).not.toThrow(/s3cret|p4ss/)
  })
})

describe('what others wrote', () => {
  const { secrets } = target('http://h', { header: ['X-Key: k3y-of-mine'], basicEnv: 'PAIR' })
  const shown = hidingSecrets(secrets)

  it.each([
    ['no such key: k3y-of-mine!', 'no such key: ***!'],
    ['user:p4ssword', '***'],
    ['bad p4ssword', 'bad ***'],
    [`Basic ${btoa('user:p4ssword')}`, '***'],
    ['Bearer abcdefghijklmnopqrst', 'Bearer ***'],
    ['http://a:b@h/', 'http://***@h/'],
    ['one\r\ntwo\x1b[31m\u202e three\n', 'one two [31m three'],
  ])('is shown without secrets, in one line: %j', (text, wanted) => {
    expect(shown(text)).toBe(wanted)
  })

  it('is shortened', () => {
    expect(shown('x'.repeat(1_000_000))).toBe(`${'x'.repeat(299)}…`)
  })
})
