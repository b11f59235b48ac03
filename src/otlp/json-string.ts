import { BACKSLASH, hexDigit, type JsonCursor } from './json-cursor.ts'
import type { ProtobufWriter } from './protobuf-writer.ts'

const LETTER_U = 0x75
/** What the escapes of one letter stand for, by that letter. */
const ESCAPED = new Map([
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
])
/** By byte: the value of a digit of base64, of both alphabets; 64 for anything else. */
const BASE64 = new Uint8Array(256).fill(64)
for (const alphabet of ['+/', '-_']) {
  const digits = `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789${alphabet}`
  for (let i = 0; i < 64; i++) BASE64[digits.charCodeAt(i)] = i
}
const EQUALS = 0x3d

/**
 * Writes the string that the cursor has just passed, without its escapes and without a length.
 * Throws a Wrong at half a surrogate pair: no UTF-8 has it, and U+FFFD instead would make one label
 * of two.
 */
export function writeString(cursor: JsonCursor, out: ProtobufWriter): void {
  const { bytes, start, stop } = cursor
  if (!cursor.escaped) {
    out.copy(bytes, start, stop)
    return
  }
  out.reserve(stop - start)
  const to = out.bytes
  let length = out.length
  for (let at = start; at < stop; ) {
    const byte = bytes[at]!
    if (byte !== BACKSLASH) {
      to[length++] = byte
      at++
      continue
    }
    const kind = bytes[at + 1]!
    if (kind !== LETTER_U) {
      to[length++] = ESCAPED.get(kind) ?? kind
      at += 2
      continue
    }
    const unit = codeUnit(bytes, at + 2)
    let point = unit
    if (unit >= 0xd800 && unit <= 0xdfff) {
      const paired = bytes[at + 6] === BACKSLASH && bytes[at + 7] === LETTER_U && at + 12 <= stop
      const low = paired ? codeUnit(bytes, at + 8) : 0
      if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff)
        cursor.fail('both surrogates of a pair', at)
      point = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)
      at += 6
    }
    at += 6
    length = writeCodePoint(to, length, point)
  }
  out.length = length
}

/**
 * Writes the bytes that the string the cursor has just passed says in base64, without a length:
 * either alphabet, padded or not. Throws a Wrong where it is none.
 */
export function writeBase64(cursor: JsonCursor, out: ProtobufWriter): void {
  const from = out.length
  // With its escapes resolved: some encoders write \/ for every slash.
  writeString(cursor, out)
  const { bytes } = out
  let stop = out.length
  for (let padding = 0; padding < 2 && stop > from && bytes[stop - 1] === EQUALS; padding++) stop--
  const padded = stop < out.length
  if (padded && (out.length - from) % 4 !== 0) cursor.fail('base64', cursor.start)
  let length = from
  let bits = 0
  let held = 0
  for (let at = from; at < stop; at++) {
    const digit = BASE64[bytes[at]!]!
    if (digit === 64) cursor.fail('base64', cursor.start)
    held = ((held << 6) | digit) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes[length++] = held >>> bits
  }
  if (bits === 6) cursor.fail('base64', cursor.start)
  out.length = length
}

/**
 * Writes the bytes that the string the cursor has just passed says in hex digits of either case,
 * without a length. False, and nothing is written, where it is anything else than `size` bytes.
 */
export function writeHex(cursor: JsonCursor, size: number, out: ProtobufWriter): boolean {
  const { bytes, start, stop } = cursor
  if (stop - start !== size * 2) return false
  out.reserve(size)
  const before = out.length
  for (let at = start; at < stop; at += 2) {
    const high = hexDigit(bytes[at]!)
    const low = hexDigit(bytes[at + 1]!)
    if (high < 0 || low < 0) {
      out.length = before
      return false
    }
    out.bytes[out.length++] = (high << 4) | low
  }
  return true
}

function codeUnit(bytes: Uint8Array, at: number): number {
  let unit = 0
  for (let i = at; i < at + 4; i++) unit = (unit << 4) | hexDigit(bytes[i]!)
  return unit
}

/** Where the next one goes. */
function writeCodePoint(to: Uint8Array, at: number, point: number): number {
  if (point < 0x80) {
    to[at] = point
    return at + 1
  }
  const more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3
  to[at] = (0xf00 >>> (more + 1)) | (point >>> (6 * more))
  for (let i = 1; i <= more; i++) to[at + i] = 0x80 | ((point >>> (6 * (more - i))) & 0x3f)
  return at + 1 + more
}
