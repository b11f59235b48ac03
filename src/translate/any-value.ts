import { compareBytes } from '../relabel/byte-order.ts'
import type { MessageReader } from '../wire/message-reader.ts'

// AnyValue   oneof: string_value=1  bool_value=2  int_value=3 int64  double_value=4  array_value=5 ArrayValue
//            kvlist_value=6 KeyValueList  bytes_value=7
// ArrayValue, KeyValueList   values=1 repeated AnyValue, KeyValue
// KeyValue   key=1 string  value=2 AnyValue
const STRING = 10
const BOOL = 16
const INT = 24
const DOUBLE = 33
const ARRAY = 42
const MAP = 50
const BYTES = 58
const VALUES = 10
const KEY = 10
const VALUE = 18

/** A KeyValue as text. */
export interface KeyText {
  readonly key: string
  /** As a label's value (spec 3.5); empty when there is none. */
  readonly value: string
}

/**
 * Reads a KeyValue message to its end, the last of what is repeated. Text that is no UTF-8 is counted by `invalidTexts`,
 * however deep it is. The kernel lets no value be nested deeper than 64 levels.
 */
export function readKeyValue(reader: MessageReader): KeyText {
  return keyValue(reader, '', plain)
}

type Read = (reader: MessageReader, before: string) => string

function keyValue(reader: MessageReader, absent: string, read: Read): KeyText {
  let key = ''
  let value = absent
  while (reader.more) {
    const tag = reader.tag()
    if (tag === KEY) key = reader.text()
    else if (tag === VALUE) value = read(reader.message(), value)
    else reader.skip(tag)
  }
  return { key, value }
}

/** The value as a label has it; `before` where the message has none. */
const plain: Read = (reader, before) => {
  let value = before
  while (reader.more) {
    const tag = reader.tag()
    if (tag === STRING) value = reader.text()
    else if (tag === BYTES) value = base64(reader.bytes())
    else if (tag === DOUBLE) value = doubleText(reader.double())
    else value = sameInJson(tag, reader, value)
  }
  return value
}

/** The value as JSON: what it is inside an array or a map. */
const json: Read = (reader, before) => {
  let value = before
  while (reader.more) {
    const tag = reader.tag()
    if (tag === STRING) value = jsonString(reader.text())
    else if (tag === BYTES) value = jsonBytes(reader.bytes())
    else if (tag === DOUBLE) value = jsonDouble(reader.double())
    else value = sameInJson(tag, reader, value)
  }
  return value
}

function sameInJson(tag: number, reader: MessageReader, before: string): string {
  if (tag === BOOL) return String(reader.bool())
  if (tag === INT) return String(reader.int64())
  if (tag === ARRAY) return jsonArray(reader.message())
  if (tag === MAP) return jsonMap(reader.message())
  reader.skip(tag)
  return before
}

function jsonArray(reader: MessageReader): string {
  const values: string[] = []
  while (reader.more) {
    const tag = reader.tag()
    if (tag === VALUES) values.push(json(reader.message(), 'null'))
    else reader.skip(tag)
  }
  return `[${values.join(',')}]`
}

/** As Go writes a map: each key once, the last of its values, sorted by the bytes of the keys. */
function jsonMap(reader: MessageReader): string {
  const values = new Map<string, string>()
  while (reader.more) {
    const tag = reader.tag()
    if (tag === VALUES) {
      const { key, value } = keyValue(reader.message(), 'null', json)
      values.set(key, value)
    } else reader.skip(tag)
  }
  const keys = [...values.keys()].sort(compareBytes)
  return `{${keys.map((key) => `${jsonString(key)}:${values.get(key)}`).join(',')}}`
}

/** JSON as Go writes it when it does not escape for HTML: these two separators still are. */
function jsonString(text: string): string {
  return JSON.stringify(text).replace(/[\u2028\u2029]/g, (c) =>
    c === '\u2028' ? '\\u2028' : '\\u2029',
  )
}

/** JSON has no numbers for these: as OTLP's own JSON they become strings, where Prometheus would lose the whole value. */
function jsonDouble(value: number): string {
  const text = doubleText(value)
  return Number.isFinite(value) ? text : `"${text}"`
}

/** No bytes are null there, as in Go. */
function jsonBytes(bytes: Uint8Array): string {
  return bytes.length === 0 ? 'null' : `"${base64(bytes)}"`
}

function doubleText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}

/** Bytes whose characters are made at once: as arguments of a call, so not too many; divisible by three. */
const PIECE = 6144

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)))
  }
  return text
}
