/**
 * Regexes that need no engine. A shape is what one alternative of a simple regex comes to: text, up to two gaps, text
 * between and after them. `prefix` alone when there is no gap.
 */
export interface Shape {
  readonly prefix: string
  readonly gaps: readonly Gap[]
  /** Between the two gaps; '' when there are fewer. */
  readonly middle: string
  /** After the last gap; '' when there is none. */
  readonly suffix: string
}

/** `.*`, `.+`, `.*?`, `[^:]+` and the like. */
export interface Gap {
  readonly least: 0 | 1
  readonly lazy: boolean
  /** The one character that it can't hold; '' for a dot. */
  readonly not: string
  /** Number of the capture group around it; 0 for none. */
  readonly group: number
}

/** The alternatives of a simple regex, how many groups it has, and whether group 1 is around them all. */
export interface Shapes {
  readonly alternatives: readonly Shape[]
  readonly groups: number
  readonly whole: boolean
}

/**
 * Reads a regex of RE2 syntax (as it stands between `^(?s:` and `)$`) as shapes. Null when it has anything in it that
 * is not plainly one of the forms above: then the engine must do it.
 */
export function parseShapes(regex: string): Shapes | null {
  const grouped = /^\((?<plain>\?:)?(?<inner>[^()]*)\)$/s.exec(regex)
  const text = grouped?.groups?.inner ?? regex
  const whole = grouped !== null && grouped.groups?.plain === undefined
  const alternatives: Shape[] = []
  let groups = whole ? 1 : 0
  for (let at = 0; ; at++) {
    const tokens: (string | Gap)[] = []
    // `^` first and `$` last in an alternative say what the anchors around it say anyway.
    if (text[at] === '^') at++
    for (; at < text.length && text[at] !== '|'; at = TOKEN.lastIndex) {
      TOKEN.lastIndex = at
      const token = TOKEN.exec(text)?.groups
      if (token === undefined) return null
      if (token.end !== undefined) continue
      if (token.times === undefined) {
        tokens.push(token.plain ?? token.escaped)
        continue
      }
      if ((token.open === undefined) !== (token.close === undefined)) return null
      tokens.push({
        least: token.times === '+' ? 1 : 0,
        lazy: token.lazy !== undefined,
        not: token.not ?? token.escapedNot ?? '',
        group: token.open === undefined ? 0 : ++groups,
      })
    }
    const shape = shapeOf(tokens)
    if (shape === null) return null
    alternatives.push(shape)
    if (at >= text.length) return { alternatives, groups, whole }
  }
}

// One plain character, an escaped one, a `$` at the end, or a gap. A repetition of any of them is no token.
const PUNCTUATION = '[!-\\/:-@\\[-`{-~]'
const TOKEN = new RegExp(
  `(?:(?<plain>[^\\\\.+*?()|[\\]{}^$\\ud800-\\udfff])|\\\\(?<escaped>${PUNCTUATION})|(?<end>\\$)(?=\\||$)` +
    `|(?<open>\\()?(?:\\.|\\[\\^(?:(?<not>[^\\\\\\][^\\ud800-\\udfff])|\\\\(?<escapedNot>${PUNCTUATION}))\\])` +
    `(?<times>[*+])(?<lazy>\\?)?(?<close>\\))?)`,
  'sy',
)

function shapeOf(tokens: readonly (string | Gap)[]): Shape | null {
  const texts = ['']
  const gaps: Gap[] = []
  for (const token of tokens) {
    if (typeof token === 'string') texts[texts.length - 1] += token
    else {
      gaps.push(token)
      texts.push('')
    }
  }
  const [first, second] = gaps
  if (gaps.length > 2) return null
  if (second === undefined) {
    return { prefix: texts[0], gaps, middle: '', suffix: texts[1] ?? '' }
  }
  const [prefix, middle, suffix] = texts
  // Where the middle lies must be plain: at the first place that the first gap can't cross, or, as greed or laziness
  // has it, at the last or first place. A lazy choice could be wrong for the second gap when that can't hold everything.
  if (first.not === '' ? middle === '' : !middle.startsWith(first.not)) return null
  if (first.not === '' && first.lazy && second.not !== '') return null
  return { prefix, gaps, middle, suffix }
}
