import { Buffer } from 'node:buffer'
import type { OriginConfig } from '../config/types.ts'

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
   * What must not appear in a message: credentials, whole and in parts, and long values of headers
   * and the query.
   */
  readonly secrets: readonly string[]
}

const EMBEDDED = 'sluice://embedded'

/** An API key may hide in any header or query value, but not in one that is shorter than this. */
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
      : [decoded(url.username), decoded(url.password)].join(':')
  const authorization =
    origin.authorization ?? (userinfo === undefined ? undefined : `Basic ${base64(userinfo)}`)
  const secrets = new Set<string>([url.password])
  for (const value of url.searchParams.values()) addKey(secrets, value)
  for (const [, value] of origin.headers) if (!value.includes('{tenant}')) addKey(secrets, value)
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

function addKey(secrets: Set<string>, value: string): void {
  if (value.length >= SHORTEST_KEY) secrets.add(value)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    // A lone % in a password is legal in a URL and means itself.
    if (error instanceof URIError) return text
    throw error
  }
}
