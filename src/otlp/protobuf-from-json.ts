import { printable } from '../telemetry/printable.ts'
import { badRequest, type RequestError, tooLarge } from '../wire/request-error.ts'
import { JsonCursor, Wrong } from './json-cursor.ts'
import { passMetric } from './metric-to-drop.ts'
import { ProtobufWriter } from './protobuf-writer.ts'
import { Transcoder } from './transcoder.ts'

/** Data points that are lost since the JSON of their metric can't be understood. */
export interface RejectedPoints {
  readonly points: number
  /** Names the metric, the field, and what was found where. One printable line. */
  readonly reason: string
}

/** An ExportMetricsServiceRequest that came as JSON. */
export interface FromJson {
  /** Its binary form. The caller's. */
  readonly message: Uint8Array
  /** Data points in it. */
  readonly points: number
  /** One for each metric that was left out; past MAX_TOLD of them, one more for all others. */
  readonly rejected: readonly RejectedPoints[]
  /** Trace and span ids of exemplars that were left out, since they are not what OTLP/JSON calls an id: hex digits. */
  readonly idsDropped: number
}

/** Metrics left out whose names are told. */
export const MAX_TOLD = 100
/** Metrics left out of one request, past which it is refused as a whole: each costs time. */
export const MAX_DROPPED = 10_000

const MAX_NAME = 100
/** Bytes of a name as JSON writes it, past which it is not read. */
const MAX_QUOTED_NAME = 4096

/**
 * Turns the JSON of an ExportMetricsServiceRequest (spec 3.3) into its binary form, in one pass and
 * time linear in its length, without loss: 64-bit integers are exact, and doubles too.
 *
 * Taken: keys in lowerCamelCase and snake_case, in any order; 64-bit integers and all other numbers
 * as numbers or strings; the temporality as number or name; ids as hex of either case; bytes as
 * base64 of either alphabet; null as absent. Numbers, ids and temporalities in quotes are written without escapes. Keys that are not known are skipped. Of a scalar key
 * that comes twice the last one wins; a message, a list or the data of a metric twice is wrong.
 *
 * What is wrong inside a metric loses that metric: `rejected`. Everything else that is wrong, and
 * text that is no JSON, is a RequestError 400 `corrupt_json` that says where. More than `most` bytes
 * of result: 413 `body_too_large`. `body` is read only, and not kept.
 */
export function protobufFromJson(body: Uint8Array, most: number): FromJson {
  const cursor = new JsonCursor(body)
  // JSON is larger than what it says, lists of numbers apart.
  const first = Math.ceil(body.length / 2) + 256
  const out = new ProtobufWriter(first, most, () =>
    tooLarge('body_too_large', `the body is more than ${most} bytes when it is decoded`),
  )
  const dropped = new Dropped(cursor)
  const transcoder = new Transcoder(cursor, out, (key, wrong) => dropped.add(key, wrong))
  try {
    transcoder.request()
  } catch (error) {
    if (error instanceof Wrong) throw corrupt(error)
    throw error
  }
  const { points, idsDropped } = transcoder
  return { message: out.finish(), points, rejected: dropped.told(), idsDropped }
}

function corrupt(wrong: Wrong): RequestError {
  return badRequest('corrupt_json', `the body is no JSON of OTLP metrics: ${wrong.text}`)
}

/** Keeps what was left out. */
class Dropped {
  readonly #cursor: JsonCursor
  readonly #told: RejectedPoints[] = []
  #others = 0
  #pointsOfOthers = 0

  constructor(cursor: JsonCursor) {
    this.#cursor = cursor
  }

  /** Passes the metric at the cursor: the value of `key` in it is wrong. */
  add(key: string, wrong: Wrong): void {
    const { points, start, stop } = passMetric(this.#cursor)
    if (this.#told.length < MAX_TOLD) {
      const reason = `metric ${this.#name(start, stop)}: ${key}: ${wrong.text}`
      this.#told.push({ points, reason })
      return
    }
    this.#pointsOfOthers += points
    this.#others++
    if (MAX_TOLD + this.#others <= MAX_DROPPED) return
    const { reason } = this.#told[0]!
    throw badRequest('corrupt_json', `more than ${MAX_DROPPED} metrics are wrong; ${reason}`)
  }

  told(): readonly RejectedPoints[] {
    if (this.#others === 0) return this.#told
    const reason = `${this.#others} more metrics with something wrong`
    return [...this.#told, { points: this.#pointsOfOthers, reason }]
  }

  #name(start: number, stop: number): string {
    if (start === stop) return 'without a name'
    if (stop - start > MAX_QUOTED_NAME) return `with a name of ${stop - start - 2} bytes`
    const name = JSON.parse(new TextDecoder().decode(this.#cursor.bytes.subarray(start, stop)))
    return `"${printable(name, MAX_NAME)}"`
  }
}
