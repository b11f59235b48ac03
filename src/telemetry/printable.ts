// Controls, line and paragraph separators, marks that reorder or hide text, lone surrogates, and
// runs of blanks.
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cf}\p{Cs}\s]+/gu
const USER_INFO = /(:\/\/)[^/\s@]*@/g
const CREDENTIALS = /\b(Bearer|Basic)\s+[A-Za-z0-9+/._~-]{16,}=*/gi

/**
 * `text` as one line of at most `limit` UTF-16 units that is safe to print: whatever can't be seen
 * becomes one space. A line that was cut ends in `…`, and never in half a character.
 */
export function printable(text: string, limit: number): string {
  const line = text
    .slice(0, limit * 4)
    .replace(UNPRINTABLE, ' ')
    .trim()
  if (line.length <= limit) return line
  return `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/**
 * `text` with what looks like a credential masked: the user info of a URL, the token after `Bearer`
 * or `Basic`. A second line of defence for text that others wrote, as of an unexpected error; the
 * first is not to put secrets there.
 */
export function maskCredentials(text: string): string {
  return text.replace(USER_INFO, '$1***@').replace(CREDENTIALS, '$1 ***')
}
