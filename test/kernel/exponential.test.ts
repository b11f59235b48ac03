import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type ExponentialHistogramDataPoint,
  ExponentialHistogramDataPointSchema,
} from '../../src/wire/gen/opentelemetry_pb.js'
import { HistogramSchema } from '../../src/wire/gen/prometheus-write-v2_pb.js'
import { E_PROTO, REASON_HISTOGRAM, REASON_SCALE } from '../../src/wire/layout.ts'
import { type Bytes, double, field, number, varint } from '../batch/message.ts'
import golden from '../golden/histogram.json' with { type: 'json' }
import { compileHistograms, type Histograms } from './histograms.ts'
import { type Bucket, bucketsOf, fromDeltas, nativeSpans } from './native-spans.ts'
import { seeded } from './raw.ts'
import { bits, bitsOf, interleave, mutate, pieces, STALE, zigzag } from './strange-order.ts'

let histograms: Histograms
beforeAll(async () => {
  histograms = await compileHistograms()
}, 60_000)

interface Side {
  readonly offset: number
  readonly counts: readonly bigint[]
}

interface Point {
  readonly start?: bigint
  readonly time?: bigint
  readonly count: bigint
  readonly sum?: bigint
  readonly scale?: number
  readonly zeroes?: bigint
  readonly positive?: Side
  readonly negative?: Side
  readonly flags?: number
  readonly threshold?: number
}

const NONE: Side = { offset: 0, counts: [] }
const side = (offset: number, ...counts: (number | bigint)[]): Side => ({
  offset,
  counts: counts.map(BigInt),
})
const total = (counts: readonly bigint[]) => counts.reduce((sum, n) => sum + n, 0n)

/** The point with the count that its buckets have. */
function whole(point: Omit<Point, 'count'>): Point {
  const { positive = NONE, negative = NONE, zeroes = 0n } = point
  return { ...point, count: total([...positive.counts, ...negative.counts, zeroes]) }
}

/** Bytes of the point in a strange order, or in the usual one. */
function encode(point: Point, next: (n: number) => number = () => 0): Uint8Array {
  const buckets = (no: number, { offset, counts }: Side): Bytes[] => {
    if (counts.length === 0) return []
    const lists: Bytes[] = pieces(
      next,
      2,
      0,
      counts.map((n) => varint(n)),
    )
    const first = number(1, zigzag(offset))
    if (next(3) !== 1) return [field(no, interleave(next, [[first], lists]))]
    // An embedded message may come in parts.
    return [field(no, number(1, 99)), ...lists.map((list) => field(no, list)), field(no, first)]
  }
  const fixed = (no: number, v: bigint | undefined) => (v ? [double(no, bits(v))] : [])
  const noise = next(2) ? [field(11, [1, 2, 3]), double(12, 1), field(1, [10, 1, 97])] : []
  return Uint8Array.from(
    interleave(next, [
      fixed(2, point.start),
      [...(next(3) === 1 ? fixed(3, 5n) : []), ...fixed(3, point.time)],
      fixed(4, point.count),
      point.sum === undefined ? [] : [double(5, bits(point.sum))],
      point.scale ? [number(6, zigzag(point.scale))] : [],
      fixed(7, point.zeroes),
      buckets(8, point.positive ?? NONE),
      buckets(9, point.negative ?? NONE),
      point.flags ? [number(10, point.flags)] : [],
      point.threshold === undefined ? [] : [double(14, point.threshold)],
      noise,
    ]),
  )
}

/** Buckets as Prometheus has them: by upper bound, merged where the scale is too fine. */
function merged({ offset, counts }: Side, scale: number): Bucket[] {
  const wide = 2n ** BigInt(Math.min(Math.max(scale - 8, 0), 64))
  const out = new Map<number, bigint>()
  counts.forEach((n, i) => {
    if (n === 0n) return
    const low = BigInt(offset) + BigInt(i)
    const index = Number((low - (((low % wide) + wide) % wide)) / wide) + 1
    out.set(index, (out.get(index) ?? 0n) + n)
  })
  return [...out]
}

/** What is to be written, or the refusal. */
function expected(point: Point, keepStart: boolean): Uint8Array | number {
  const { scale = 0, positive = NONE, negative = NONE, zeroes = 0n } = point
  if (scale < -4) return -REASON_SCALE
  const counts = [...positive.counts, ...negative.counts, zeroes]
  const sum = Number.isNaN(Number(numberOf(point.sum ?? 0n)))
  if (sum ? total(counts) > point.count : total(counts) !== point.count) return -REASON_HISTOGRAM
  for (const { counts } of [positive, negative]) {
    if (total(counts) >= 2n ** 63n) return -REASON_HISTOGRAM
  }
  const p = merged(positive, scale)
  const n = merged(negative, scale)
  if ([...p, ...n].some(([index]) => index > 2 ** 31 - 1)) return -REASON_HISTOGRAM
  const { spans: positiveSpans, deltas: positiveDeltas } = nativeSpans(p, 2)
  const { spans: negativeSpans, deltas: negativeDeltas } = nativeSpans(n, 2)
  return toBinary(
    HistogramSchema,
    create(HistogramSchema, {
      count: { case: 'countInt', value: point.count },
      sum: numberOf(point.sum ?? 0n),
      schema: Math.min(scale, 8),
      zeroThreshold: point.threshold || 1e-128,
      zeroCount: zeroes ? { case: 'zeroCountInt', value: zeroes } : { case: undefined },
      positiveSpans,
      positiveDeltas,
      negativeSpans,
      negativeDeltas,
      timestamp: (point.time ?? 0n) / 1_000_000n,
      startTimestamp: keepStart ? (point.start ?? 0n) / 1_000_000n : 0n,
    }),
  )
}

const numberOf = (value: bigint) => new Float64Array(BigUint64Array.of(value).buffer)[0]!

function convert(message: Uint8Array, keepStart = true, cap = 2 * message.length + 128) {
  const { result, written } = histograms.write('exponentialHistogram', message, cap, {
    before: [Number(keepStart)],
    flush: message.length % 2 ? 'output' : 'message',
  })
  return result > 0 ? written.slice(0, result) : result
}

const decoded = (out: Uint8Array | number) => fromBinary(HistogramSchema, out as Uint8Array)

describe('an exponential histogram', () => {
  test.each(golden.exponential)(
    '$otlp.scale $otlp.offset $otlp.bucketCounts becomes native',
    ({ otlp, schema, buckets, spans, deltas }) => {
      const counts = side(otlp.offset, ...otlp.bucketCounts)
      for (const [name, other] of [
        ['positive', 'negative'],
        ['negative', 'positive'],
      ] as const) {
        const got = decoded(convert(encode(whole({ scale: otlp.scale, [name]: counts }))))
        expect(got.schema).toBe(schema)
        expect(got[`${name}Spans`].map(({ offset, length }) => ({ offset, length }))).toEqual(spans)
        expect(got[`${name}Deltas`].map(Number)).toEqual(deltas)
        expect(got[`${other}Spans`]).toEqual([])
        const filled = bucketsOf(got[`${name}Spans`], fromDeltas(got[`${name}Deltas`]))
        const populated = filled.filter(([, n]) => n > 0n).map(([i, n]) => [`${i}`, Number(n)])
        expect(Object.fromEntries(populated)).toEqual(buckets)
      }
    },
  )

  test('keeps count, sum, zero bucket and times', () => {
    const point = whole({
      start: 1_700_000_000_123_999_999n,
      time: 1_700_000_060_456_789_012n,
      sum: bitsOf(-12.5),
      scale: -4,
      zeroes: 3n,
      threshold: 0.001,
      positive: side(-2, 1, 2),
    })
    expect(decoded(convert(encode(point)))).toMatchObject({
      count: { case: 'countInt', value: 6n },
      sum: -12.5,
      schema: -4,
      zeroThreshold: 0.001,
      zeroCount: { case: 'zeroCountInt', value: 3n },
      timestamp: 1_700_000_060_456n,
      startTimestamp: 1_700_000_000_123n,
    })
    expect(decoded(convert(encode(point), false)).startTimestamp).toBe(0n)
  })

  test.each([
    ['of none', 0],
    ['below zero', -1],
    ['that is no number', Number.NaN],
  ])('with a zero threshold %s gets that of Prometheus', (_, threshold) => {
    const message = encode({ ...whole({ zeroes: 1n }), threshold })
    expect(decoded(convert(message)).zeroThreshold).toBe(1e-128)
  })

  test('without a recorded value is a stale marker and nothing else', () => {
    const point = { ...whole({ scale: 9, positive: side(0, 1), zeroes: 7n }), count: 99n }
    const rest = { flags: 3, time: 5_000_000n, start: 4_000_000n, sum: bitsOf(8) }
    const out = convert(encode({ ...point, ...rest }))
    const want = [...number(1, 0), ...double(3, bits(STALE)), ...number(4, 16), ...number(15, 5)]
    expect(out).toEqual(Uint8Array.from(want))
    expect(convert(encode({ ...point, flags: 2 }))).toBe(-REASON_HISTOGRAM)
  })

  test('without anything is one without observations', () => {
    const want = [...number(1, 0), ...double(5, 1e-128)]
    expect(convert(new Uint8Array(0))).toEqual(Uint8Array.from(want))
  })

  const MIN = -(2 ** 31)
  const MAX = 2 ** 31 - 1
  test.each<[string, Point, number | 'taken']>([
    ['a scale of -5', whole({ scale: -5 }), -REASON_SCALE],
    ['the lowest scale there is', whole({ scale: MIN }), -REASON_SCALE],
    ['a count too high', { ...whole({ positive: side(0, 1) }), count: 2n }, -REASON_HISTOGRAM],
    ['a count too low', { ...whole({ positive: side(0, 3) }), count: 2n }, -REASON_HISTOGRAM],
    [
      'a count too high when the sum is NaN',
      { ...whole({ positive: side(0, 1), sum: bitsOf(Number.NaN) }), count: 2n },
      'taken',
    ],
    [
      'a count too low when the sum is NaN',
      { ...whole({ positive: side(0, 3), sum: bitsOf(Number.NaN) }), count: 2n },
      -REASON_HISTOGRAM,
    ],
    [
      'counts that wrap around to the right number',
      { positive: side(0, 2n ** 63n, 2n ** 63n), count: 0n },
      -REASON_HISTOGRAM,
    ],
    [
      'both signs wrapping around',
      { positive: side(0, 2n ** 63n - 1n), negative: side(0, 2n ** 63n - 1n, 3), count: 1n },
      -REASON_HISTOGRAM,
    ],
    [
      'a zero count that wraps around',
      { positive: side(0, 2), zeroes: 2n ** 64n - 1n, count: 1n },
      -REASON_HISTOGRAM,
    ],
    [
      'a bucket that is no signed number',
      whole({ positive: side(0, 2n ** 63n) }),
      -REASON_HISTOGRAM,
    ],
    ['the most that one holds', whole({ positive: side(0, 2n ** 63n - 1n) }), 'taken'],
    ['the highest index', whole({ positive: side(MAX - 1, 1) }), 'taken'],
    ['an index over the highest', whole({ negative: side(MAX, 1) }), -REASON_HISTOGRAM],
    ['empty buckets over the highest index', whole({ positive: side(MAX - 1, 1, 0, 0) }), 'taken'],
    ['the lowest index', whole({ positive: side(MIN, 1) }), 'taken'],
    ['the highest index at a fine scale', whole({ scale: 9, positive: side(MAX, 1, 2) }), 'taken'],
    ['the highest scale', whole({ scale: MAX, positive: side(-2, 1, 2, 3, 4) }), 'taken'],
    ['the highest scale at the ends', whole({ scale: MAX, negative: side(MIN, 1, 2) }), 'taken'],
  ])('with %s is taken or refused', (_, point, verdict) => {
    const want = expected(point, true)
    expect(typeof want === 'number' ? want : 'taken').toBe(verdict)
    expect(convert(encode(point))).toEqual(want)
  })

  test('of random numbers, its fields in any order and in pieces, is what a map of buckets gives', () => {
    const next = seeded(41)
    let refused = 0
    let split = 0
    for (let round = 0; round < 4000; round++) {
      const point = random(next)
      const keep = next(2) === 0
      const want = expected(point, keep)
      const message = encode(point, next)
      const got = convert(message, keep)
      if (typeof want === 'number') refused++
      else if (fromBinary(HistogramSchema, want).positiveSpans.length > 1) split++
      expect(got).toEqual(want)
      if (typeof got !== 'number') expect(histograms.check(got).result).toBe(0)
    }
    expect(refused).toBeGreaterThan(100)
    expect(split).toBeGreaterThan(300)
  })

  test('is written exactly where it fits, and not a byte beyond', () => {
    const next = seeded(42)
    for (let round = 0; round < 150; round++) {
      const point = random(next)
      const want = expected(point, true)
      if (typeof want === 'number') continue
      const message = encode(point, next)
      for (let cap = 0; cap <= want.length + 1; cap++) {
        const got = convert(message, true, cap)
        expect(got).toEqual(cap < want.length ? 0 : want)
      }
    }
  })

  test('of long runs of empty buckets is read at once', () => {
    const zeros = 60_000
    const message = Uint8Array.from([
      ...double(4, bits(3n)),
      ...field(8, [...number(1, 1), ...field(2, [1, ...new Array(zeros).fill(0), 2])]),
    ])
    expect(decoded(convert(message, true, 200))).toMatchObject({
      positiveSpans: [
        { offset: 0, length: 1 },
        { offset: zeros, length: 1 },
      ],
      positiveDeltas: [1n, 1n],
    })
    const empty = Uint8Array.from(
      field(8, [...number(1, 1), ...field(2, new Array(zeros).fill(0))]),
    )
    expect(decoded(convert(empty, true, 200)).positiveSpans).toEqual([])
  })
})

describe('bytes that are no exponential histogram', () => {
  test.each<[string, Bytes]>([
    ['a tag without its field', [33]],
    ['half a double', [41, 0, 0, 0]],
    ['a count without its end', field(8, field(2, [1, 0x80]))],
    ['an unpacked count without its end', field(8, [16, 0x80])],
    ['a count of eleven bytes', field(9, field(2, [...new Array(10).fill(0x80), 1]))],
    ['buckets that end early', [66, 9, 18, 1, 1]],
  ])('are seen: %s', (_, message) => {
    expect(convert(Uint8Array.from(message))).toBe(E_PROTO)
  })

  test('do no harm, and what is taken of them is what is written there', () => {
    const next = seeded(43)
    let taken = 0
    for (let round = 0; round < 6000; round++) {
      const message = mutate(next, encode({ ...random(next), sum: bitsOf(1) }, next))
      const got = convert(message)
      if (typeof got === 'number') {
        expect([E_PROTO, -REASON_HISTOGRAM, -REASON_SCALE]).toContain(got)
        continue
      }
      const point = read(message)
      if (!point || point.flags! & 1) continue
      taken++
      expect(got).toEqual(expected(point, true))
    }
    expect(taken).toBeGreaterThan(250)
  })
})

/** The point as protobuf-es reads it; undefined when it does not, or finds a known field of another wire type, which is passed over here. */
function read(message: Uint8Array): Point | undefined {
  let point: ExponentialHistogramDataPoint
  try {
    point = fromBinary(ExponentialHistogramDataPointSchema, message)
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
    return undefined
  }
  const { positive, negative } = point
  const threshold = Math.max(point.zeroThreshold, 0) || 0
  return {
    start: point.startTimeUnixNano,
    time: point.timeUnixNano,
    count: point.count,
    sum: bitsOf(point.sum ?? 0),
    scale: point.scale,
    zeroes: point.zeroCount,
    flags: point.flags,
    threshold,
    ...(positive && { positive: { offset: positive.offset, counts: positive.bucketCounts } }),
    ...(negative && { negative: { offset: negative.offset, counts: negative.bucketCounts } }),
  }
}

function random(next: (n: number) => number): Point {
  const counts = (): Side => {
    const dense = 1 + next(6)
    const large = next(5) === 0
    const length = next(4) === 0 ? 0 : next(next(5) === 0 ? 200 : 20)
    return side(
      next(3) ? next(40) - 20 : next(2 ** 31) - 2 ** 30,
      ...Array.from({ length }, () => (next(dense) ? 0 : large ? next(2 ** 31) * 1000 : next(200))),
    )
  }
  const point = whole({
    start: BigInt(next(3)) * 1_699_999_999_999_999_999n,
    time: BigInt(next(2 ** 31)) * 1_000_000_007n,
    ...(next(4) ? { sum: next(6) ? bitsOf(next(1000) / 8 - 20 || 1) : bitsOf(Number.NaN) } : {}),
    scale: next(30) - 5,
    zeroes: BigInt(next(3)),
    threshold: next(3) / 1000,
    positive: counts(),
    negative: next(2) ? NONE : counts(),
  })
  return next(12) ? point : { ...point, count: point.count + BigInt(next(3)) }
}
