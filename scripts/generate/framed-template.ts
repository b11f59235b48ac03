import { MessageBuffer } from './message-buffer.ts'
import { RememberedValues } from './remembered-values.ts'
import type { Template } from './template.ts'

/** What a format puts around a value. */
export interface Frame {
  /** So many bytes are written besides the value, at the most. */
  readonly overhead: number
  /** Literal text as it stands in the value; by default as it is. */
  readonly literal?: (text: string) => string
  /** Writes the value with what is around it. `value` is lent for the call. */
  write(value: MessageBuffer, into: MessageBuffer): void
}

/** So many bytes of one template are remembered, unless one value is longer. */
const MEMORY = 16 * 1024
const MOST_SLOTS = 256
/** Of one expression: series ids are at most 2^53. */
const DIGITS = 16

/**
 * A template as bytes, with the frame of a format: after `find`, `bytes` from `start`, `length` of them, until it is called again. Repeated values are
 * remembered: a number of them that is bounded. Allocates nothing after its making.
 */
export class FramedTemplate {
  readonly bytes: Buffer
  /** Where they are kept, in [0, slots). */
  slot = 0
  start = 0
  length = 0
  readonly slots: number
  readonly #template: Template
  readonly #frame: Frame
  readonly #values: RememberedValues
  readonly #literals: readonly (Buffer | undefined)[]
  readonly #lengths: Int32Array
  readonly #stride: number
  readonly #value: MessageBuffer
  readonly #framed: MessageBuffer

  constructor(template: Template, frame: Frame) {
    const { parts, uses } = template
    const literal = frame.literal ?? String
    this.#literals = parts.map((part) =>
      typeof part === 'string' ? Buffer.from(literal(part)) : undefined,
    )
    const longest = this.#literals.reduce((sum, bytes) => sum + (bytes?.length ?? DIGITS), 0)
    this.#stride = longest + frame.overhead
    this.slots = uses.seriesId || uses.generation ? slotsOf(this.#stride) : 1
    this.#template = template
    this.#frame = frame
    this.#values = new RememberedValues(parts, this.slots)
    this.#lengths = new Int32Array(this.slots)
    this.#value = new MessageBuffer(longest)
    this.#framed = new MessageBuffer(this.#stride)
    this.bytes = Buffer.allocUnsafeSlow(this.#stride * this.slots)
    // What has no expressions is always known.
    if (!uses.seriesId && !uses.generation) this.#make(0)
  }

  /** Finds or makes the bytes of this series. Returns whether the slot held them before. */
  find(seriesId: number, generation: number): boolean {
    const slot = this.#values.find(seriesId, generation)
    const { known } = this.#values
    if (!known) this.#make(slot)
    this.slot = slot
    this.start = slot * this.#stride
    this.length = this.#lengths[slot]!
    return known
  }

  #make(slot: number): void {
    const { parts } = this.#template
    const value = this.#value
    value.clear()
    let expression = 0
    for (let i = 0; i < parts.length; i++) {
      const literal = this.#literals[i]
      if (literal === undefined) value.decimal(this.#values.value(expression++))
      else value.copy(literal, 0, literal.length)
    }
    const framed = this.#framed
    framed.clear()
    this.#frame.write(value, framed)
    if (framed.length > this.#stride) throw new Error('BUG: a frame is larger than it said')
    framed.bytes.copy(this.bytes, slot * this.#stride, 0, framed.length)
    this.#lengths[slot] = framed.length
  }
}

function slotsOf(stride: number): number {
  let slots = MOST_SLOTS
  while (slots > 1 && slots * stride > MEMORY) slots /= 2
  return slots
}
