import type { JsonCursor } from './json-cursor.ts'
import { type Integer, readInteger } from './json-integer.ts'

/** Reads a whole number of 64 bits without sign into `low` and `high`. Throws a Wrong. */
export function readUnsigned64(cursor: JsonCursor, into: Integer): void {
  cursor.peek()
  const { at } = cursor
  readInteger(cursor, into, 'a whole number')
  if (into.high > 0xffffffff || (into.negative && (into.low | into.high) !== 0)) {
    cursor.fail('a whole number of 64 bits without sign', at)
  }
}

/** Reads a whole number of 64 bits into `low` and `high`, as two's complement. Throws a Wrong. */
export function readSigned64(cursor: JsonCursor, into: Integer): void {
  cursor.peek()
  const { at } = cursor
  readInteger(cursor, into, 'a whole number')
  const { high, low } = into
  const least = into.negative && high === 0x80000000 && low === 0
  if (high > 0x7fffffff && !least) cursor.fail('a whole number of 64 bits with sign', at)
  if (!into.negative) return
  into.low = -low >>> 0
  into.high = (~high + (low === 0 ? 1 : 0)) >>> 0
}

/** A whole number of 32 bits without sign. Throws a Wrong. `scratch` is written. */
export function readUnsigned32(cursor: JsonCursor, scratch: Integer): number {
  cursor.peek()
  const { at } = cursor
  readUnsigned64(cursor, scratch)
  if (scratch.high !== 0) cursor.fail('a whole number of 32 bits without sign', at)
  return scratch.low
}

/** A whole number of 32 bits. Throws a Wrong. `scratch` is written. */
export function readSigned32(cursor: JsonCursor, scratch: Integer): number {
  cursor.peek()
  const { at } = cursor
  readSigned64(cursor, scratch)
  const value = scratch.low | 0
  if (scratch.high !== (value < 0 ? 0xffffffff : 0)) {
    cursor.fail('a whole number of 32 bits with sign', at)
  }
  return value
}
