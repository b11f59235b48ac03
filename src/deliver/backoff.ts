/** The bounds of every wait. Milliseconds, `min` at most `max`. */
export interface BackoffRange {
  readonly min: number
  readonly max: number
}

/**
 * How long to wait before retry number `attempt`, counted from 1: between `min` and twice that
 * before the first, doubling each time up to `max`, anywhere in the upper half by `random` (0 to
 * 1). Milliseconds, never outside the range.
 */
export function backoff(attempt: number, { min, max }: BackoffRange, random: () => number): number {
  const upper = Math.min(max, min * 2 ** attempt)
  const lower = Math.max(min, upper / 2)
  return lower + random() * (upper - lower)
}
