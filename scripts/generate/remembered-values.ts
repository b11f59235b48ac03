import type { TemplatePart } from './parse-template.ts'

/** Nothing is equal to it. */
const NEVER = Number.NaN

/**
 * Finds a slot for what a template's expressions make of a series: the same slot for the same values, and another series' values take a slot over. So as many
 * values are remembered as there are slots, whatever comes; what is remembered is the caller's, by slot. Allocates nothing after its making.
 */
export class RememberedValues {
  /** Whether the slot that was found last held these values before. */
  known = false
  /** All expressions' operations in a row: a divisor, or a modulus with a minus before it. */
  readonly #operations: Float64Array
  /** Where each expression's operations end in it. */
  readonly #ends: Int32Array
  /** Whether each begins with the generation. */
  readonly #ofGeneration: Uint8Array
  readonly #values: Float64Array
  readonly #held: Float64Array
  readonly #mask: number

  /** `slots` is a power of two. */
  constructor(parts: readonly TemplatePart[], slots: number) {
    const expressions = parts.filter((part) => typeof part !== 'string')
    const operations = expressions.map((one) =>
      one.operations.map(({ operator, operand }) => (operator === '/' ? operand : -operand)),
    )
    this.#operations = Float64Array.from(operations.flat())
    this.#ends = Int32Array.from(operations, (_, i) => operations.slice(0, i + 1).flat().length)
    this.#ofGeneration = Uint8Array.from(expressions, (one) =>
      one.variable === 'generation' ? 1 : 0,
    )
    this.#values = new Float64Array(expressions.length)
    this.#held = new Float64Array(expressions.length * slots).fill(NEVER)
    this.#mask = slots - 1
  }

  /** The slot of this series. `known` says whether the values are those that it held already. */
  find(seriesId: number, generation: number): number {
    const values = this.#values
    const operations = this.#operations
    let hash = 0
    let at = 0
    for (let i = 0; i < values.length; i++) {
      let value = this.#ofGeneration[i] === 0 ? seriesId : generation
      for (const end = this.#ends[i]!; at < end; at++) {
        const operand = operations[at]!
        value = operand > 0 ? Math.floor(value / operand) : value % -operand
      }
      values[i] = value
      hash = (Math.imul(hash, 31) + value) | 0
    }
    const slot = hash & this.#mask
    const held = this.#held
    const first = slot * values.length
    let known = true
    for (let i = 0; i < values.length; i++) {
      if (held[first + i] === values[i]) continue
      known = false
      held[first + i] = values[i]!
    }
    this.known = known
    return slot
  }

  /** What this expression, counted from 0, came to when a slot was found last. */
  value(expression: number): number {
    return this.#values[expression]!
  }
}
