import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { describeConfig } from '../../src/config/describe.ts'
import { parseConfig } from '../../src/config/parse.ts'

const run = { seed: 20260801, numRuns: 300 }

/** Where a secret can stand, be it as a binding or written out. */
const places: readonly ((secret: string) => object)[] = [
  (secret) => origin({ basic_auth: { username: 'u', password: secret } }),
  (secret) => origin({ basic_auth: { username: 'a:b', password: secret } }),
  (secret) => origin({ basic_auth: secret }),
  (secret) => origin({ basic_auth: { username: secret } }),
  (secret) => origin({ basic_auth: [secret] }),
  (secret) => origin({ authorization: { credentials: secret } }),
  (secret) => origin({ authorization: { type: 'Basic', credentials: secret } }),
  (secret) => origin({ authorization: secret }),
  (secret) => origin({ bearer_token: secret, basic_auth: { username: 'u', password: secret } }),
  (secret) => origin({ bearer_token: [secret] }),
  (secret) => origin({ headers: { 'X-Key': secret } }),
  (secret) => origin({ headers: { Host: secret } }),
  (secret) => origin({ headers: [secret] }),
  (secret) => origin({ http_headers: { 'X-Key': { secrets: [secret] } } }),
  (secret) => origin({ http_headers: { 'X-Key': { secrets: [secret, secret] } } }),
  (secret) => origin({ http_headers: { 'X-Key': { files: [secret] } } }),
  (secret) => origin({ tls_config: { key: secret } }),
  (secret) => origin({ oauth2: { client_secret: secret } }),
  (secret) => origin({ url: `https://user:${secret}@h/` }),
  (secret) => origin({ url: `https://h/?token=${secret}` }),
  (secret) => origin({ url: `https://h/?${secret}` }),
  (secret) => auth([{ bearer: secret }]),
  (secret) => auth([{ bearer: secret }, { bearer: secret }]),
  (secret) => auth([{ username: 'u', password: secret }]),
  (secret) => auth([{ username: 'a:b', password: secret }]),
  (secret) => auth([{ password: secret }]),
  (secret) => auth([{ bearer: secret, username: 'u' }]),
  (secret) => auth([{ [`bearer:${secret}`]: null }]),
  (secret) => auth([{ [secret]: null }]),
  (secret) => auth([secret]),
  (secret) => auth(secret),
  (secret) => auth({ bearer: secret }),
]

/** Only where a binding is used: what is written into a path is no secret to Sluice. */
const boundPlaces = [
  ...places,
  (secret: string) => origin({ url: `https://h/${secret}/push` }),
  (secret: string) => origin({ url: secret }),
]

function origin(keys: object): object {
  const url = 'https://origin.example/'
  return { remote_write: [{ url, ...keys }], sluice: { auth: 'none' } }
}

function auth(value: unknown): object {
  const url = 'https://origin.example/'
  return { remote_write: [{ url }], sluice: { auth: value } }
}

/** Long enough that no message holds it by chance; from tame to what breaks headers, urls and YAML. */
const secrets = fc.oneof(
  fc.stringMatching(/^[a-z0-9]{12,20}$/),
  fc.stringMatching(/^[!-~]{12,20}$/).filter((text) => !text.includes('${')),
  fc.stringMatching(/^[a-z0-9]{12,20}[\r\n\t @:/?#%]{1,3}$/),
  fc.string({ minLength: 12, maxLength: 20, unit: 'binary' }).filter((s) => !s.includes('${')),
)

/** Everything that is shown to people. */
function shown(text: string, bindings: Record<string, unknown>): string {
  const { config, problems } = parseConfig(text, bindings)
  const names = config?.origins.map(({ name, shownUrl }) => `${name} ${shownUrl}`) ?? []
  return [JSON.stringify(problems), ...names, config ? describeConfig(config) : ''].join('\n')
}

/** The secret, and what is left of it after YAML, JSON, a url or base64 got hold of it. */
function traces(secret: string): string[] {
  const words = secret.split(/[^a-z0-9]+/i).filter((word) => word.length >= 8)
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURI(secret.toWellFormed()), ...words]
    .concat(Buffer.from(secret).toString('base64'))
    .filter((trace) => trace.length >= 8)
}

test('a secret in a binding is in no problem, name or description', () => {
  fc.assert(
    fc.property(fc.constantFrom(...boundPlaces), secrets, (place, secret) => {
      const output = shown(stringify(place(`\${SECRET}`)), { SECRET: secret })
      for (const trace of traces(secret)) expect(output).not.toContain(trace)
    }),
    run,
  )
})

test('a secret written into the config is in no problem, name or description', () => {
  fc.assert(
    fc.property(fc.constantFrom(...places), secrets, (place, secret) => {
      const output = shown(stringify(place(secret)), {})
      for (const trace of traces(secret)) expect(output).not.toContain(trace)
    }),
    run,
  )
})

test('a secret in a config that was cut off is in no problem', () => {
  fc.assert(
    fc.property(fc.constantFrom(...places), secrets, fc.nat(), (place, secret, cut) => {
      const text = stringify(place(secret))
      const output = shown(text.slice(0, cut % text.length), {})
      for (const trace of traces(secret)) expect(output).not.toContain(trace)
    }),
    run,
  )
})

test('any text at all gets an answer, never an exception', () => {
  const words = fc.constantFrom(
    ...'remote_write: sluice: auth: url: - { } [ ] , : & * ! | > " \' # % @ ` ? ~ a << headers: none'
      .split(' ')
      .concat('\n', '\n  ', '\n    - ', `\${A}`, '\t', '---\n'),
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
      const { config, problems } = parseConfig(parts.join(''), { A: 'x' })
      expect(problems.some(({ severity }) => severity === 'error')).toBe(config === undefined)
    }),
    { ...run, numRuns: 2000 },
  )
})
