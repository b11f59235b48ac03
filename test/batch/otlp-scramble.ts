// OTLP messages as strangers may write them: fields in any order, unknown ones between, numbers longer than they need be, lists packed or not.

/** A field of a message: its number, wire type, and payload, for wire type 2 without the length. */
export interface Field {
  readonly number: number
  readonly wire: number
  readonly payload: Uint8Array
}

type Next = (n: number) => number

/** Messages in fields of messages; a string is a list of numbers that may be packed: f fixed, v varints. */
const SCHEMA: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  Request: { 1: 'ResourceMetrics' },
  ResourceMetrics: { 1: 'Resource', 2: 'ScopeMetrics' },
  Resource: { 1: 'KeyValue' },
  ScopeMetrics: { 1: 'Scope', 2: 'Metric' },
  Scope: { 3: 'KeyValue' },
  Metric: { 5: 'Numbers', 7: 'Numbers', 9: 'Histograms', 10: 'Exponentials', 11: 'Summaries' },
  Numbers: { 1: 'Number' },
  Histograms: { 1: 'Histogram' },
  Exponentials: { 1: 'Exponential' },
  Summaries: { 1: 'Summary' },
  Number: { 5: 'Exemplar', 7: 'KeyValue' },
  Histogram: { 6: 'f', 7: 'f', 8: 'Exemplar', 9: 'KeyValue' },
  Exponential: { 1: 'KeyValue', 8: 'Buckets', 9: 'Buckets', 11: 'Exemplar' },
  Buckets: { 2: 'v' },
  Summary: { 6: 'Quantile', 7: 'KeyValue' },
  Quantile: {},
  Exemplar: { 7: 'KeyValue' },
  KeyValue: { 2: 'AnyValue' },
  AnyValue: { 5: 'ArrayValue', 6: 'KeyValueList' },
  ArrayValue: { 1: 'AnyValue' },
  KeyValueList: { 1: 'KeyValue' },
}

/** Fields of a well-formed message without groups. */
export function fieldsOf(bytes: Uint8Array): Field[] {
  const fields: Field[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++]!
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    const wire = tag & 7
    let from = at
    if (wire === 0) varint()
    else if (wire === 1) at += 8
    else if (wire === 5) at += 4
    else {
      const n = varint()
      from = at
      at += n
    }
    fields.push({ number: Math.floor(tag / 8), wire, payload: bytes.subarray(from, at) })
  }
  return fields
}

/** The same request, written strangely. */
export function scramble(bytes: Uint8Array, next: Next, message = 'Request'): Uint8Array {
  const parts: { number: number; bytes: number[] }[] = []
  for (const { number, wire, payload } of fieldsOf(bytes)) {
    const inner = SCHEMA[message]![number]
    const add = (w: number, p: Iterable<number>) =>
      parts.push({ number, bytes: encode(number, w, [...p], next) })
    if (inner === undefined) add(wire, payload)
    else if (inner === 'f' || inner === 'v') {
      for (const piece of split(elements(payload, inner), next)) {
        if (piece.length === 1 && next(2)) add(inner === 'f' ? 1 : 0, piece[0]!)
        else add(2, piece.flat())
      }
    } else add(2, scramble(payload, next, inner))
  }
  // Fields of one number stay in order.
  const places = parts.map((_, i) => i)
  for (let i = places.length - 1; i > 0 && next(3); i--) {
    const j = next(i + 1)
    ;[places[i], places[j]] = [places[j]!, places[i]!]
  }
  const queues = new Map<number, number[][]>()
  for (const { number, bytes } of parts) {
    if (!queues.has(number)) queues.set(number, [])
    queues.get(number)!.push(bytes)
  }
  const out: number[] = []
  for (const place of places) {
    if (next(12) === 0) out.push(...unknown(next, 0))
    out.push(...queues.get(parts[place]!.number)!.shift()!)
  }
  if (next(12) === 0) out.push(...unknown(next, 0))
  return Uint8Array.from(out)
}

function elements(payload: Uint8Array, kind: string): number[][] {
  const all: number[][] = []
  let one: number[] = []
  for (const byte of payload) {
    one.push(byte)
    if (kind === 'f' ? one.length < 8 : byte > 127) continue
    all.push(one)
    one = []
  }
  return all
}

function split(all: number[][], next: Next): number[][][] {
  if (next(2)) return [all]
  const pieces: number[][][] = []
  while (all.length > 0) pieces.push(all.splice(0, 1 + next(3)))
  if (next(4) === 0) pieces.push([])
  return pieces
}

function encode(number: number, wire: number, payload: number[], next: Next): number[] {
  const pad = next(15) ? 0 : 1 + next(2)
  const tag = varint(number * 8 + wire, pad)
  return wire === 2
    ? [...tag, ...varint(payload.length, next(15) ? 0 : 1 + next(3)), ...payload]
    : [...tag, ...payload]
}

function varint(value: number, pad: number): number[] {
  const out: number[] = []
  let n = value
  for (; n > 127; n = Math.floor(n / 128)) out.push((n & 127) | 128)
  out.push(n)
  for (let i = 0; i < pad; i++) {
    out[out.length - 1]! |= 128
    out.push(0)
  }
  return out
}

function unknown(next: Next, depth: number): number[] {
  const number = 1000 + next(3)
  const kind = next(depth > 2 ? 4 : 5)
  if (kind === 0) return [...varint(number * 8, 0), 0x81, 1]
  if (kind === 1) return [...varint(number * 8 + 1, 0), 1, 2, 3, 4, 5, 6, 7, 8]
  if (kind === 2) return [...varint(number * 8 + 2, 0), 3, 1, 2, 3]
  if (kind === 3) return [...varint(number * 8 + 5, 0), 1, 2, 3, 4]
  const inner = [...unknown(next, depth + 1), ...unknown(next, depth + 1)]
  return [...varint(number * 8 + 3, 0), ...inner, ...varint(number * 8 + 4, 0)]
}
