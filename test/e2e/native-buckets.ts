import { BinaryReader } from '@bufbuild/protobuf/wire'
import { bitsText, type Point, type SeriesMap } from './series.ts'

/*
 * A native histogram can be written in several ways that mean the same: with or without empty buckets, in more or fewer
 * spans; and storage writes those of one chunk alike. So they are compared by what they mean.
 */

/** `series` with native histograms as JSON of their populated buckets: `{"schema":3,…,"positive":{"7":"12"}}`. */
export function bucketsOf(series: SeriesMap): SeriesMap {
  const plain = ({ time, value }: Point) => ({ time, value: meaningOf(value) })
  return new Map([...series].map(([key, points]) => [key, points.map(plain)]))
}

/** `value`: as remoteRead gives a histogram, `NUMBER:HEX` of each field. A float's bits stay. */
function meaningOf(value: string): string {
  if (!value.includes(':')) return value
  const fields = new Map<number, BinaryReader[]>()
  const gauge = value.startsWith('gauge') || value.endsWith('gauge')
  for (const part of value.split(' ').filter((part) => part !== 'gauge')) {
    const [number, hex] = part.split(':')
    const readers = fields.get(Number(number)) ?? []
    readers.push(new BinaryReader(Buffer.from(hex, 'hex')))
    fields.set(Number(number), readers)
  }
  const one = <T>(number: number, read: (reader: BinaryReader) => T, absent: T): T => {
    const readers = fields.get(number)
    return readers === undefined ? absent : read(readers[0])
  }
  return JSON.stringify({
    gauge,
    schema: one(4, (r) => r.sint32(), 0),
    count: one(1, (r) => r.uint64().toString(), '0'),
    sum: one(3, (r) => bitsText(BigInt(r.fixed64())), '0'),
    zeroThreshold: one(5, (r) => r.double(), 0),
    zeroCount: one(6, (r) => r.uint64().toString(), '0'),
    negative: populated(fields.get(8), fields.get(9)),
    positive: populated(fields.get(11), fields.get(12)),
    customValues: (fields.get(16) ?? []).flatMap((r) => list(r, () => r.double())),
  })
}

/** Counts by index, but for empty buckets. */
function populated(
  spans: readonly BinaryReader[] = [],
  deltas: readonly BinaryReader[] = [],
): Readonly<Record<number, string>> {
  const counts = deltas.flatMap((reader) => list(reader, () => BigInt(reader.sint64())))
  const buckets: Record<number, string> = {}
  let index = 0
  let count = 0n
  for (const { offset, length } of spans.map(readSpan)) {
    index += offset
    for (let i = 0; i < length; i++, index++) {
      count += counts.shift() ?? 0n
      if (count !== 0n) buckets[index] = count.toString()
    }
  }
  return buckets
}

function readSpan(message: BinaryReader): { offset: number; length: number } {
  const span = { offset: 0, length: 0 }
  const end = message.uint32() + message.pos
  while (message.pos < end) {
    const [number] = message.tag()
    if (number === 1) span.offset = message.sint32()
    else span.length = message.uint32()
  }
  return span
}

/** All of a packed field. */
function list<T>(reader: BinaryReader, read: () => T): T[] {
  const end = reader.uint32() + reader.pos
  const values: T[] = []
  while (reader.pos < end) values.push(read())
  return values
}
