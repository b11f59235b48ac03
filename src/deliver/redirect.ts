/**
 * Where a 307 or 308 leads, or undefined when it is not to be followed. Only to the same scheme,
 * host and port, or from http to https at the same host name (its default port, or the port it
 * had): the request carries credentials and must not be led elsewhere. Absolute URL.
 */
export function redirectTarget(response: Response, from: string): string | undefined {
  if (response.status !== 307 && response.status !== 308) return undefined
  const location = response.headers.get('location')
  const to = location === null ? null : URL.parse(location, from)
  if (to === null || to.username !== '' || to.password !== '') return undefined
  return mayLead(new URL(from), to) ? to.href : undefined
}

function mayLead(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true
  const upgrade = from.protocol === 'http:' && to.protocol === 'https:'
  return upgrade && from.hostname === to.hostname && (to.port === '' || to.port === from.port)
}
