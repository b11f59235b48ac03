const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/**
 * `text` as one printable line of at most `max` UTF-16 units: runs of line breaks and tabs become a
 * space, every other control, format or unassigned character U+FFFD; what is cut ends in `…`, never
 * in half a character.
 */
export function oneLine(text: string, max: number): string {
  const clean = text
    .replace(/[\t\r\n]+/g, ' ')
    .replace(UNPRINTABLE, '\ufffd')
    .trim()
  if (clean.length <= max) return clean
  return `${clean.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
