import type { Histogram } from '../../src/wire/gen/prometheus-write-v2_pb.js'
import { REASON_HISTOGRAM, REASON_SCHEMA } from '../../src/wire/layout.ts'
import { double, field, number, varint } from '../batch/message.ts'
import { fromDeltas, type Span } from './native-spans.ts'
import { bits, bitsOf, interleave, pieces, STALE, zigzag } from './strange-order.ts'

// Native histograms as tests describe them, how they are written, and what Prometheus says of them.

/** Gives an integer below n. */
export type Next = (n: number) => number

export interface Side {
  readonly spans: readonly Span[]
  readonly deltas?: readonly bigint[]
  readonly counts?: readonly number[]
}

/** A histogram of the integer flavour, or of the float flavour where count is a number. */
export interface Native {
  readonly count?: bigint | number
  /** Bits. */
  readonly sum?: bigint
  readonly schema?: number
  readonly threshold?: number
  readonly zeroes?: bigint | number
  readonly negative?: Side
  readonly positive?: Side
  readonly hint?: number
  readonly time?: bigint
  readonly start?: bigint
  readonly customs?: readonly number[]
}

export const INT_MIN = -(2 ** 31)
export const INT_MAX = 2 ** 31 - 1
export const TOP = 2n ** 63n
export const NAN = bitsOf(Number.NaN)
/** What checkHistogram() gives for one that is refused. */
export const REFUSED = -REASON_HISTOGRAM
export const NONE: Side = { spans: [] }

/** Spans of [offset, length]. */
export const spans = (...pairs: [number, number][]) =>
  pairs.map(([offset, length]): Span => ({ offset, length }))
/** A side of the integer flavour. */
export const ints = (list: [number, number][], ...deltas: (number | bigint)[]): Side => ({
  spans: spans(...list),
  deltas: deltas.map(BigInt),
})
/** A side of the float flavour. */
export const floats = (list: [number, number][], ...counts: number[]): Side => ({
  spans: spans(...list),
  counts,
})

/** Bytes of the histogram in a strange order, or in the usual one. */
export function encode(native: Native, next: Next = () => 0): Uint8Array {
  const spans = (no: number, { spans }: Side) =>
    spans.map(({ offset, length }) =>
      field(no, [
        ...(offset ? number(1, zigzag(offset)) : []),
        ...(length ? number(2, length) : []),
      ]),
    )
  const deltas = (no: number, { deltas = [] }: Side) =>
    pieces(
      next,
      no,
      0,
      deltas.map((n) => varint(zigzag(n))),
    )
  const doubles = (no: number, list: readonly number[] = []) =>
    pieces(
      next,
      no,
      1,
      list.map((n) => bits(bitsOf(n))),
    )
  const oneOf = (no: number, value: bigint | number | undefined) => {
    const ints = number(no, typeof value === 'bigint' ? value : 7)
    const floats = double(no + 1, typeof value === 'number' ? value : 7)
    if (value === undefined) return []
    // The last one counts.
    const both = typeof value === 'bigint' ? [floats, ints] : [ints, floats]
    return next(4) === 1 ? both : both.slice(1)
  }
  const { negative = NONE, positive = NONE } = native
  return Uint8Array.from(
    interleave(next, [
      oneOf(1, native.count),
      native.sum ? [double(3, bits(native.sum))] : [],
      [
        ...(next(4) === 1 ? [number(4, 3)] : []),
        ...(native.schema === undefined ? [] : [number(4, zigzag(native.schema))]),
      ].slice(native.schema === undefined ? 1 : 0),
      native.threshold === undefined ? [] : [double(5, native.threshold)],
      oneOf(6, native.zeroes),
      spans(8, negative),
      deltas(9, negative),
      doubles(10, negative.counts),
      spans(11, positive),
      deltas(12, positive),
      doubles(13, positive.counts),
      native.hint ? [number(14, native.hint)] : [],
      native.time ? [number(15, native.time)] : [],
      doubles(16, native.customs),
      native.start ? [number(17, native.start)] : [],
      next(3) === 1
        ? [number(18, 5), field(40, [1, 2]), [...varint((99 << 3) | 5), 1, 2, 3, 4]]
        : [],
    ]),
  )
}

/** Validate() of model/histogram in Prometheus, over the integers as they are instead of 64 bits of them. */
export function verdict(native: Native): number {
  const { schema = 0, count = 0n, sum = 0n, positive = NONE, negative = NONE } = native
  const { customs = [], threshold = 0 } = native
  const float = typeof count === 'number'
  const zeroes = typeof native.zeroes === typeof count ? Number(native.zeroes) : 0
  if (schema !== -53 && (schema < -4 || schema > 52)) return -REASON_SCHEMA
  const absolute = ({ deltas = [], counts = [] }: Side) => (float ? counts : fromDeltas(deltas))
  for (const side of [positive, negative]) {
    const counts = absolute(side)
    if (side.spans.reduce((n, { length }) => n + length, 0) !== counts.length) return REFUSED
    if (counts.some((n) => n < 0)) return REFUSED
    let behind = 0
    for (const [i, { offset, length }] of side.spans.entries()) {
      if (i > 0 ? offset < 0 : offset === INT_MIN) return REFUSED
      if (schema === -53 && offset < 0) return REFUSED
      behind += offset + length
      if (behind - 1 > INT_MAX) return REFUSED
    }
    if (schema === -53 && behind > customs.length + 1) return REFUSED
  }
  if (schema === -53) {
    if (customs.some((v, i) => Number.isNaN(v) || (i > 0 && v <= customs[i - 1]!))) return REFUSED
    if (customs.at(-1) === Infinity) return REFUSED
    if (zeroes !== 0 || threshold !== 0) return REFUSED
    if (negative.spans.length > 0 || absolute(negative).length > 0) return REFUSED
  } else if (customs.length > 0) return REFUSED
  if (float) {
    if (count < 0 || zeroes < 0) return REFUSED
  } else {
    const totals = [positive, negative].map(({ deltas = [] }) =>
      fromDeltas(deltas).reduce((all, n) => all + n, 0n),
    )
    if (schema > 8 && totals.some((all) => all >= TOP)) return REFUSED
    const all = totals[0]! + totals[1]! + (typeof native.zeroes === 'bigint' ? native.zeroes : 0n)
    if (all >= 2n ** 64n) return REFUSED
    if (sum !== STALE) {
      const noSum = Number.isNaN(new Float64Array(BigUint64Array.of(sum).buffer)[0]!)
      if (noSum ? all > count : all !== count) return REFUSED
    }
  }
  return schema === -53 ? 2 : schema > 8 ? 1 : 0
}

/** A histogram as protobuf-es read it. */
export function modelOf(h: Histogram): Native {
  return {
    ...(h.count.case ? { count: h.count.value } : {}),
    ...(h.zeroCount.case ? { zeroes: h.zeroCount.value } : {}),
    sum: bitsOf(h.sum),
    schema: h.schema,
    threshold: h.zeroThreshold,
    negative: { spans: h.negativeSpans, deltas: h.negativeDeltas, counts: h.negativeCounts },
    positive: { spans: h.positiveSpans, deltas: h.positiveDeltas, counts: h.positiveCounts },
    hint: h.resetHint,
    time: h.timestamp,
    start: h.startTimestamp,
    customs: h.customValues,
  }
}

/** Valid in two of three cases, in the others with one fault or two. */
export function random(next: Next): Native {
  const float = next(3) === 0
  const custom = next(3) === 0
  const large = next(6) === 0
  const customs = custom ? Array.from({ length: next(9) }, (_, i) => i * 1.5 - 4) : []
  const one = () => (next(4) === 0 ? 0 : next(large ? 2 ** 31 : 100))
  const side = (from: number, room: number): { spans: Span[]; counts: number[] } => {
    const list: Span[] = []
    let n = 0
    for (let left = room, i = next(5); i > 0 && left > 0; i--) {
      const first = list.length === 0
      const gap = custom ? next(left) : first ? from : next(3) ? next(5) : next(2000)
      const length = next(custom ? left - gap + 1 : 9)
      list.push({ offset: gap, length })
      n += length
      left -= gap + length
    }
    return { spans: list, counts: Array.from({ length: n }, one) }
  }
  const far = next(8) === 0 ? next(2 ** 31) - 2 ** 30 : next(60) - 40
  const positive = side(far, custom ? customs.length + 1 : 1e9)
  const negative = custom ? { spans: [], counts: [] } : side(-far, next(2) * 1e9)
  const zeroes = custom ? 0 : next(3)
  const total = [...positive.counts, ...negative.counts, zeroes].reduce((all, n) => all + n, 0)
  const finish = ({ spans, counts }: typeof positive): Side => ({
    spans,
    ...(float
      ? { counts: counts.map((n) => n / 4) }
      : { deltas: counts.map((n, i) => BigInt(n - (counts[i - 1] ?? 0))) }),
  })
  const native: Native = {
    count: float ? total : BigInt(total),
    sum: [bitsOf(3.5), 0n, bitsOf(-1e9), NAN, STALE][next(next(3) ? 3 : 5)]!,
    schema: custom ? -53 : next(5) === 0 ? 9 + next(44) : next(13) - 4,
    ...(custom ? {} : { threshold: next(2) / 1000 }),
    ...(zeroes || next(2) ? { zeroes: float ? zeroes : BigInt(zeroes) } : {}),
    negative: finish(negative),
    positive: finish(positive),
    ...(next(2) ? { hint: next(4) } : {}),
    time: BigInt(next(2 ** 31)) * 1000n,
    start: next(2) ? BigInt(next(2 ** 31)) : 0n,
    customs,
  }
  return next(3) ? native : spoil(next, next(4) ? native : spoil(next, native))
}

function spoil(next: Next, native: Native): Native {
  const { positive = NONE, customs = [], count = 0n } = native
  const float = typeof count === 'number'
  const at = next(positive.spans.length || 1)
  const bent = (change: Partial<Span>) => ({
    ...native,
    positive: {
      ...positive,
      spans: positive.spans.map((s, i) => (i === at ? { ...s, ...change } : s)),
    },
  })
  switch (next(12)) {
    case 0:
      return { ...native, count: float ? -1 : count + 1n }
    case 1:
      return { ...native, count: float ? count / 2 : BigInt(next(50)) }
    case 2:
      return bent({ offset: next(5) - 4 })
    case 3:
      return bent({ length: next(3) ? next(6) : 2 ** 32 - 1 })
    case 4:
      return bent({ offset: [INT_MIN, INT_MAX, INT_MIN + 1, INT_MAX - 3][next(4)]! })
    case 5:
      return { ...native, schema: next(130) - 65 }
    case 6:
      return { ...native, zeroes: next(2) ? BigInt(next(3)) : next(3) - 1 }
    case 7:
      return { ...native, customs: [...customs, [1, Number.NaN, Infinity, 100][next(4)]!] }
    case 8:
      return { ...native, threshold: next(2) }
    case 9:
      return {
        ...native,
        negative: { spans: [{ offset: 0, length: next(2) }], deltas: [0n], counts: [0] },
      }
    case 10:
      return {
        ...native,
        positive: { ...positive, deltas: [...(positive.deltas ?? []), -BigInt(next(90))] },
      }
    default:
      return {
        ...native,
        positive: { ...positive, counts: [...(positive.counts ?? []), next(3) - 1.5] },
      }
  }
}
