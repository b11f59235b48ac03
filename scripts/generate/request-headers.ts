import { validateHeaderName, validateHeaderValue } from 'node:http'
import { percentDecoded } from '../../src/deliver/percent-decoded.ts'
import { OptionProblem } from './option-problem.ts'

/** Headers as options say them. */
export interface HeaderOptions {
  /** Each `Name: value`. */
  readonly header: readonly string[]
  /** The name of the variable that holds a bearer token. */
  readonly bearerEnv?: string
  /** Of the one that holds `user:password`. */
  readonly basicEnv?: string
}

/** Where requests go, without credentials, and the headers that they have. */
export interface Target {
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Texts that must not be shown. */
  readonly secrets: readonly string[]
}

/** Names that are for the connection to decide. */
const OURS = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade'])

/** Reads a URL and headers. `prefix` is what the options' names begin with. Throws an OptionProblem, which never holds a value. */
export function targetOf(
  text: string,
  options: HeaderOptions,
  env: Readonly<Record<string, string | undefined>>,
  prefix: '' | 'verify-' = '',
): Target {
  const option = prefix === '' ? '--url' : '--verify'
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new OptionProblem(`${option}: wanted a URL that begins with http:// or https://`)
  }
  const headers: Record<string, string> = {}
  const secrets: string[] = []
  const authorizations: string[] = []
  const set = (name: string, value: string, from: string) => {
    if (name === 'authorization') authorizations.push(from)
    headers[name] = value
    // Also the token alone, without its scheme.
    secrets.push(value, value.slice(value.lastIndexOf(' ') + 1))
  }

  for (const line of options.header) {
    const [name, value] = headerOf(line, `--${prefix}header`)
    set(name, value, `--${prefix}header`)
  }
  const { bearerEnv, basicEnv } = options
  if (bearerEnv !== undefined) {
    const token = variable(env, bearerEnv, `--${prefix}bearer-env`)
    if (!/^[\x21-\x7e]+$/.test(token)) {
      throw new OptionProblem(`--${prefix}bearer-env: the variable holds what no token may have`)
    }
    set('authorization', `Bearer ${token}`, `--${prefix}bearer-env`)
  }
  const basic = (pair: string, from: string) => {
    const encoded = Buffer.from(pair).toString('base64')
    secrets.push(pair, encoded, pair.slice(pair.indexOf(':') + 1))
    set('authorization', `Basic ${encoded}`, from)
  }
  if (basicEnv !== undefined) {
    const pair = variable(env, basicEnv, `--${prefix}basic-env`)
    if (!pair.includes(':')) {
      throw new OptionProblem(`--${prefix}basic-env: ${basicEnv} does not hold user:password`)
    }
    basic(pair, `--${prefix}basic-env`)
  }
  if (url.username !== '' || url.password !== '') {
    basic(
      `${percentDecoded(url.username)}:${percentDecoded(url.password)}`,
      `the user in ${option}`,
    )
    url.username = ''
    url.password = ''
  }
  url.hash = ''
  if (authorizations.length > 1) {
    throw new OptionProblem(`${authorizations.join(' and ')} both say who sends: leave one`)
  }
  return { url, headers, secrets }
}

function headerOf(line: string, option: string): readonly [string, string] {
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase()
  const value = line.slice(colon + 1).trim()
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const which = colon < 1 ? '' : ` ${JSON.stringify(name.slice(0, 60))} is no header:`
    throw new OptionProblem(`${option}:${which} wanted 'Name: value'`)
  }
  if (OURS.has(name)) throw new OptionProblem(`${option}: ${name} is not yours to set`)
  return [name, value]
}

function variable(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  option: string,
): string {
  const value = Object.hasOwn(env, name) ? env[name]?.replace(/\r?\n$/, '') : undefined
  if (value === undefined || value === '') {
    throw new OptionProblem(`${option}: there is no variable of the name given in the environment`)
  }
  return value
}
