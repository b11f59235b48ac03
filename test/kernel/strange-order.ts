import { type Bytes, field, varint } from '../batch/message.ts'

// Messages as the format allows them and hardly anyone writes them: fields in any order, repeated ones in pieces.

type Next = (n: number) => number

/** The fields of all lists in some order that keeps the order within each list. */
export function interleave(next: Next, lists: readonly (readonly Bytes[])[]): Bytes {
  const rest = lists.filter((list) => list.length > 0).map((list) => [...list])
  const out: Bytes[] = []
  while (rest.length > 0) {
    const i = next(rest.length)
    out.push(rest[i]!.shift()!)
    if (rest[i]!.length === 0) rest.splice(i, 1)
  }
  return out.flat()
}

/** A repeated number, each element given as its bytes, packed and not, in pieces; empty ones among them. */
export function pieces(next: Next, no: number, wire: 0 | 1, elements: readonly Bytes[]): Bytes[] {
  if (next(2) === 0) return elements.length ? [field(no, elements.flat())] : []
  const out: Bytes[] = []
  for (let i = 0; i < elements.length; ) {
    if (next(3) === 0) out.push([...varint((no << 3) | wire), ...elements[i++]!])
    else {
      const n = next(6)
      out.push(field(no, elements.slice(i, i + n).flat(), next(2)))
      i += n
    }
  }
  return out
}

export const zigzag = (n: bigint | number): bigint =>
  BigInt.asUintN(64, (BigInt(n) << 1n) ^ (BigInt(n) >> 63n))

/** Bytes of a double, given by its bits. */
export function bits(value: bigint): Bytes {
  return [...new Uint8Array(BigUint64Array.of(BigInt.asUintN(64, value)).buffer)]
}

/** Bits of a double. */
export const bitsOf = (value: number): bigint =>
  new BigUint64Array(Float64Array.of(value).buffer)[0]!

export const STALE = 0x7ff0000000000002n

/** Overwrites, cuts or extends a message in a few places. */
export function mutate(next: Next, message: Uint8Array): Uint8Array {
  const out = message.slice()
  for (let i = next(4); i >= 0 && out.length > 0; i--) out[next(out.length)] = next(256)
  if (next(3) === 0) return out.slice(0, next(out.length + 1))
  return out
}
