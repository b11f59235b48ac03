import { labelName } from './label-name.ts'

// Label of remote write 1.0 (spec 1.1), as one field of a TimeSeries:
//
//   0a LENGTH { name=1 string   value=2 string }
//
// For the miss path only: hits never decode a label.

/** A decoded label field. */
export interface Label {
  readonly name: string
  readonly value: string
  /** Both strings are valid UTF-8; where not, the bad bytes read as U+FFFD and the label must not be used. */
  readonly valid: boolean
  /** The field is, byte for byte, how this project writes the label: the pair can be part of an output. */
  readonly canonical: boolean
}

const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
const encoder = new TextEncoder()

let next = 0
/** Texts read so far that were no UTF-8. */
let invalid = 0

function varint(bytes: Uint8Array, at: number): number {
  let v = 0
  for (let scale = 1; ; scale *= 128) {
    const b = bytes[at++]!
    v += (b & 127) * scale
    if (b < 128) {
      next = at
      return v
    }
  }
}

/**
 * Reads the label field at [start, end) of bytes. The field must be well-formed, as the kernel found it: unknown fields
 * are skipped, of repeated ones the last counts, absent ones are empty.
 */
export function readLabel(bytes: Uint8Array, start: number, end: number): Label {
  varint(bytes, start)
  varint(bytes, next)
  let at = next
  const head = at - start
  let nameAt = 0
  let nameLength = 0
  let valueAt = 0
  let valueLength = 0
  let canonical = true
  let fields = 0
  while (at < end) {
    const tag = varint(bytes, at)
    const from = next
    fields++
    if (tag === 10 || tag === 18) {
      const length = varint(bytes, from)
      if (tag === 10) {
        nameAt = next
        nameLength = length
        canonical = canonical && fields === 1
      } else {
        valueAt = next
        valueLength = length
        canonical = canonical && fields === 2
      }
      at = next + length
    } else {
      canonical = false
      at = skip(bytes, from, tag & 7)
    }
  }
  const size = end - start
  canonical =
    canonical &&
    nameLength > 0 &&
    valueLength > 0 &&
    size === head + stringSize(nameLength) + stringSize(valueLength) &&
    head === 1 + varintSize(size - head)
  const before = invalid
  const name = labelName(readText(bytes, nameAt, nameLength))
  const value = readText(bytes, valueAt, valueLength)
  return { name, value, valid: invalid === before, canonical }
}

/** How many texts `readText` has met that were no UTF-8: the same number before and after means that all between were. */
export function invalidTexts(): number {
  return invalid
}

/**
 * The string of n bytes of UTF-8 at `from`, which are all there. Where they are none, the bad ones read as U+FFFD and
 * `invalidTexts` counts it: a decoder that throws would cost 10 µs a time.
 */
export function readText(bytes: Uint8Array, from: number, n: number): string {
  const end = from + n
  let all = 0
  for (let i = from; i < end; i++) all |= bytes[i]!
  if (all < 128 && n <= 256) return readAscii(bytes, from, n)
  const text = decoder.decode(bytes.subarray(from, end))
  // Each U+FFFD must have been sent as one: ef bf bd.
  let extra = 0
  for (let i = text.indexOf('\ufffd'); i >= 0; i = text.indexOf('\ufffd', i + 1)) extra++
  if (extra > 0) {
    for (let i = from; i + 2 < end; i++) {
      if (bytes[i] === 0xef && bytes[i + 1] === 0xbf && bytes[i + 2] === 0xbd) extra--
    }
    if (extra > 0) invalid++
  }
  return text
}

/** Arguments for String.fromCharCode, an array for each length that was met: it is used again. */
const codes: number[][] = []

/** One call makes a flat string at once: a loop makes a rope, a decoder's call costs twice as much. At most 256 bytes. */
function readAscii(bytes: Uint8Array, from: number, n: number): string {
  const units = (codes[n] ??= new Array<number>(n).fill(0))
  for (let i = 0; i < n; i++) units[i] = bytes[from + i]!
  return String.fromCharCode.apply(null, units)
}

/** The first `most` of the label fields at [start, end) of bytes, all well-formed. */
export function readLabels(bytes: Uint8Array, start: number, end: number, most: number): Label[] {
  const labels: Label[] = []
  for (let at = start; at < end && labels.length < most; ) {
    varint(bytes, at)
    const length = varint(bytes, next)
    const e = next + length
    labels.push(readLabel(bytes, at, e))
    at = e
  }
  return labels
}

/** Writes the label field at `at`, canonically; returns where it ends. Needs room for the strings' UTF-8 and 32 bytes. */
export function writeLabel(bytes: Uint8Array, at: number, name: string, value: string): number {
  const nameSize = utf8Length(name)
  const valueSize = utf8Length(value)
  bytes[at++] = 10
  at = putVarint(bytes, at, stringSize(nameSize) + (valueSize ? stringSize(valueSize) : 0))
  at = putString(bytes, at, 10, name, nameSize)
  return valueSize ? putString(bytes, at, 18, value, valueSize) : at
}

/** Writes the string's UTF-8, which is `size` bytes, at `at`. */
export function writeText(bytes: Uint8Array, at: number, s: string, size: number): void {
  if (size === s.length && size <= 256) {
    for (let i = 0; i < size; i++) bytes[at + i] = s.charCodeAt(i)
  } else encoder.encodeInto(s, bytes.subarray(at, at + size))
}

/** Bytes of the string in UTF-8. Lone surrogates count as U+FFFD, as they are written. */
export function utf8Length(s: string): number {
  let n = s.length
  for (let i = 0; i < s.length; i++) {
    const c = s.charCodeAt(i)
    if (c < 0x80) continue
    if (c < 0x800) n++
    else if (c >= 0xd800 && c < 0xdc00 && (s.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      n += 2
      i++
    } else n += 2
  }
  return n
}

function putString(bytes: Uint8Array, at: number, tag: number, s: string, size: number): number {
  bytes[at++] = tag
  at = putVarint(bytes, at, size)
  writeText(bytes, at, s, size)
  return at + size
}

function putVarint(bytes: Uint8Array, at: number, v: number): number {
  for (; v > 127; v >>>= 7) bytes[at++] = (v & 127) | 128
  bytes[at++] = v
  return at
}

function varintSize(v: number): number {
  return v < 128 ? 1 : v < 16384 ? 2 : v < 2097152 ? 3 : v < 268435456 ? 4 : 5
}

function stringSize(length: number): number {
  return 1 + varintSize(length) + length
}

function skip(bytes: Uint8Array, at: number, wire: number): number {
  if (wire === 0) {
    varint(bytes, at)
    return next
  }
  if (wire === 1) return at + 8
  if (wire === 5) return at + 4
  if (wire === 2) {
    const length = varint(bytes, at)
    return next + length
  }
  for (let depth = 1; depth > 0; ) {
    const inner = varint(bytes, at) & 7
    if (inner === 3) depth++
    else if (inner === 4) depth--
    at = inner === 3 || inner === 4 ? next : skip(bytes, next, inner)
  }
  return at
}
