/**
 * Compares two well-formed strings by their UTF-8 bytes, which is the order of code points: not what `<` does, that
 * puts U+10000 before U+FF5E. Below, at or above 0, as a sort wants it.
 */
export function compareBytes(a: string, b: string): number {
  const common = Math.min(a.length, b.length)
  for (let i = 0; i < common; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

/** Code units in the order of the code points they stand for: surrogates come after the rest. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
