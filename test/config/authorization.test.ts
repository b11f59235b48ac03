import { expect, test } from 'vitest'
import { originOf, problemsOf, withOrigin } from './problems-of.ts'

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const bindings = { TOKEN: 't0ken', EMPTY: '', LINE: 'secret\n', NUMBER: 5, UMLAUT: 'pässword' }

test.each([
  ['basic_auth: { username: u, password: p }', basic('u:p')],
  ['basic_auth: { username: u }', basic('u:')],
  ['basic_auth: { username: 007, password: 1.0 }', basic('007:1.0')],
  ['basic_auth: { username: u, password: "a:b c" }', basic('u:a:b c')],
  [`basic_auth: { username: u, password: "\${UMLAUT}" }`, basic('u:pässword')],
  [`authorization: { credentials: "\${TOKEN}" }`, 'Bearer t0ken'],
  ['authorization: { type: Token, credentials: a b }', 'Token a b'],
  ['authorization: { type: " Api-Key ", credentials: x }', 'Api-Key x'],
  ['authorization: { type: "", credentials: x }', 'Bearer x'],
  [`bearer_token: "\${TOKEN}"`, 'Bearer t0ken'],
  ['', undefined],
])('%s becomes its header', (keys, header) => {
  expect(originOf(keys, bindings).authorization).toBe(header)
})

test.each([
  ['basic_auth: {}', 'basic_auth', 'username is missing'],
  ['basic_auth: hunter2', 'basic_auth', 'wanted a mapping, found a string'],
  ['basic_auth: { password: p }', 'basic_auth', 'username is missing'],
  ['basic_auth: { username: "a:b", password: p }', 'basic_auth.username', 'not hold a colon'],
  ['basic_auth: { username: u, password: [p] }', 'basic_auth.password', 'wanted a string, found'],
  ['basic_auth: { username: u, pasword: p }', 'basic_auth', 'did you mean password'],
  ['basic_auth: { username_file: f, password: p }', 'basic_auth.username_file', 'no files at the'],
  ['basic_auth: { username: u, password_file: f }', 'basic_auth.password_file', 'no files at the'],
  ['basic_auth: { username_ref: f, username: p }', 'basic_auth.username_ref', 'no secret manager'],
  ['basic_auth: { username: u, password_ref: f }', 'basic_auth.password_ref', 'no secret manager'],
  [`basic_auth: { username: u, password: "\${LINE}" }`, 'basic_auth.password', 'at its end'],
  [`basic_auth: { username: u, password: "\${EMPTY}" }`, 'basic_auth.password', 'EMPTY is empty'],
  [`basic_auth: { username: u, password: "\${NO}" }`, 'basic_auth.password', 'no binding NO'],
  [`basic_auth: { username: "\${NUMBER}" }`, 'basic_auth.username', 'NUMBER is not a string'],
  ['authorization: {}', 'authorization', 'credentials is missing'],
  ['authorization: { type: Basic, credentials: x }', 'authorization.type', 'use basic_auth'],
  ['authorization: { type: "a b", credentials: x }', 'authorization.type', 'wanted one word'],
  ['authorization: { credentials: "" }', 'authorization.credentials', 'must not be empty'],
  ['authorization: { credentials: "a\\nb" }', 'authorization.credentials', 'line break'],
  ['authorization: { credentials: "ä" }', 'authorization.credentials', 'printable ASCII'],
  ['authorization: { credentials_file: f }', 'authorization.credentials_file', 'no files at the'],
  [
    'authorization: { credentials_ref: f, credentials: x }',
    'authorization.credentials_ref',
    'no secret manager',
  ],
  ['bearer_token: ""', 'bearer_token', 'must not be empty'],
  [`bearer_token: "\${LINE}"`, 'bearer_token', 'line break \\(the binding was stored with one'],
  ['bearer_token: [x]', 'bearer_token', 'wanted a string, found a list'],
])('%s is refused', (keys, path, message) => {
  expect(problemsOf(withOrigin(keys), bindings)).toEqual([
    expect.stringMatching(`^3:\\d+ error remote_write\\[0\\]\\.${path}: .*${message}`),
  ])
})

test.each([
  ['basic_auth: { username: u }\nbearer_token: x', 'basic_auth and bearer_token'],
  [
    'basic_auth: { username: u }\nauthorization: { credentials: x }',
    'basic_auth and authorization',
  ],
  ['authorization: { credentials: x }\nbearer_token: x', 'authorization and bearer_token'],
])('%j is more than one way to authenticate', (keys, both) => {
  expect(problemsOf(withOrigin(keys))).toEqual([
    expect.stringContaining(`an origin can have one way to authenticate, this has ${both}`),
  ])
})

test('a user in the url and basic_auth are more than one way to authenticate', () => {
  const text = withOrigin('bearer_token: x').replace('https://', 'https://u:p@')
  expect(problemsOf(text)).toEqual([expect.stringContaining('the user in url and bearer_token')])
})
