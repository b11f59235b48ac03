import type { OriginConfig } from '../config/types.ts'
import { type Protocol, protocolHeaders } from './protocol.ts'

/** What makes the headers of one request besides its origin. */
export interface HeaderFacts {
  readonly tenant: string
  /** Of the payload. */
  readonly protocol: Protocol
  /** Of Sluice, for the User-Agent. */
  readonly version: string
  /** Value of the Authorization header. A secret. */
  readonly authorization: string | undefined
}

/** The headers, or why there can be none: one line without a value in it. */
export type RequestHeaders =
  | { readonly headers: Headers; readonly problem?: undefined }
  | { readonly headers?: undefined; readonly problem: string }

/** No line break, no NUL, nothing that is not a byte. */
const LEGAL = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * A tenant is an identity: what HTTP would trim or two ends would decode differently could become
 * another's.
 */
const SAFE_TENANT = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/

/**
 * The headers of a remote write request (spec 1.2, 2.3): the origin's own with `{tenant}` replaced,
 * and the required ones, which win. A value that may not stand in a header is a problem, never
 * altered.
 */
export function requestHeaders(origin: OriginConfig, facts: HeaderFacts): RequestHeaders {
  const headers = new Headers()
  for (const [name, value] of origin.headers) {
    if (value.includes('{tenant}') && !SAFE_TENANT.test(facts.tenant)) {
      return { problem: `the tenant has characters that header ${name} can't hold` }
    }
    const filled = value.replaceAll('{tenant}', () => facts.tenant)
    if (!LEGAL.test(filled)) return { problem: `the value of header ${name} is not legal` }
    headers.append(name, filled)
  }
  for (const [name, value] of protocolHeaders(facts.protocol)) headers.set(name, value)
  headers.set('User-Agent', `Sluice/${facts.version}`)
  if (facts.authorization === undefined) return { headers }
  if (!LEGAL.test(facts.authorization)) {
    return { problem: 'the value of header Authorization is not legal' }
  }
  headers.set('Authorization', facts.authorization)
  return { headers }
}
