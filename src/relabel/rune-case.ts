/**
 * Go's strings.ToLower and ToUpper: one code point to one code point (Unicode's simple mapping), without a look at the
 * neighbours. JavaScript's own mapping is the full one: 'straße' becomes STRASSE, a last Σ becomes ς, İ two code points.
 */
export function lowerRunes(text: string): string {
  return isAscii(text) ? text.toLowerCase() : mapRunes(text, lowerRune)
}

/** See `lowerRunes`. */
export function upperRunes(text: string): string {
  return isAscii(text) ? text.toUpperCase() : mapRunes(text, upperRune)
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false
  return true
}

function mapRunes(text: string, map: (rune: string) => string): string {
  let mapped = ''
  for (const rune of text) mapped += map(rune)
  return mapped
}

function lowerRune(rune: string): string {
  // The only code point whose full lower case is longer than one.
  return rune === '\u0130' ? 'i' : rune.toLowerCase()
}

function upperRune(rune: string): string {
  const full = rune.toUpperCase()
  const point = full.codePointAt(0)!
  if (full.length === (point > 0xffff ? 2 : 1)) return full
  // More than one code point: Greek letters with iota subscript have a simple upper case too, others have none.
  const small = rune.codePointAt(0)!
  if (/^[\u1f80-\u1f87\u1f90-\u1f97\u1fa0-\u1fa7]$/.test(rune)) {
    return String.fromCodePoint(small + 8)
  }
  return /^[\u1fb3\u1fc3\u1ff3]$/.test(rune) ? String.fromCodePoint(small + 9) : rune
}
