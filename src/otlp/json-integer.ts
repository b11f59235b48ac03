import { DOT, isExponentMark, type JsonCursor, MINUS, QUOTE, ZERO } from './json-cursor.ts'

/** A whole number below 10^20 in magnitude: its sign, and its magnitude in halves. */
export interface Integer {
  negative: boolean
  /** Bits 0 to 31. */
  low: number
  /** What is above them: up to 2^32 and more, so that the caller can tell what is out of range. */
  high: number
}

/** Digits that a double holds for sure. */
const EXACT_DIGITS = 15
/** Digits of 2^64 - 1. */
const MAX_DIGITS = 20

/**
 * Reads a whole number, quoted or bare, into `into`, without loss: `1544712660300000001` stays. As
 * proto3 JSON says, `1.5e9` and `10.0` are whole numbers too. Throws a Wrong, that expects `expected`,
 * where there is something else.
 */
export function readInteger(cursor: JsonCursor, into: Integer, expected: string): void {
  const { bytes } = cursor
  const quoted = cursor.peek() === QUOTE
  const from = cursor.at
  const start = quoted ? from + 1 : from
  let at = start
  into.negative = bytes[at] === MINUS
  if (into.negative) at++
  const first = at
  let head = 0
  let tail = 0
  for (; at < bytes.length; at++) {
    const digit = bytes[at]! - ZERO
    if (digit < 0 || digit > 9) break
    if (at - first < EXACT_DIGITS) head = head * 10 + digit
    else tail = tail * 10 + digit
  }
  const digits = at - first
  if (digits === 0 || (digits > 1 && bytes[first] === ZERO)) cursor.fail(expected, from)
  const next = at < bytes.length ? bytes[at]! : QUOTE
  if (digits > MAX_DIGITS || next === DOT || isExponentMark(next)) {
    cursor.at = start
    cursor.number()
    at = cursor.at
    if (!readLong(cursor.ascii(first, at), into)) cursor.fail(expected, from)
  } else if (digits <= EXACT_DIGITS) {
    into.low = head >>> 0
    into.high = Math.floor(head / 2 ** 32)
  } else {
    // head · 10^k + tail in two steps that are exact: k is 5 at the most.
    const scale = 10 ** (digits - EXACT_DIGITS)
    const lower = (head >>> 0) * scale + tail
    into.low = lower >>> 0
    into.high = Math.floor(head / 2 ** 32) * scale + Math.floor(lower / 2 ** 32)
  }
  if (quoted) {
    if (bytes[at] !== QUOTE) cursor.fail(expected, from)
    at++
  }
  cursor.at = at
}

/** The rare forms: `text` is a number of JSON's grammar, without a sign. Whether it is a whole one. */
function readLong(text: string, into: Integer): boolean {
  const digits = plainDigits(text)
  if (digits === undefined || digits.length > MAX_DIGITS) return false
  const value = BigInt(digits)
  into.low = Number(value & 0xffffffffn)
  into.high = Number(value >> 32n)
  return true
}

/** `text` without fraction and exponent; undefined where it is no whole number, or far too large. */
function plainDigits(text: string): string | undefined {
  const mark = text.search(/e/i)
  const mantissa = mark < 0 ? text : text.slice(0, mark)
  const dot = mantissa.indexOf('.')
  const written = dot < 0 ? mantissa : mantissa.slice(0, dot) + mantissa.slice(dot + 1)
  let start = 0
  while (written[start] === '0') start++
  let stop = written.length
  while (stop > start && written[stop - 1] === '0') stop--
  if (start === stop) return '0'
  const exponent = mark < 0 ? 0 : Number(text.slice(mark + 1))
  const zeros = exponent - (dot < 0 ? 0 : mantissa.length - dot - 1) + (written.length - stop)
  if (zeros < 0 || stop - start + zeros > MAX_DIGITS) return undefined
  return written.slice(start, stop) + '0'.repeat(zeros)
}
