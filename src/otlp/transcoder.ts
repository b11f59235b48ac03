import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  type JsonCursor,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  Wrong,
} from './json-cursor.ts'
import { readDouble } from './json-double.ts'
import { REQUEST } from './json-fields.ts'
import type { Integer } from './json-integer.ts'
import { readKey } from './json-key.ts'
import {
  BYTES,
  DOUBLE,
  DOUBLES,
  FIXED64,
  FIXED64S,
  type Field,
  ID,
  INT64,
  MESSAGE,
  MESSAGES,
  METRICS,
  type Message,
  NESTED,
  POINTS,
  SFIXED64,
  SINT32,
  STRING,
  TEMPORALITY,
  UINT32,
  UINT64,
} from './json-message.ts'
import { readSigned32, readSigned64, readUnsigned32, readUnsigned64 } from './json-sized-integer.ts'
import { writeBase64, writeHex, writeString } from './json-string.ts'
import { readTemporality } from './json-temporality.ts'
import type { ProtobufWriter } from './protobuf-writer.ts'

/** Lists and key-value lists inside one another, of an attribute's value. */
export const MAX_NESTING = 64

const LETTER_N = 0x6e

/** Reads messages as JSON writes them and writes them as protobuf does, led by the table of fields. */
export class Transcoder {
  /** Data points written. */
  points = 0
  /** Ids of exemplars left out. */
  idsDropped = 0
  readonly #cursor: JsonCursor
  readonly #out: ProtobufWriter
  readonly #drop: (key: string, wrong: Wrong) => void
  readonly #integer: Integer = { negative: false, low: 0, high: 0 }
  /** The key whose value is being read, for what is told of wrong ones. */
  #key = ''
  #nesting = 0

  /**
   * `drop` has to pass the metric at the cursor, which is not written: the value of `key` in it is
   * wrong.
   */
  constructor(cursor: JsonCursor, out: ProtobufWriter, drop: (key: string, wrong: Wrong) => void) {
    this.#cursor = cursor
    this.#out = out
    this.#drop = drop
  }

  /** The whole text. Throws a Wrong where something outside of metrics is wrong. */
  request(): void {
    this.#message(REQUEST)
    if (this.#cursor.peek() !== -1) this.#cursor.fail('the end')
  }

  #message(message: Message): void {
    const cursor = this.#cursor
    cursor.pass(OPEN_OBJECT, 'an object')
    if (cursor.closes(CLOSE_OBJECT)) return
    let seen = 0
    do {
      cursor.peek()
      const { at } = cursor
      const field = readKey(cursor, message)
      if (field === undefined) {
        cursor.skip()
        continue
      }
      if (cursor.peek() === LETTER_N) {
        if (!cursor.word('null')) cursor.fail('a value')
        continue
      }
      this.#key = field.name
      if ((seen & field.once) !== 0) cursor.fail('a key that fits those before it', at)
      seen |= field.once
      this.#value(field)
    } while (cursor.more(CLOSE_OBJECT))
  }

  #value(field: Field): void {
    const out = this.#out
    const { kind } = field
    if (kind === STRING) {
      this.#string('a string')
      out.varint(field.tag)
      this.#bytes(writeString)
    } else if (kind === MESSAGE) {
      this.#element(field)
    } else if (kind < BYTES) {
      out.varint(field.tag)
      this.#scalar(kind)
    } else if (kind === MESSAGES || kind === POINTS || kind === METRICS) {
      this.#list(field)
    } else if (kind === NESTED) {
      if (this.#nesting === MAX_NESTING) this.#cursor.fail(`at most ${MAX_NESTING} nested lists`)
      this.#nesting++
      this.#element(field)
      this.#nesting--
    } else if (kind === ID) {
      this.#id(field)
    } else if (kind === BYTES) {
      this.#string('base64 in quotes')
      out.varint(field.tag)
      this.#bytes(writeBase64)
    } else {
      this.#packed(field, kind === DOUBLES ? DOUBLE : kind === FIXED64S ? FIXED64 : UINT64)
    }
  }

  /** A value of the kinds before BYTES, without its tag. */
  #scalar(kind: number): void {
    const out = this.#out
    const integer = this.#integer
    if (kind === DOUBLE) {
      const value = readDouble(this.#cursor)
      // The NaN of Go, as Prometheus stores it for the same text.
      if (Number.isNaN(value)) out.fixed64(1, 0x7ff80000)
      else out.double(value)
    } else if (kind === FIXED64) {
      readUnsigned64(this.#cursor, integer)
      out.fixed64(integer.low, integer.high)
    } else if (kind === SFIXED64) {
      readSigned64(this.#cursor, integer)
      out.fixed64(integer.low, integer.high)
    } else if (kind === UINT64) {
      readUnsigned64(this.#cursor, integer)
      out.varint64(integer.low, integer.high)
    } else if (kind === INT64) {
      readSigned64(this.#cursor, integer)
      out.varint64(integer.low, integer.high)
    } else if (kind === UINT32) {
      out.varint(readUnsigned32(this.#cursor, integer))
    } else if (kind === SINT32) {
      const value = readSigned32(this.#cursor, integer)
      out.varint((value << 1) ^ (value >> 31))
    } else if (kind === TEMPORALITY) {
      const value = readTemporality(this.#cursor, integer)
      out.varint64(value, value < 0 ? -1 : 0)
    } else if (this.#cursor.word('true')) {
      out.varint(1)
    } else if (this.#cursor.word('false')) {
      out.varint(0)
    } else {
      this.#fail('true or false')
    }
  }

  /** A message with its tag and its length. */
  #element(field: Field): void {
    const out = this.#out
    if (this.#cursor.peek() !== OPEN_OBJECT) this.#fail('an object')
    out.varint(field.tag)
    const from = out.begin(field.room)
    this.#message(field.of)
    out.end(from, field.room)
  }

  #list(field: Field): void {
    const cursor = this.#cursor
    if (cursor.peek() !== OPEN_LIST) this.#fail('a list')
    cursor.at++
    if (cursor.closes(CLOSE_LIST)) return
    do {
      this.#key = field.name
      if (field.kind === METRICS) this.#metric(field)
      else this.#element(field)
      if (field.kind === POINTS) this.points++
    } while (cursor.more(CLOSE_LIST))
  }

  /** One metric; one that is wrong leaves nothing behind. */
  #metric(field: Field): void {
    const { points, idsDropped } = this
    const { length } = this.#out
    this.#cursor.peek()
    const { at } = this.#cursor
    try {
      this.#element(field)
    } catch (error) {
      if (!(error instanceof Wrong)) throw error
      this.points = points
      this.idsDropped = idsDropped
      this.#nesting = 0
      this.#out.length = length
      this.#cursor.at = at
      this.#drop(this.#key, error)
    }
  }

  #packed(field: Field, kind: number): void {
    const cursor = this.#cursor
    const out = this.#out
    if (cursor.peek() !== OPEN_LIST) this.#fail('a list')
    cursor.at++
    if (cursor.closes(CLOSE_LIST)) return
    out.varint(field.tag)
    const from = out.begin(field.room)
    do {
      this.#scalar(kind)
    } while (cursor.more(CLOSE_LIST))
    out.end(from, field.room)
  }

  /** Passes a string. */
  #string(expected: string): void {
    if (this.#cursor.peek() !== QUOTE) this.#fail(expected)
    this.#cursor.string()
  }

  /** What `write` makes of the string just passed, with its length. */
  #bytes(write: (cursor: JsonCursor, out: ProtobufWriter) => void): void {
    const cursor = this.#cursor
    const out = this.#out
    if (!cursor.escaped && write === writeString) {
      out.varint(cursor.stop - cursor.start)
      out.copy(cursor.bytes, cursor.start, cursor.stop)
      return
    }
    const from = out.begin(1)
    write(cursor, out)
    out.end(from, 1)
  }

  /** An id, if it is one: a point never suffers from its exemplar. */
  #id(field: Field): void {
    const cursor = this.#cursor
    const out = this.#out
    if (cursor.peek() !== QUOTE) {
      cursor.skip()
      this.idsDropped++
      return
    }
    cursor.string()
    if (cursor.start === cursor.stop) return
    const before = out.length
    out.varint(field.tag)
    out.varint(field.size)
    if (writeHex(cursor, field.size, out)) return
    out.length = before
    this.idsDropped++
  }

  #fail(expected: string): never {
    return this.#cursor.fail(expected)
  }
}
