import { type JsonCursor, QUOTE } from './json-cursor.ts'
import type { Integer } from './json-integer.ts'
import { readSigned32 } from './json-sized-integer.ts'

const NAMES = [
  'AGGREGATION_TEMPORALITY_UNSPECIFIED',
  'AGGREGATION_TEMPORALITY_DELTA',
  'AGGREGATION_TEMPORALITY_CUMULATIVE',
]
const LONGEST = 35

/**
 * An AggregationTemporality: its number, or its name, which senders must not use and some do. Numbers
 * that have no name are the caller's to refuse. Throws a Wrong. `scratch` is written.
 */
export function readTemporality(cursor: JsonCursor, scratch: Integer): number {
  if (cursor.peek() !== QUOTE) return readSigned32(cursor, scratch)
  const from = cursor.at
  cursor.string()
  const { start, stop } = cursor
  const value = stop - start > LONGEST ? -1 : NAMES.indexOf(cursor.ascii(start, stop))
  if (value >= 0) return value
  cursor.at = from
  return readSigned32(cursor, scratch)
}
