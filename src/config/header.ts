/** Set by Sluice, by the connection, or by Prometheus' own signing: spec chapter 1.2, and what is hop by hop. */
const RESERVED = new Set([
  'host',
  'content-encoding',
  'content-length',
  'content-type',
  'user-agent',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'www-authenticate',
  'accept-encoding',
  'x-prometheus-remote-write-version',
  'x-prometheus-remote-read-version',
  'x-amz-date',
  'x-amz-security-token',
  'x-amz-content-sha256',
  'sluice-hops',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Why a header of this name can't be configured, or undefined when it can. Does not repeat the name. */
export function headerNameProblem(name: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~\w-]{1,256}$/.test(name)) return 'this is no valid header name'
  const lower = name.toLowerCase()
  if (lower === 'authorization') {
    return 'the authorization header is set by basic_auth, authorization or bearer_token'
  }
  if (RESERVED.has(lower)) return 'this is a reserved header: it must not be changed'
  return undefined
}

/** Why this can't be the value of a header, or undefined when it can. Does not repeat the value. */
export function headerValueProblem(value: string): string | undefined {
  if (/[\r\n]/.test(value)) return `a header value must not hold a line break${trailing(value)}`
  if (!/^[\t\x20-\x7e]*$/.test(value)) return 'a header value may only hold printable ASCII'
  if (value.trim() !== value) return 'a header value must not begin or end with a space'
  return undefined
}

/** A hint for the usual way to get a secret wrong: `echo secret | wrangler secret put NAME`. */
export function trailing(value: string): string {
  return /[^\r\n][\r\n]+$/.test(value) ? ' (the binding was stored with one at its end)' : ''
}
