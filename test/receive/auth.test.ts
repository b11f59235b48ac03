import { describe, expect, it } from 'vitest'
import type { AuthEntry } from '../../src/config/types.ts'
import { authenticate, unauthenticated } from '../../src/receive/auth.ts'

const entries: readonly AuthEntry[] = [
  { bearer: 'agent-token', tenant: 'prod' },
  { username: 'edge', password: 'pass:word', tenant: 'edge' },
  { username: 'münchen', password: 'schlüssel🔑', tenant: 'süd' },
  { username: 'nobody', password: '', tenant: 'empty' },
  { bearer: 'agent-token', tenant: 'shadowed' },
  { bearer: 'last', tenant: 'last' },
]

function basic(text: string): string {
  return `Basic ${Buffer.from(text).toString('base64')}`
}

describe('credentials that are known', () => {
  const cases: [name: string, authorization: string, tenant: string][] = [
    ['a bearer token', 'Bearer agent-token', 'prod'],
    ['a scheme in lower case', 'bearer agent-token', 'prod'],
    ['a scheme in upper case', 'BEARER agent-token', 'prod'],
    ['several spaces after the scheme', 'Bearer   agent-token', 'prod'],
    ['blanks around', ' Bearer agent-token\t', 'prod'],
    ['the last entry', 'Bearer last', 'last'],
    ['a password with a colon', basic('edge:pass:word'), 'edge'],
    ['basic in another case', basic('edge:pass:word').replace('Basic', 'bAsIc'), 'edge'],
    ['base64 without padding', basic('edge:pass:word').replaceAll('=', ''), 'edge'],
    ['user and password in UTF-8', basic('münchen:schlüssel🔑'), 'süd'],
    ['an empty password', basic('nobody:'), 'empty'],
  ]
  it.each(cases)('%s', (_, authorization, tenant) => {
    expect(authenticate(authorization, entries)).toEqual({ tenant })
  })
})

describe('credentials that are not', () => {
  const cases: [name: string, authorization: string | null][] = [
    ['no header', null],
    ['an empty header', ''],
    ['a scheme alone', 'Bearer'],
    ['a scheme and a blank', 'Bearer '],
    ['a token without scheme', 'agent-token'],
    ['another token', 'Bearer agent-tokem'],
    ['a prefix of a token', 'Bearer agent-toke'],
    ['a token with more behind it', 'Bearer agent-token2'],
    ['a token in another case', 'Bearer Agent-token'],
    ['two headers joined', 'Bearer agent-token, Bearer agent-token'],
    ['an unknown scheme', 'Digest agent-token'],
    ['a token as basic', 'Basic agent-token'],
    ['a user and password as bearer', 'Bearer edge:pass:word'],
    ['the base64 of a token as basic', basic('agent-token')],
    ['a wrong password', basic('edge:pass:wor')],
    ['a wrong user', basic('egde:pass:word')],
    ['the password of another', basic('edge:schlüssel🔑')],
    ['a user without password', basic('edge')],
    ['a password in Latin-1', `Basic ${Buffer.from('münchen:x', 'latin1').toString('base64')}`],
    ['base64 with junk in it', basic('edge:pass:word').replace('Basic Z', 'Basic *Z')],
    ['base64 with too much padding', `${basic('edge:pass:word')}===`],
  ]
  it.each(cases)('%s', (_, authorization) => {
    expect(authenticate(authorization, entries)).toBeUndefined()
  })
})

it('no auth lets everybody in, as the default tenant', () => {
  expect(authenticate(null, 'none')).toEqual({ tenant: '' })
  expect(authenticate('Bearer what-ever', 'none')).toEqual({ tenant: '' })
})

it('two configs with the same token do not share what they know', () => {
  expect(authenticate('Bearer t', [{ bearer: 't', tenant: 'a' }])).toEqual({ tenant: 'a' })
  expect(authenticate('Bearer t', [{ bearer: 't', tenant: 'b' }])).toEqual({ tenant: 'b' })
  expect(authenticate('Bearer t', [])).toBeUndefined()
})

describe('the challenge names the schemes that are accepted', () => {
  const bearer = { bearer: 't', tenant: '' }
  const user = { username: 'u', password: 'secret-password', tenant: '' }
  const cases: [AuthEntry[], string][] = [
    [[bearer], 'Bearer realm="sluice"'],
    [[user], 'Basic realm="sluice", charset="UTF-8"'],
    [[bearer, user, bearer], 'Basic realm="sluice", charset="UTF-8", Bearer realm="sluice"'],
  ]
  it.each(cases)('%j', (auth, challenge) => {
    const error = unauthenticated(auth)
    expect(error.status).toBe(401)
    expect(error.headers).toEqual({ 'WWW-Authenticate': challenge })
    expect(error.message).not.toContain('secret-password')
  })
})
