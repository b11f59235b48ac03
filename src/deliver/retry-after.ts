/** The longest that a Retry-After is believed: Prometheus sleeps it whole. Milliseconds. */
export const MAX_RETRY_AFTER = 120_000

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const CLOCK = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)'
const MONTH = `(?<month>${MONTHS.join('|')})`

/** RFC 9110, 5.6.7: IMF-fixdate, and the two obsolete forms that a recipient must read too. */
const DATES = [
  new RegExp(`^[a-z]{3}, (?<day>\\d\\d?) ${MONTH} (?<year>\\d{4}) ${CLOCK} GMT$`, 'i'),
  new RegExp(`^[a-z]{6,9}, (?<day>\\d\\d?)-${MONTH}-(?<year>\\d\\d) ${CLOCK} GMT$`, 'i'),
  new RegExp(`^[a-z]{3} ${MONTH} (?<day>[ \\d]\\d) ${CLOCK} (?<year>\\d{4})$`, 'i'),
]

/**
 * How long a Retry-After header asks to wait, in milliseconds after `now` (epoch milliseconds), at
 * most `MAX_RETRY_AFTER`. Undefined where there is none, it is neither whole seconds nor an
 * HTTP-date, or it is zero or past.
 */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? ''
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : parseHttpDate(text, now) - now
  return wait > 0 ? Math.min(wait, MAX_RETRY_AFTER) : undefined
}

/** Epoch milliseconds, or NaN. */
function parseHttpDate(text: string, now: number): number {
  for (const form of DATES) {
    const groups = form.exec(text)?.groups
    if (groups !== undefined) return epoch(groups, now)
  }
  return Number.NaN
}

function epoch(groups: Record<string, string>, now: number): number {
  const month = MONTHS.indexOf(groups.month!.toLowerCase())
  const day = Number(groups.day)
  const hour = Number(groups.hour)
  const minute = Number(groups.minute)
  const second = Number(groups.second)
  if (hour > 23 || minute > 59 || second > 60) return Number.NaN
  const year = fullYear(groups.year!, now)
  const midnight = new Date(Date.UTC(year, month, day))
  // The 31st of a short month is no date; Date would make it the 1st of the next.
  if (midnight.getUTCDate() !== day) return Number.NaN
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000
}

/** Two digits that seem more than 50 years ahead mean the last such year that is past. */
function fullYear(digits: string, now: number): number {
  if (digits.length === 4) return Number(digits)
  const thisYear = new Date(now).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(digits)
  return year > thisYear + 50 ? year - 100 : year
}
