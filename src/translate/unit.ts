// Units of OTLP are UCUM's: `By/s`. Prometheus wants words: `bytes_per_second` (spec 4.2).

const MAIN = new Map([
  ['d', 'days'],
  ['h', 'hours'],
  ['min', 'minutes'],
  ['s', 'seconds'],
  ['ms', 'milliseconds'],
  ['us', 'microseconds'],
  ['ns', 'nanoseconds'],
  ['By', 'bytes'],
  ['KiBy', 'kibibytes'],
  ['MiBy', 'mebibytes'],
  ['GiBy', 'gibibytes'],
  ['TiBy', 'tibibytes'],
  ['KBy', 'kilobytes'],
  ['MBy', 'megabytes'],
  ['GBy', 'gigabytes'],
  ['TBy', 'terabytes'],
  ['m', 'meters'],
  ['V', 'volts'],
  ['A', 'amperes'],
  ['J', 'joules'],
  ['W', 'watts'],
  ['g', 'grams'],
  ['Cel', 'celsius'],
  ['Hz', 'hertz'],
  ['1', ''],
  ['%', 'percent'],
])

const PER = new Map([
  ['s', 'second'],
  ['m', 'minute'],
  ['h', 'hour'],
  ['d', 'day'],
  ['w', 'week'],
  ['mo', 'month'],
  ['y', 'year'],
])

/** The two parts of a unit in words, either may be empty; `per` begins with `per_`. Nothing is cleaned. */
export interface UnitWords {
  readonly main: string
  readonly per: string
}

/** Splits a unit at its first `/` and looks its parts up; unknown ones stay, annotations in braces vanish. */
export function unitWords(unit: string): UnitWords {
  const slash = unit.indexOf('/')
  const main = part(slash < 0 ? unit : unit.slice(0, slash), MAIN)
  const per = slash < 0 ? '' : part(unit.slice(slash + 1), PER)
  return { main, per: per === '' ? '' : `per_${per}` }
}

function part(text: string, words: ReadonlyMap<string, string>): string {
  const trimmed = trimSpace(text)
  if (trimmed.includes('{') || trimmed.includes('}')) return ''
  return words.get(trimmed) ?? trimmed
}

/** What Go's strings.TrimSpace trims: with U+0085 and without U+FEFF, other than trim() of JavaScript. */
const SPACE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/

function trimSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && SPACE.test(text[start]!)) start++
  while (start < end && SPACE.test(text[end - 1]!)) end--
  return text.slice(start, end)
}

/** Makes the words of a unit fit for an escaped name: runs of other characters become one `_`, a leading one vanishes. */
export function cleanUnit(words: string): string {
  return words.replace(/[^A-Za-z0-9:]+/g, '_').replace(/^_/, '')
}

/** The unit as metadata has it (spec 4.8): `bytes_per_second`. Prometheus always escapes it there, whatever the strategy. */
export function unitName(unit: string, escaped = true): string {
  const words = unitWords(unit)
  const main = escaped ? cleanUnit(words.main) : words.main
  const per = escaped ? cleanUnit(words.per) : words.per
  const both = main !== '' && per !== '' ? `${main}_${per}` : main + per
  return cutUnderscore(both.startsWith('_') ? both.slice(1) : both)
}

/** Without one `_` at its end. */
export function cutUnderscore(text: string): string {
  return text.endsWith('_') ? text.slice(0, -1) : text
}
