/**
 * A number as Prometheus writes it into `le` when it makes classic series of a histogram with custom buckets: Go's shortest `%g`, and always recognisable as a
 * floating-point number: `1.0`, `0.25`, `1e+06`, `+Inf`.
 */
export function openMetricsFloat(value: number): string {
  if (value === Infinity) return '+Inf'
  if (value === -Infinity) return '-Inf'
  if (Number.isNaN(value)) return 'NaN'
  if (Object.is(value, -0)) return '-0.0'
  const [digits, power] = value.toExponential().split('e') as [string, string]
  const exponent = Number(power)
  if (exponent < -4 || exponent >= 6) {
    const size = String(Math.abs(exponent)).padStart(2, '0')
    return `${digits}e${exponent < 0 ? '-' : '+'}${size}`
  }
  const plain = String(value) // between 1e-4 and 1e6 never with an exponent
  return plain.includes('.') ? plain : `${plain}.0`
}
