import { isSeq } from 'yaml'
import { USER_COLON, userPartProblem } from './authorization.ts'
import { error, type Value, warn } from './config-file.ts'
import { readExpanded } from './expand.ts'
import { trailing } from './header.ts'
import { readFields, readItems, readText } from './read.ts'
import type { AuthEntry, Config } from './types.ts'

/** Every request is compared with all of them. */
const MAX_ENTRIES = 1000
/** The tenant of an entry that names none. */
export const DEFAULT_TENANT = 'default'

/** `sluice.auth` as far as it could be read. */
export interface ReadAuth {
  /** Undefined (and an error was noted) when it can't be said who may push. */
  readonly auth: Config['auth'] | undefined
  /** The entries that name no tenant, so that they got the default one. */
  readonly withoutTenant: readonly Value[]
}

/**
 * Reads `sluice.auth`; `at` is where its absence is noted. Missing altogether is an error unless `openWithoutAuth`:
 * then it is `none`, with a warning.
 */
export function readAuth(at: Value, value: Value | undefined, openWithoutAuth: boolean): ReadAuth {
  if (value === undefined) {
    const place = { ...at, path: 'sluice.auth' }
    if (openWithoutAuth) warn(place, OPEN)
    else error(place, MISSING)
    return { auth: openWithoutAuth ? 'none' : undefined, withoutTenant: [] }
  }
  if (!isSeq(value.node)) {
    const said = readText(value, WANTED)
    if (said !== undefined && said !== 'none') error(value, `wanted ${WANTED}`)
    return { auth: said === 'none' ? said : undefined, withoutTenant: [] }
  }
  const items = readItems(value) ?? []
  if (items.length === 0) error(value, 'nobody could push: name at least one, or write none')
  if (items.length > MAX_ENTRIES) error(value, `at most ${MAX_ENTRIES} entries are possible`)
  const auth: AuthEntry[] = []
  const withoutTenant: Value[] = []
  const seen = new Map<string, string>()
  for (const item of items.slice(0, MAX_ENTRIES)) {
    const entry = readEntry(item, withoutTenant)
    if (entry === undefined) continue
    const key = JSON.stringify('bearer' in entry ? entry.bearer : [entry.username, entry.password])
    const first = seen.get(key)
    if (first !== undefined) error(item, `these are the same credentials as in ${first}`)
    seen.set(key, first ?? item.path)
    auth.push(entry)
  }
  return { auth, withoutTenant }
}

function readEntry(value: Value, withoutTenant: Value[]): AuthEntry | undefined {
  const fields = readFields(value, ['bearer', 'username', 'password', 'tenant'], true)
  if (fields === undefined) return undefined
  const tenant = readTenant(fields.get('tenant'))
  if (!fields.has('tenant')) withoutTenant.push(value)
  const [bearer, username, password] = ['bearer', 'username', 'password'].map((key) =>
    fields.get(key),
  )
  const token = bearer && readToken(bearer)
  const user = username && readUserPart(username)
  const secret = password && readUserPart(password)
  if (bearer !== undefined && (username !== undefined || password !== undefined)) {
    return error(value, 'an entry has either bearer, or username and password')
  }
  if (bearer !== undefined) return token === undefined ? undefined : { tenant, bearer: token }
  if (username === undefined || password === undefined) {
    if (username !== undefined) return error(value, 'password is missing')
    return error(
      value,
      password ? 'username is missing' : 'bearer is missing (or username and password)',
    )
  }
  if (user?.includes(':')) return error(username, USER_COLON)
  if (user === undefined || secret === undefined) return undefined
  return { tenant, username: user, password: secret }
}

/** A bearer token as an Authorization header can carry it. */
function readToken(value: Value): string | undefined {
  const token = readExpanded(value)
  if (token === undefined) return undefined
  if (token === '') return error(value, 'this must not be empty')
  if (/^[\x21-\x7e]+$/.test(token)) return token
  return error(
    value,
    `a bearer token may only hold visible ASCII characters, no spaces or line breaks${trailing(token)}`,
  )
}

function readUserPart(value: Value): string | undefined {
  const text = readExpanded(value)
  if (text === undefined) return undefined
  const problem = text === '' ? 'this must not be empty' : userPartProblem(text)
  return problem === undefined ? text : error(value, problem)
}

/** A tenant goes into headers and metrics. */
function readTenant(value: Value | undefined): string {
  const tenant = value && readExpanded(value)
  if (value === undefined || tenant === undefined) return DEFAULT_TENANT
  if (/^[\x21-\x7e]{1,150}$/.test(tenant)) return tenant
  return error(value, 'wanted 1 to 150 visible ASCII characters, no spaces') ?? DEFAULT_TENANT
}

const WANTED = 'none, or a list of {bearer} and {username, password} entries'
const MISSING =
  `who may push is not said: write sluice: {auth: [{bearer: "\${AGENT_TOKEN}"}]} and set the secret ` +
  'AGENT_TOKEN, or sluice: {auth: none} to let everyone in'
const OPEN =
  'not said, so everyone who reaches this address may push (allowed here, on loopback only)'
