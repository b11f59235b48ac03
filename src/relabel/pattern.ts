import type { RE2JS } from 're2js'
import { compileRelabelRegex } from '../config/relabel-config.ts'
import { matchShapes } from './match-shape.ts'
import { parseShapes } from './shape.ts'

/** A compiled relabel regex. Its functions don't use `this`. */
export interface Pattern {
  /** Number of capture groups. */
  readonly groups: number
  /** Numbers of the named ones. */
  readonly names: Readonly<Record<string, number>>
  /** Matching costs less than remembering. */
  readonly cheap: boolean
  readonly test: (value: string) => boolean
  /**
   * Start and end of the first match at or after `from` and of each group in it, -1 for those that took no part; null
   * when there is no match. Lent until the next call.
   */
  readonly find: (value: string, from?: number) => ArrayLike<number> | null
}

/**
 * Compiles `^(?s:REGEX)$`: by hand where the regex is simple, else on RE2. `byHand: false` is for tests, which hold
 * that there is no difference. Throws RE2JSException when the regex is not RE2 syntax; a validated one is.
 */
export function compilePattern(regex: string, byHand = true): Pattern {
  const shapes = byHand ? parseShapes(regex) : null
  if (shapes === null) return enginePattern(compileRelabelRegex(regex))

  const match = matchShapes(shapes)
  const bounds = new Int32Array(2 + 2 * shapes.groups)
  return {
    groups: shapes.groups,
    names: {},
    cheap: true,
    test: (value) => match(value, null),
    find(value, from = 0) {
      if (from > 0) return null
      bounds.fill(-1)
      bounds[0] = 0
      bounds[1] = value.length
      return match(value, bounds) ? bounds : null
    },
  }
}

/** Searches, for a regex like `a)|(b` takes the anchors apart: Prometheus allows it. */
function enginePattern(regex: RE2JS): Pattern {
  const groups = regex.groupCount()
  const engine = regex.re2()
  return {
    groups,
    names: regex.namedGroups(),
    cheap: false,
    test: (value) => regex.test(value),
    // What RE2JS.exec does, but in one run, and without making strings of groups that nobody asks for.
    find: (value, from = 0) =>
      engine.matchWithGroup(value, from, value.length, UNANCHORED, groups + 1)[1],
  }
}

const UNANCHORED = 0
