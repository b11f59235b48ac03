import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import SnappyJS from 'snappyjs'
import { bitsText, type Point, type SeriesMap, seriesKey } from './series.ts'

/*
 * The query API prints floats, so it hides NaN payloads and stale markers. Remote read shows every stored bit.
 *
 *   ReadRequest   queries=1 { start_timestamp_ms=1 int64  end_timestamp_ms=2 int64  matchers=3 rep { type=1 name=2 value=3 } }
 *   ReadResponse  results=1 { timeseries=1 rep TimeSeries }
 *   TimeSeries    labels=1 rep { name=1 value=2 }  samples=2 rep { value=1 double timestamp=2 int64 }  histograms=4 rep
 */

/**
 * Every raw point of the metrics whose name matches `pattern` (RE2, anchored), stale markers too, from `start` to `end`
 * (milliseconds), as Prometheus' remote read at `url` gives it.
 */
export async function remoteRead(
  url: string,
  pattern: string,
  start: number,
  end: number,
): Promise<SeriesMap> {
  const response = await fetch(`${url}/api/v1/read`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-protobuf',
      'content-encoding': 'snappy',
      'x-prometheus-remote-read-version': '0.1.0',
    },
    body: SnappyJS.compress(readRequest(pattern, start, end)) as BodyInit,
  })
  const body = new Uint8Array(await response.arrayBuffer())
  if (!response.ok) throw new Error(`remote read: ${response.status} ${Buffer.from(body)}`)
  return readResponse(SnappyJS.uncompress(body))
}

function readRequest(pattern: string, start: number, end: number): Uint8Array {
  const matchRegex = 2
  return new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .fork()
    .tag(1, WireType.Varint)
    .int64(start)
    .tag(2, WireType.Varint)
    .int64(end)
    .tag(3, WireType.LengthDelimited)
    .fork()
    .tag(1, WireType.Varint)
    .int32(matchRegex)
    .tag(2, WireType.LengthDelimited)
    .string('__name__')
    .tag(3, WireType.LengthDelimited)
    .string(pattern)
    .join()
    .join()
    .finish()
}

/** Calls `field` with a reader that stands at the value of each field; it returns false to have it skipped. */
function walk(bytes: Uint8Array, field: (number: number, reader: BinaryReader) => unknown): void {
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    if (field(number, reader) === false) reader.skip(wireType, number)
  }
}

function readResponse(bytes: Uint8Array): SeriesMap {
  const result = new Map<string, readonly Point[]>()
  walk(bytes, (number, response) => {
    if (number !== 1) return false
    walk(response.bytes(), (number, queryResult) => {
      if (number !== 1) return false
      const [key, points] = readTimeSeries(queryResult.bytes())
      if (result.has(key)) throw new Error(`remote read gives ${key} twice`)
      result.set(key, points)
    })
  })
  return result
}

function readTimeSeries(bytes: Uint8Array): [key: string, points: Point[]] {
  const labels: [string, string][] = []
  const points: Point[] = []
  walk(bytes, (number, reader) => {
    if (number === 1) labels.push(readLabel(reader.bytes()))
    else if (number === 2) points.push(readSample(reader.bytes()))
    else if (number === 4) points.push(readHistogram(reader.bytes()))
    else return false
  })
  return [seriesKey(Object.fromEntries(labels)), points]
}

function readLabel(bytes: Uint8Array): [string, string] {
  const pair: [string, string] = ['', '']
  walk(bytes, (number, reader) => void (pair[number - 1] = reader.string()))
  return pair
}

function readSample(bytes: Uint8Array): Point {
  let value = 0n
  let time = 0
  walk(bytes, (number, reader) => {
    if (number === 1) value = BigInt(reader.fixed64())
    else if (number === 2) time = Number(reader.int64())
    else return false
  })
  return { time, value: bitsText(value) }
}

/** All fields but the time, and the reset hint unless it says gauge: what it says depends on where chunks begin. */
function readHistogram(bytes: Uint8Array): Point {
  const [resetHint, timestamp, gauge] = [14, 15, 3]
  const fields: string[] = []
  let time = 0
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    if (number === timestamp) time = Number(reader.int64())
    else if (number === resetHint) {
      if (reader.uint32() === gauge) fields.push('gauge')
    } else fields.push(`${number}:${Buffer.from(reader.skip(wireType, number)).toString('hex')}`)
  }
  return { time, value: fields.join(' ') }
}
