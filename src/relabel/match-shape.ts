import type { Shape, Shapes } from './shape.ts'

/** Tells whether a value matches. Where `bounds` is given, writes start and end of the groups that took part. */
export type Match = (value: string, bounds: Int32Array | null) => boolean

/**
 * Matches by hand what `^(?s:REGEX)$` matches, with the same groups, for well-formed strings. Alternatives are tried in
 * order, as leftmost-first semantics wants it: each must cover the whole value, so the first that fits is the one.
 */
export function matchShapes({ alternatives, whole }: Shapes): Match {
  const match = anyOf(alternatives)
  if (!whole) return match
  return (value, bounds) => {
    if (!match(value, bounds)) return false
    if (bounds !== null) {
      bounds[2] = 0
      bounds[3] = value.length
    }
    return true
  }
}

function anyOf(alternatives: readonly Shape[]): Match {
  if (alternatives.every((shape) => shape.gaps.length === 0)) {
    const texts = alternatives.map((shape) => shape.prefix)
    if (texts.length === 1) return (value) => value === texts[0]
    const known = new Set(texts)
    return (value) => known.has(value)
  }
  const matches = alternatives.map(one)
  if (matches.length === 1) return matches[0]
  return (value, bounds) => {
    for (const match of matches) if (match(value, bounds)) return true
    return false
  }
}

function one({ prefix, gaps, middle, suffix }: Shape): Match {
  const [first, second] = gaps
  if (first === undefined) return (value) => value === prefix

  const shortest = prefix.length + first.least + suffix.length
  if (second === undefined) {
    return (value, bounds) => {
      const end = value.length - suffix.length
      if (value.length < shortest || !value.startsWith(prefix) || !value.endsWith(suffix))
        return false
      if (first.not !== '' && holds(value, first.not, prefix.length, end)) return false
      if (bounds !== null && first.group > 0) {
        bounds[2 * first.group] = prefix.length
        bounds[2 * first.group + 1] = end
      }
      return true
    }
  }

  const earliest = prefix.length + first.least
  return (value, bounds) => {
    const end = value.length - suffix.length
    const latest = end - second.least - middle.length
    if (!value.startsWith(prefix) || !value.endsWith(suffix)) return false
    const at =
      first.not !== ''
        ? value.indexOf(first.not, prefix.length)
        : first.lazy
          ? value.indexOf(middle, earliest)
          : value.lastIndexOf(middle, latest)
    if (at < earliest || at > latest || !value.startsWith(middle, at)) return false
    const rest = at + middle.length
    // With greed, an earlier place would leave the second gap more to hold, so it is no way out.
    if (second.not !== '' && holds(value, second.not, rest, end)) return false
    if (bounds === null) return true
    if (first.group > 0) {
      bounds[2 * first.group] = prefix.length
      bounds[2 * first.group + 1] = at
    }
    if (second.group > 0) {
      bounds[2 * second.group] = rest
      bounds[2 * second.group + 1] = end
    }
    return true
  }
}

function holds(value: string, character: string, from: number, to: number): boolean {
  const at = value.indexOf(character, from)
  return at >= 0 && at < to
}
