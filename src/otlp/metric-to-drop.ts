import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  type JsonCursor,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from './json-cursor.ts'
import { METRIC } from './json-fields.ts'
import { readKey } from './json-key.ts'
import { type Field, type Message, POINTS } from './json-message.ts'

/** What is told of a metric that is left out. */
export interface MetricToDrop {
  /** Its data points. */
  points: number
  /** Its name as JSON wrote it, with its quotes: from `start` to before `stop`. Equal: it has none. */
  start: number
  stop: number
}

/**
 * Passes one metric, of which no more is expected than that it is JSON, and says what is lost with
 * it: the elements of all lists of data points that it has. Throws a Wrong where it is no JSON.
 */
export function passMetric(cursor: JsonCursor): MetricToDrop {
  const metric = { points: 0, start: 0, stop: 0 }
  eachField(cursor, METRIC, ({ name, of }) => {
    if (name === 'name' && cursor.peek() === QUOTE) {
      metric.start = cursor.at
      cursor.string()
      metric.stop = cursor.at
      return
    }
    eachField(cursor, of, ({ kind }) => {
      if (kind === POINTS && cursor.peek() === OPEN_LIST) metric.points += elements(cursor)
      else cursor.skip()
    })
  })
  return metric
}

/** Passes one value; of an object, `each` passes the values of the keys that `message` has. */
function eachField(cursor: JsonCursor, message: Message, each: (field: Field) => void): void {
  if (cursor.peek() !== OPEN_OBJECT) {
    cursor.skip()
    return
  }
  cursor.at++
  if (cursor.closes(CLOSE_OBJECT)) return
  do {
    const field = readKey(cursor, message)
    if (field === undefined) cursor.skip()
    else each(field)
  } while (cursor.more(CLOSE_OBJECT))
}

function elements(cursor: JsonCursor): number {
  let count = 0
  cursor.at++
  if (cursor.closes(CLOSE_LIST)) return count
  do {
    cursor.skip()
    count++
  } while (cursor.more(CLOSE_LIST))
  return count
}
