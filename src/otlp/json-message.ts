// How the value of a field is written in JSON and in protobuf.
export const STRING = 0
export const BOOL = 1
export const DOUBLE = 2
export const FIXED64 = 3
export const SFIXED64 = 4
export const INT64 = 5
export const UINT64 = 6
export const UINT32 = 7
export const SINT32 = 8
/** AggregationTemporality: a number or a name. */
export const TEMPORALITY = 9
/** base64. */
export const BYTES = 10
/** Hex digits; `size` bytes. What is no such id is left out. */
export const ID = 11
export const MESSAGE = 12
/** A message that may hold itself. */
export const NESTED = 13
export const MESSAGES = 14
/** Messages that are data points. */
export const POINTS = 15
/** Messages that are metrics: one that is wrong is left out. */
export const METRICS = 16
// Packed lists.
export const DOUBLES = 17
export const FIXED64S = 18
export const UINT64S = 19

/** One field of a message. */
export interface Field {
  /** The key in JSON, lowerCamelCase. */
  readonly name: string
  readonly kind: number
  /** Number and wire type, as protobuf writes them. */
  readonly tag: number
  /** Of messages, what they are; of the others a message without fields. */
  readonly of: Message
  /** A bit that no other field of the message has, but those of the same oneof, where only one may be; 0: last one wins. */
  readonly once: number
  /** ID: bytes. */
  readonly size: number
  /** How many bytes the length before the value most probably takes. */
  readonly room: number
}

/** A message: its fields by key. */
export class Message {
  #byHash: (Spelling | undefined)[] = []

  /** The fields are added once, behind the constructor, since some messages hold themselves. */
  define(...fields: readonly Omit<Field, 'once'>[]): void {
    this.#byHash = new Array(64).fill(undefined)
    fields.forEach((field, index) => {
      const once = field.kind < MESSAGE || field.kind === NESTED ? 0 : 1 << index
      this.#add({ ...field, once })
    })
  }

  /** As `define`, but of these messages there may be only one. */
  defineOneof(...fields: readonly Omit<Field, 'once'>[]): void {
    for (const field of fields) this.#add({ ...field, once: ONEOF })
  }

  /** The field whose key is the bytes from `start` to before `stop`: lowerCamelCase or snake_case. */
  find(bytes: Uint8Array, start: number, stop: number): Field | undefined {
    const length = stop - start
    if (length === 0) return undefined
    let spelling = this.#byHash[hash(length, bytes[start]!, bytes[stop - 1]!)]
    for (; spelling !== undefined; spelling = spelling.next) {
      const { key } = spelling
      if (key.length !== length) continue
      let i = 0
      while (i < length && key[i] === bytes[start + i]) i++
      if (i === length) return spelling.field
    }
    return undefined
  }

  #add(field: Field): void {
    const snake = field.name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    for (const name of new Set([field.name, snake])) {
      const key = new TextEncoder().encode(name)
      const at = hash(key.length, key[0]!, key.at(-1)!)
      this.#byHash[at] = { key, field, next: this.#byHash[at] }
    }
  }
}

/** One spelling of a field's key, and others of the same hash. */
interface Spelling {
  readonly key: Uint8Array
  readonly field: Field
  readonly next: Spelling | undefined
}

const ONEOF = 1 << 30

function hash(length: number, first: number, last: number): number {
  return (length * 5 + first * 3 + last) & 63
}

const NONE = new Message()
/** Wire types, by kind. */
const WIRE = [2, 0, 1, 1, 1, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]

/** A field for `Message.define`: `of` and `size` where its kind has them, `room` where it is not 1. */
export function field(
  number: number,
  name: string,
  kind: number,
  { of = NONE, size = 0, room = 1 }: Partial<Field> = {},
): Omit<Field, 'once'> {
  return { name, kind, tag: (number << 3) | WIRE[kind]!, of, size, room }
}
