import { RE2JS } from 're2js'
import { parseDuration } from '../../src/config/duration.ts'

/** One condition on a label. A label that is not there is empty. */
export interface Matcher {
  readonly label: string
  readonly op: Operator
  readonly value: string
  readonly matches: (value: string) => boolean
}

export type Operator = '=' | '!=' | '=~' | '!~'

/** A selector of PromQL, such as `up{job="a",instance!~"b.*"}[5m]`. */
export interface Selector {
  readonly matchers: readonly Matcher[]
  /** Milliseconds; undefined for an instant. */
  readonly range: number | undefined
}

/** A selector that can't be read; the message says at which character. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
}

const MAX_LENGTH = 10_000
const SPACE = /\s*/y
const NAME = /[a-zA-Z_:][\w:]*/y
const LABEL = /[a-zA-Z_]\w*/y
const OPERATOR = /=~|!~|!=|=/y
const RANGE = /[^\]]*/y
const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`/y

/**
 * Reads a selector. Names may be quoted (`{"http.requests"}`), regexes are RE2's and match the whole value. Functions,
 * `offset` and `@` are not known. Throws a SelectorError.
 */
export function parseSelector(text: string): Selector {
  let at = 0
  const fail = (what: string): never => {
    throw new SelectorError(`at character ${at + 1}: ${what}`)
  }
  if (text.length > MAX_LENGTH) fail(`a query has at most ${MAX_LENGTH} characters`)
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    at += found?.length ?? 0
    return found
  }
  const space = () => take(SPACE)
  const next = (character: string): boolean => {
    space()
    if (text[at] !== character) return false
    at += 1
    space()
    return true
  }
  const string = (): string | undefined => {
    const start = at
    const found = take(STRING)
    if (found === undefined) return undefined
    const plain = unquote(found)
    if (plain !== undefined) return plain
    at = start
    return fail('an escape sequence that nobody knows')
  }
  const matchers: Matcher[] = []
  const add = (label: string, op: Operator, value: string) => {
    try {
      matchers.push(createMatcher(label, op, value))
    } catch (error) {
      fail(`${JSON.stringify(value)} is not RE2 syntax: ${(error as Error).message}`)
    }
  }

  space()
  const name = take(NAME)
  if (name !== undefined) add('__name__', '=', name)
  const braces = next('{')
  if (braces) {
    while (!next('}')) {
      const quoted = string()
      const label = quoted ?? take(LABEL) ?? fail('wanted a label, or }')
      space()
      const op = take(OPERATOR) as Operator | undefined
      space()
      // A quoted text alone is the name of the metric.
      if (op === undefined && quoted !== undefined) add('__name__', '=', quoted)
      else if (op === undefined) fail('wanted =, !=, =~ or !~')
      else add(label, op, string() ?? fail('wanted a value in quotes'))
      if (!next(',') && text[at] !== '}') fail('wanted , or }')
    }
  }
  if (name === undefined && !braces) fail('wanted a selector such as up{job="a"}[5m]')
  space()
  const range = next('[') ? readRange() : undefined
  space()
  if (at < text.length) fail('wanted the end; only selectors are known')
  return { matchers, range }

  function readRange(): number {
    const milliseconds = parseDuration((take(RANGE) ?? '').trim())
    if (milliseconds === undefined || milliseconds === 0) fail('wanted a duration such as 5m')
    if (!next(']')) fail('wanted ]')
    return milliseconds!
  }
}

function createMatcher(label: string, op: Operator, value: string): Matcher {
  if (op === '=') return { label, op, value, matches: (other) => other === value }
  if (op === '!=') return { label, op, value, matches: (other) => other !== value }
  const regex = RE2JS.compile(value, RE2JS.DOTALL)
  const wanted = op === '=~'
  return { label, op, value, matches: (other) => regex.matches(other) === wanted }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
}

/** What a string literal stands for; undefined where an escape is unknown. */
function unquote(literal: string): string | undefined {
  const inside = literal.slice(1, -1)
  if (literal.startsWith('`')) return inside
  let known = true
  const plain = inside.replace(
    /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))/gsu,
    (_, unit?: string, byte?: string, one = '') => {
      const code = unit ?? byte
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
      if (/[\\"'`]/.test(one)) return one
      known &&= one in ESCAPES
      return ESCAPES[one] ?? ''
    },
  )
  return known ? plain : undefined
}
