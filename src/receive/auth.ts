import { createHash, timingSafeEqual } from 'node:crypto'
import type { AuthEntry, Config } from '../config/types.ts'
import { RequestError } from '../wire/request-error.ts'

/** Who sent a request. */
export interface Sender {
  /** Tenant of the entry that matched; empty where everybody is let in. */
  readonly tenant: string
}

interface Known {
  readonly digest: Buffer
  readonly sender: Sender
}

const ANYBODY: Sender = Object.freeze({ tenant: '' })
const knownOf = new WeakMap<readonly AuthEntry[], readonly Known[]>()

/**
 * Whose credentials the value of an Authorization header holds, or undefined. Bearer (RFC 6750) and
 * Basic (RFC 7617, UTF-8), scheme in any case. Neither the time this takes nor its result says how
 * much of a secret was right, which entry came near, or how long a secret is: digests of equal
 * length are compared, with every entry. Where two entries have the same credentials the first
 * counts. Digests are made once per `auth` array, so the array must not change.
 */
export function authenticate(
  authorization: string | null,
  auth: Config['auth'],
): Sender | undefined {
  if (auth === 'none') return ANYBODY
  const presented = digestOfHeader(authorization)
  if (presented === undefined) return undefined
  const known = compile(auth)
  let match = 0
  for (let i = known.length - 1; i >= 0; i--) {
    const equal = Number(timingSafeEqual(known[i]!.digest, presented))
    match = equal * (i + 1) + (1 - equal) * match
  }
  return match === 0 ? undefined : known[match - 1]!.sender
}

/**
 * The 401 for a request that `authenticate` did not know, with a challenge for each scheme that
 * `auth` accepts.
 */
export function unauthenticated(auth: Config['auth']): RequestError {
  const entries = auth === 'none' ? [] : auth
  // Basic first: browsers that read only the first challenge of a line can then ask for a password.
  const challenges = [
    entries.some((entry) => 'username' in entry) && 'Basic realm="sluice", charset="UTF-8"',
    entries.some((entry) => 'bearer' in entry) && 'Bearer realm="sluice"',
  ].filter((challenge) => challenge !== false)
  const schemes = challenges.map((challenge) => challenge.split(' ')[0]).join(' or ')
  return new RequestError(
    401,
    'unauthenticated',
    `the request needs an Authorization header with valid ${schemes} credentials`,
    { headers: { 'WWW-Authenticate': challenges.join(', ') } },
  )
}

function compile(auth: readonly AuthEntry[]): readonly Known[] {
  let known = knownOf.get(auth)
  if (known === undefined) {
    known = auth.map((entry) => ({
      digest: digestOfEntry(entry),
      sender: Object.freeze({ tenant: entry.tenant }),
    }))
    knownOf.set(auth, known)
  }
  return known
}

function digestOfEntry(entry: AuthEntry): Buffer {
  if ('bearer' in entry) return digest('bearer', Buffer.from(entry.bearer))
  return digest('basic', Buffer.from(`${entry.username}:${entry.password}`))
}

function digestOfHeader(authorization: string | null): Buffer | undefined {
  const parts = /^[ \t]*([A-Za-z]+) +([^ \t]+)[ \t]*$/.exec(authorization ?? '')
  if (parts === null) return undefined
  const scheme = parts[1]!.toLowerCase()
  const credentials = parts[2]!
  if (scheme === 'bearer') return digest(scheme, Buffer.from(credentials))
  // Buffer skips what is not base64, so two headers would mean the same: only real base64 passes.
  if (scheme !== 'basic' || !/^[A-Za-z0-9+/]+={0,2}$/.test(credentials)) return undefined
  return digest(scheme, Buffer.from(credentials, 'base64'))
}

/** The scheme is part of what is hashed: a token never passes as a password. */
function digest(scheme: 'bearer' | 'basic', secret: Uint8Array): Buffer {
  return createHash('sha256').update(scheme).update('\0').update(secret).digest()
}
