/** A replacement or target label, compiled: text and references to groups, in order. */
export interface Template {
  /** What it expands to whatever was matched; null when it refers to a group. */
  readonly constant: string | null
  /** Texts, and numbers of groups, in order. */
  readonly parts: readonly (string | number)[]
  /** Expands it for one match: `bounds` holds start and end of each group in `value`, -1 where it took no part. */
  expand(value: string, bounds: ArrayLike<number>): string
}

/**
 * Compiles a template by the rules of Go's Regexp.Expand: `$1`, `${1}`, `$name`, `${name}`, `$$`. A name is as long as
 * possible (`$1x` is the group called 1x); a group that does not exist or took no part is empty; a `$` that begins none
 * of these is a `$`. `groups` is the number of capture groups, `names` their numbers by name.
 */
export function compileTemplate(
  text: string,
  groups: number,
  names: Readonly<Record<string, number>>,
): Template {
  const parts: (string | number)[] = []
  let from = 0
  for (const { 0: all, index, groups: found } of text.matchAll(REFERENCE)) {
    parts.push(text.slice(from, index))
    from = index + all.length
    if (all === '$$') parts.push('$')
    else parts.push(groupOf(found!.name ?? found!.braced, groups, names) ?? '')
  }
  parts.push(text.slice(from))

  if (!parts.some((part) => typeof part === 'number')) {
    const constant = parts.join('')
    return { constant, parts, expand: () => constant }
  }
  const kept = parts.filter((part) => part !== '')
  if (kept.length === 1) {
    const group = kept[0] as number
    return { constant: null, parts: kept, expand: (value, bounds) => slice(value, bounds, group) }
  }
  return {
    constant: null,
    parts: kept,
    expand(value, bounds) {
      let expanded = ''
      for (const part of kept) {
        expanded += typeof part === 'string' ? part : slice(value, bounds, part)
      }
      return expanded
    },
  }
}

const REFERENCE = /\$(?:\$|(?<name>[\p{L}\p{Nd}_]+)|\{(?<braced>[\p{L}\p{Nd}_]+)\})/gu

function groupOf(name: string, groups: number, names: Readonly<Record<string, number>>) {
  // Not a number, and so a name: leading zeros, and what Go's parser gives up on.
  if (/^(?:0|[1-9][0-9]{0,8})$/.test(name)) return Number(name) <= groups ? Number(name) : null
  return Object.hasOwn(names, name) ? names[name] : null
}

function slice(value: string, bounds: ArrayLike<number>, group: number): string {
  const start = bounds[2 * group]
  return start < 0 ? '' : value.slice(start, bounds[2 * group + 1])
}
