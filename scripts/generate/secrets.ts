import { maskCredentials, printable } from '../../src/telemetry/printable.ts'

/** Makes text that others wrote fit to be shown: one line, shortened, without secrets. */
export type Shown = (text: string) => string

/** Shorter ones would be found everywhere. */
const SHORTEST = 6
const LONGEST_LINE = 300

/** Hides these texts and what looks like credentials. */
export function hidingSecrets(secrets: readonly string[]): Shown {
  const known = secrets
    .filter((secret) => secret.length >= SHORTEST)
    .sort((a, b) => b.length - a.length)
  return (text) => {
    let hidden = text.slice(0, 64 * 1024)
    for (const secret of known) hidden = hidden.replaceAll(secret, '***')
    return printable(maskCredentials(hidden), LONGEST_LINE)
  }
}
