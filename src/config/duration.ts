const UNITS = [
  ['y', 365 * 86_400_000],
  ['w', 7 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const

const PATTERN = new RegExp(`^${UNITS.map(([unit]) => `(?:(\\d+)${unit})?`).join('')}$`)

/**
 * Milliseconds of a duration in Prometheus' notation (`1h30m`, `30ms`, `0`; units from large to small, each
 * once), or undefined when it is none, or is longer than Prometheus can hold (292 years).
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  const counts = PATTERN.exec(text)
  if (text === '' || counts === null) return undefined
  let sum = 0
  for (const [i, [, unit]] of UNITS.entries()) sum += Number(counts[i + 1] ?? 0) * unit
  return sum < 2 ** 63 / 1e6 ? sum : undefined
}

/** A duration as Prometheus writes it. Years and weeks only when nothing would be left over. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0s'
  let text = ''
  let rest = milliseconds
  for (const [unit, size] of UNITS) {
    const whole = unit === 'y' || unit === 'w'
    if (rest < size || (whole && rest % size !== 0)) continue
    text += `${Math.floor(rest / size)}${unit}`
    rest %= size
  }
  return text
}
