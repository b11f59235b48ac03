// A writer of protobuf messages as strangers may write them: any order, unknown fields, overlong numbers.

/** Bytes of a field or a message. */
export type Bytes = readonly number[]

export function varint(v: bigint | number, pad = 0): Bytes {
  let n = BigInt.asUintN(64, BigInt(v))
  const out: number[] = []
  do {
    out.push(Number(n & 127n) | 128)
    n >>= 7n
  } while (n > 0n)
  for (let i = 0; i < pad && out.length < 10; i++) out.push(128)
  out[out.length - 1]! &= 127
  return out
}

/** A length-delimited field. */
export function field(number: number, payload: Bytes, pad = 0): Bytes {
  return [...varint((number << 3) | 2), ...varint(payload.length, pad), ...payload]
}

export function text(number: number, value: string): Bytes {
  return field(number, [...Buffer.from(value)])
}

export function number(field: number, value: bigint | number, pad = 0): Bytes {
  return [...varint(field << 3), ...varint(value, pad)]
}

export function double(field: number, value: number | Bytes): Bytes {
  const payload =
    typeof value === 'number' ? [...new Uint8Array(Float64Array.of(value).buffer)] : value
  return [...varint((field << 3) | 1), ...payload]
}

/** Label field of a TimeSeries. */
export function label(name: string, value: string): Bytes {
  return field(1, [...(name ? text(1, name) : []), ...(value ? text(2, value) : [])])
}

export function sample(value: number | Bytes, time: bigint | number, pad = 0): Bytes {
  const plain = value === 0 ? [] : double(1, value)
  return field(2, [...plain, ...(time === 0 ? [] : number(2, time, pad))])
}

export function exemplar(labels: Record<string, string>, value: number, time: number): Bytes {
  const pairs = Object.entries(labels).flatMap(([n, v]) => field(1, [...text(1, n), ...text(2, v)]))
  return field(3, [...pairs, ...double(2, value), ...number(3, time)])
}

/** A native histogram of integer counts: schema 0, three buckets from `first`, all observations in the first of them. */
export function histogram(count: number, time: number, first = 1): Bytes {
  return field(4, [
    ...number(1, count),
    ...double(3, count * 1.5),
    ...number(4, 0),
    ...double(5, 1e-128),
    ...field(11, [...number(1, first * 2), ...number(2, 3)]),
    ...field(12, [...varint(count * 2), ...varint(count ? count * 2 - 1 : 0), ...varint(0)]),
    ...number(15, time),
  ])
}

export function metadata(type: number, family: string, help: string): Bytes {
  return field(3, [...number(1, type), ...text(2, family), ...text(4, help)])
}

/** TimeSeries field of a WriteRequest. */
export function series(...fields: Bytes[]): Bytes {
  return field(1, fields.flat())
}

export function message(...fields: Bytes[]): Uint8Array {
  return Uint8Array.from(fields.flat())
}
