// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
/** A place in a template that is filled in: the variable, then these operations from left to right. */
export interface TemplateExpression {
  readonly variable: 'series_id' | 'generation'
  readonly operations: readonly { readonly operator: '/' | '%'; readonly operand: number }[]
}

/** Literal text, or what is filled in. */
export type TemplatePart = string | TemplateExpression

/** What a template's value depends on. */
export interface TemplateVariables {
  readonly seriesId: boolean
  readonly generation: boolean
}

/** A text is no template. The message has the text and a caret under the character that is wrong. */
export class TemplateProblem extends Error {
  override readonly name = 'TemplateProblem'
  /** The character's place in the text, from 0 and in UTF-16 units. */
  readonly at: number

  constructor(reason: string, text: string, at: number) {
    super(`${reason}\n  ${excerpt(text, at)}`)
    this.at = at
  }
}

/** Reads a template. Throws TemplateProblem. `$` without `{` is literal. */
export function parseTemplate(text: string): {
  readonly parts: readonly TemplatePart[]
  readonly uses: TemplateVariables
} {
  const broken = text.search(/\p{Surrogate}/u)
  if (broken >= 0) throw new TemplateProblem('this is half a character', text, broken)
  const parts: TemplatePart[] = []
  let at = 0
  while (at < text.length) {
    const opening = text.indexOf('${', at)
    const literal = text.slice(at, opening < 0 ? text.length : opening)
    if (literal !== '') parts.push(literal)
    if (opening < 0) break
    const { expression, end } = parseExpression(text, opening)
    parts.push(expression)
    at = end
  }
  const uses = (variable: string) =>
    parts.some((part) => typeof part !== 'string' && part.variable === variable)
  return { parts, uses: { seriesId: uses('series_id'), generation: uses('generation') } }
}

const VARIABLE = /[A-Za-z0-9_]*/y
const NUMBER = /[0-9]*/y
/** Beyond it nothing would be left of any series id. */
const LARGEST = 1_000_000_000

function parseExpression(text: string, opening: number) {
  let at = opening + 2
  const variable = matchAt(VARIABLE, text, at)
  if (variable !== 'series_id' && variable !== 'generation') {
    const found = variable === '' ? 'nothing of the kind' : `"${variable.slice(0, 40)}"`
    throw new TemplateProblem(`expected series_id or generation here, not ${found}`, text, at)
  }
  at += variable.length
  const operations: { operator: '/' | '%'; operand: number }[] = []
  while (text[at] !== '}') {
    const operator = text[at]
    if (operator === undefined) {
      throw new TemplateProblem('this ${ has no } that closes it', text, opening)
    }
    if (operator !== '/' && operator !== '%') {
      throw new TemplateProblem('expected /, % or } here', text, at)
    }
    at++
    const digits = matchAt(NUMBER, text, at)
    const operand = Number(digits)
    if (digits === '') throw new TemplateProblem('expected a whole number here', text, at)
    if (operand === 0) throw new TemplateProblem('nothing can be divided by 0', text, at)
    if (operand > LARGEST) throw new TemplateProblem('this number is over 1,000,000,000', text, at)
    operations.push({ operator, operand })
    at += digits.length
  }
  return { expression: { variable, operations } as TemplateExpression, end: at + 1 }
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

/** So much of a long text is shown around the character. */
const AROUND = 60

function excerpt(text: string, at: number): string {
  const start = Math.max(0, at - AROUND)
  const before = (start > 0 ? '…' : '') + oneLine(text.slice(start, at))
  const after = oneLine(text.slice(at, at + AROUND)) + (at + AROUND < text.length ? '…' : '')
  return `${before}${after}\n  ${' '.repeat(before.length)}^`
}

/** The caret stands under its character only where there are no line breaks or tabs. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ')
}
