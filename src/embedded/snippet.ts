import type { AuthEntry } from '../config/types.ts'

/**
 * What to put into prometheus.yml so that it sends here. `origin` is the page's own, as `https://host`; the shape of the
 * credentials is that of the first entry of `auth`, their values never are.
 */
export function prometheusSnippet(origin: string, auth: 'none' | readonly AuthEntry[]): string {
  const lines = ['remote_write:', `  - url: ${origin}/api/v1/write`]
  const first = auth === 'none' ? undefined : auth[0]
  if (first && 'bearer' in first) {
    lines.push('    authorization:', '      credentials: <a bearer token of sluice.auth>')
  } else if (first) {
    lines.push(
      '    basic_auth:',
      '      username: <a username of sluice.auth>',
      '      password: <its password>',
    )
  }
  return lines.join('\n')
}
