import { Buffer } from 'node:buffer'
import { error, type Value } from './config-file.ts'
import { readExpanded } from './expand.ts'
import { headerValueProblem, trailing } from './header.ts'
import { type Fields, isSet, readFields, readText } from './read.ts'
import { refuse } from './unsupported.ts'

/** The value of the Authorization header for a user and a password (RFC 7617, UTF-8). */
export function basicAuthorization(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** The user and password in the value of an Authorization header, or undefined when it is not Basic. */
export function basicCredentials(
  authorization: string,
): { username: string; password: string } | undefined {
  const encoded = /^Basic (.*)$/.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  return { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** The keys of an origin that say how Sluice authenticates itself, at most one of them may be there. */
export const AUTHORIZATION_KEYS = ['basic_auth', 'authorization', 'bearer_token'] as const

/**
 * The value of the Authorization header for an origin, or undefined when it has none (or a wrong one, and then an
 * error was noted). `fromUrl` is the header that the user in its url stands for.
 */
export function readAuthorization(
  origin: Value,
  fields: Fields,
  fromUrl: string | undefined,
): string | undefined {
  const found: string[] = AUTHORIZATION_KEYS.filter((key) => fields.has(key))
  if (fromUrl !== undefined) found.unshift('the user in url')
  if (found.length > 1) {
    const last = fields.get(found.at(-1)!) ?? origin
    error(last, `an origin can have one way to authenticate, this has ${found.join(' and ')}`)
  }
  const [basic, authorization, bearer] = AUTHORIZATION_KEYS.map((key) => fields.get(key))
  // All are read, so that what is wrong in any of them is told at once.
  return [
    fromUrl,
    basic && readBasic(basic),
    authorization && readTyped(authorization),
    bearer && readToken(bearer, 'Bearer'),
  ].find((header) => header !== undefined)
}

function readBasic(value: Value): string | undefined {
  const fields = readFields(value, ['username', 'password', ...Object.keys(BASIC_FILES)], true)
  if (fields === undefined) return undefined
  refuse(fields, BASIC_FILES)
  if (!fields.has('username') && !isSet(fields.get('username_file'))) {
    error(value, 'username is missing')
  }
  const username = readUserPart(fields.get('username'))
  const password = readUserPart(fields.get('password'))
  if (username === undefined || password === undefined) return undefined
  if (username.includes(':')) return error(fields.get('username')!, USER_COLON)
  return basicAuthorization(username, password)
}

/** A user or password; '' when it is missing, undefined when it is wrong. */
function readUserPart(value: Value | undefined): string | undefined {
  if (value === undefined) return ''
  const text = readExpanded(value)
  if (text === undefined) return undefined
  const problem = userPartProblem(text)
  return problem === undefined ? text : error(value, problem)
}

/** Why this can't be a user or password of HTTP, or undefined when it can. Does not repeat it. */
export function userPartProblem(text: string): string | undefined {
  if (!/[\x00-\x1f\x7f]/.test(text)) return undefined
  return `this must not hold line breaks or other control characters${trailing(text)}`
}

/** RFC 7617: the first colon ends the user. */
export const USER_COLON = 'a user name must not hold a colon'

function readTyped(value: Value): string | undefined {
  const fields = readFields(value, ['type', 'credentials', ...Object.keys(TYPED_FILES)], true)
  if (fields === undefined) return undefined
  refuse(fields, TYPED_FILES)
  const typeField = fields.get('type')
  const type = (typeField && readText(typeField)?.trim()) || 'Bearer'
  if (typeField && !/^[!#$%&'*+.^_`|~\w-]+$/.test(type)) return error(typeField, 'wanted one word')
  if (typeField && type.toLowerCase() === 'basic') {
    return error(typeField, 'for basic authentication use basic_auth')
  }
  const credentials = fields.get('credentials')
  if (credentials !== undefined) return readToken(credentials, type)
  if (isSet(fields.get('credentials_file'))) return undefined
  return error(value, 'credentials is missing')
}

function readToken(value: Value, type: string): string | undefined {
  const token = readExpanded(value)
  if (token === undefined) return undefined
  if (token === '') return error(value, 'this must not be empty')
  const problem = headerValueProblem(token)
  return problem === undefined ? `${type} ${token}` : error(value, problem)
}

const NO_FILES = `there are no files at the edge: put the secret into a binding and write \${NAME}`
const NO_MANAGER = `there is no secret manager here: put the secret into a binding and write \${NAME}`

const BASIC_FILES = {
  username_file: NO_FILES,
  password_file: NO_FILES,
  username_ref: NO_MANAGER,
  password_ref: NO_MANAGER,
}
const TYPED_FILES = { credentials_file: NO_FILES, credentials_ref: NO_MANAGER }
