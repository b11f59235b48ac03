import { Buffer } from 'node:buffer'
import type { OriginConfig } from '../config/types.ts'
import { percentDecoded } from './percent-decoded.ts'

/** Where an origin's requests go, with everything about it that must not be told. */
export interface Target {
  /** Absolute URL without credentials in it, as `fetch` demands. */
  readonly url: string
  /**
   * Value of the Authorization header; from the URL's userinfo where the config says nothing else.
   * A secret.
   */
  readonly authorization: string | undefined
  /**
   * What must not appear in a message: credentials, whole and in parts, long values of headers and the query, and what
   * bindings brought into host and path.
   */
  readonly secrets: readonly string[]
}

const EMBEDDED = 'sluice://embedded'

/** An API key may hide in any header or part of a URL, but not in one that is shorter than this. */
const SHORTEST_KEY = 8

const known = new WeakMap<OriginConfig, Target>()

/**
 * The target of an origin. Worked out once per config object; throws a `TypeError` when its url is
 * none.
 */
export function targetOf(origin: OriginConfig): Target {
  const found = known.get(origin)
  if (found !== undefined) return found
  const target = origin.url === EMBEDDED ? embedded() : remote(origin)
  known.set(origin, target)
  return target
}

function embedded(): Target {
  return { url: 'http://embedded/api/v1/write', authorization: undefined, secrets: [] }
}

function remote(origin: OriginConfig): Target {
  const url = parse(origin)
  const userinfo =
    url.username === '' && url.password === ''
      ? undefined
      : [percentDecoded(url.username), percentDecoded(url.password)].join(':')
  const authorization =
    origin.authorization ?? (userinfo === undefined ? undefined : `Basic ${base64(userinfo)}`)
  const secrets = new Set<string>([url.password])
  for (const pair of url.search.slice(1).split('&')) addKey(secrets, pair.replace(/^[^=]*=/, ''))
  for (const part of boundParts(url, origin.shownUrl ?? '')) addKey(secrets, part)
  for (const [, value] of origin.headers) {
    for (const written of value.split('{tenant}')) addKey(secrets, written)
  }
  if (userinfo !== undefined) addCredentials(secrets, `Basic ${base64(userinfo)}`)
  if (authorization !== undefined) addCredentials(secrets, authorization)
  secrets.delete('')
  url.username = ''
  url.password = ''
  return { url: url.href, authorization, secrets: [...secrets] }
}

function parse(origin: OriginConfig): URL {
  const url = URL.parse(origin.url)
  // The platform's own error would quote the url, and with it the credentials in it.
  if (url === null) throw new TypeError(`BUG: the url of origin ${origin.name} is none`)
  return url
}

/** The whole value, what follows the scheme, and for Basic also what that says. */
function addCredentials(secrets: Set<string>, authorization: string): void {
  const [scheme = '', ...rest] = authorization.split(' ')
  const credentials = rest.join(' ').trim()
  secrets.add(authorization)
  if (credentials !== '') secrets.add(credentials)
  if (scheme.toLowerCase() !== 'basic') return
  const plain = Buffer.from(credentials, 'base64').toString()
  const colon = plain.indexOf(':')
  secrets.add(plain)
  // A token may stand in the place of the user, without a password.
  secrets.add(plain.slice(colon + 1) || plain.slice(0, colon))
}

/** As it stands, which is how a URL is echoed, and as it was meant. */
function addKey(secrets: Set<string>, value: string): void {
  for (const form of [value, percentDecoded(value), percentDecoded(value.replaceAll('+', ' '))]) {
    if (form.length >= SHORTEST_KEY) secrets.add(form)
  }
}

/** Parts of host and path that are not in the url as it was written, where `${NAME}` is not replaced yet. */
function boundParts({ host, hostname, pathname }: URL, written: string): string[] {
  const [authority = '', ...path] = written
    .replace(/[?#].*/s, '')
    .replace(/^[^/]*:\/\//, '')
    .split('/')
  const parts = authority.includes('${') ? [host, hostname] : []
  if (written.includes('${'))
    parts.push(...pathname.split('/').filter((part) => !path.includes(part)))
  return parts
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
