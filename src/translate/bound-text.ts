/**
 * A bucket's bound or a quantile as the value of `le` or `quantile`: the shortest decimal that means this number, without
 * an exponent; `+Inf`, `-Inf`, `NaN` and `-0` as Go's strconv.FormatFloat(value, 'f', -1, 64) writes them (spec 4.8).
 */
export function boundText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  if (value === Number.NEGATIVE_INFINITY) return '-Inf'
  if (Object.is(value, -0)) return '-0'
  const text = String(value)
  const e = text.indexOf('e')
  if (e < 0) return text
  const sign = value < 0 ? '-' : ''
  const [whole = '', fraction = ''] = text.slice(sign.length, e).split('.')
  const exponent = Number(text.slice(e + 1))
  const digits = whole + fraction
  // JavaScript turns to exponents below 1e-6 and from 1e21, which is more than the 17 digits that there are.
  if (exponent > 0) return sign + digits.padEnd(exponent + 1, '0')
  return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
}
