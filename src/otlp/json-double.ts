import { DOT, isExponentMark, type JsonCursor, MINUS, QUOTE, ZERO } from './json-cursor.ts'

/** The words that proto3 JSON has for what JSON has no numbers for. */
const WORDS: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
}
/** Powers of ten that are doubles. */
const POWERS = Float64Array.from({ length: 23 }, (_, power) => 10 ** power)
/** Ten times this and a digit are below 2^53. */
const MAX_MANTISSA = Math.floor(2 ** 53 / 10) - 1
const LETTER_I = 0x49
const LETTER_N = 0x4e

/**
 * Reads a double: a number, bare or quoted, or one of "NaN", "Infinity", "-Infinity". Throws a Wrong
 * where there is something else, or a number too large for a double.
 */
export function readDouble(cursor: JsonCursor): number {
  const { bytes } = cursor
  const quoted = cursor.peek() === QUOTE
  const from = cursor.at
  if (quoted) {
    const first = bytes[from + 1]
    if (first === LETTER_N || first === LETTER_I || bytes[from + 2] === LETTER_I) {
      return word(cursor)
    }
    cursor.at++
  }
  const value = number(cursor)
  if (value === undefined || (quoted && bytes[cursor.at++] !== QUOTE)) wrong(cursor, from)
  if (!Number.isFinite(value)) cursor.fail('a number that a double can hold', from)
  return value
}

function wrong(cursor: JsonCursor, at: number): never {
  return cursor.fail('a number, "NaN", "Infinity" or "-Infinity"', at)
}

function word(cursor: JsonCursor): number {
  const from = cursor.at
  cursor.string()
  const { start, stop } = cursor
  const text = stop - start > 9 ? '' : cursor.ascii(start, stop)
  return Object.hasOwn(WORDS, text) ? WORDS[text]! : wrong(cursor, from)
}

/**
 * The number at `at`; undefined where there is none. Up to 15 digits and small exponents, nearly all
 * that is sent, are computed: one operation on exact doubles rounds correctly. The platform does the
 * others.
 */
function number(cursor: JsonCursor): number | undefined {
  const { bytes } = cursor
  const end = bytes.length
  const start = cursor.at
  let at = start
  const negative = bytes[at] === MINUS
  if (negative) at++
  const first = at
  let mantissa = 0
  let exact = true
  let power = 0
  let dot = -1
  for (; at < end; at++) {
    const digit = bytes[at]! - ZERO
    if (digit >= 0 && digit <= 9) {
      if (mantissa <= MAX_MANTISSA) mantissa = mantissa * 10 + digit
      else exact = false
    } else if (bytes[at] === DOT && dot < 0) dot = at
    else break
  }
  const whole = (dot < 0 ? at : dot) - first
  if (whole === 0 || (whole > 1 && bytes[first] === ZERO) || dot === at - 1) return undefined
  if (dot >= 0) power = dot + 1 - at
  if (at < end && isExponentMark(bytes[at]!)) {
    at++
    const down = bytes[at] === MINUS
    if (down || bytes[at] === 0x2b) at++
    const digits = at
    let exponent = 0
    for (; at < end && bytes[at]! >= ZERO && bytes[at]! <= 0x39; at++) {
      exponent = Math.min(exponent * 10 + bytes[at]! - ZERO, 1e9)
    }
    if (at === digits) return undefined
    power += down ? -exponent : exponent
  }
  cursor.at = at
  if (!exact || power > 22 || power < -22) return Number(cursor.ascii(start, at))
  const size = power < 0 ? mantissa / POWERS[-power]! : mantissa * POWERS[power]!
  return negative ? -size : size
}
