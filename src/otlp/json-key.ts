import { COLON, type JsonCursor, QUOTE } from './json-cursor.ts'
import type { Field, Message } from './json-message.ts'

/** Bytes past which an escaped key is none that is known: six times the longest. */
const MAX_ESCAPED = 256

/** Passes a key and its colon: the field of `message` that it names, if any. Throws a Wrong. */
export function readKey(cursor: JsonCursor, message: Message): Field | undefined {
  if (cursor.peek() !== QUOTE) cursor.fail('a key in quotes')
  cursor.string()
  const { bytes, start, stop } = cursor
  const field = cursor.escaped ? findEscaped(cursor, message) : message.find(bytes, start, stop)
  cursor.pass(COLON, 'a colon')
  return field
}

function findEscaped({ bytes, start, stop }: JsonCursor, message: Message): Field | undefined {
  if (stop - start > MAX_ESCAPED) return undefined
  const text = JSON.parse(new TextDecoder().decode(bytes.subarray(start - 1, stop + 1)))
  const key = new TextEncoder().encode(text)
  return message.find(key, 0, key.length)
}
