import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type HistogramDataPoint,
  HistogramDataPointSchema,
} from '../../src/wire/gen/opentelemetry_pb.js'
import { HistogramSchema } from '../../src/wire/gen/prometheus-write-v2_pb.js'
import { E_PROTO, REASON_BOUNDS, REASON_BUCKETS, REASON_HISTOGRAM } from '../../src/wire/layout.ts'
import { type Bytes, double, field, number } from '../batch/message.ts'
import golden from '../golden/histogram.json' with { type: 'json' }
import { compileHistograms, type Histograms } from './histograms.ts'
import { type Bucket, bucketsOf, fromDeltas, nativeSpans } from './native-spans.ts'
import { seeded } from './raw.ts'
import { bits, bitsOf, interleave, mutate, pieces, STALE } from './strange-order.ts'

let histograms: Histograms
beforeAll(async () => {
  histograms = await compileHistograms()
}, 60_000)

interface Point {
  readonly start?: bigint
  readonly time?: bigint
  readonly count: bigint
  readonly sum?: number
  readonly counts: readonly bigint[]
  readonly bounds: readonly number[]
  readonly flags?: number
}

const total = (counts: readonly bigint[]) => counts.reduce((sum, n) => sum + n, 0n)

/** A point with the count that its buckets have. */
function whole(
  bounds: readonly number[],
  counts: readonly (number | bigint)[],
  more: Partial<Point> = {},
): Point {
  const numbers = counts.map(BigInt)
  return { bounds, counts: numbers, count: total(numbers), ...more }
}

function encode(point: Point, next: (n: number) => number = () => 0): Uint8Array {
  const fixed = (no: number, v: bigint | undefined) => (v ? [double(no, bits(v))] : [])
  const noise = next(2) ? [field(8, [1, 2, 3]), double(11, 1), field(9, [10, 1, 97])] : []
  return Uint8Array.from(
    interleave(next, [
      fixed(2, point.start),
      [...(next(3) === 1 ? fixed(3, 5n) : []), ...fixed(3, point.time)],
      fixed(4, point.count),
      point.sum === undefined ? [] : [double(5, bits(bitsOf(point.sum)))],
      pieces(
        next,
        6,
        1,
        point.counts.map((n) => bits(n)),
      ),
      pieces(
        next,
        7,
        1,
        point.bounds.map((bound) => bits(bitsOf(bound))),
      ),
      point.flags ? [number(10, point.flags)] : [],
      noise,
    ]),
  )
}

/** What is to be written, or the refusal. */
function expected(point: Point, keepStart: boolean): Uint8Array | number {
  const { bounds, counts, sum = 0 } = point
  if (![0, bounds.length, bounds.length + 1].includes(counts.length)) return -REASON_BUCKETS
  if (bounds.some((bound, i) => Number.isNaN(bound) || (i > 0 && bound <= bounds[i - 1]!)))
    return -REASON_BOUNDS
  const all = counts.length > 0 ? counts : [point.count]
  const known = counts.length > 0 ? bounds.filter((bound) => bound !== Infinity) : []
  if (total(all) >= 2n ** 63n) return -REASON_HISTOGRAM
  if (Number.isNaN(sum) ? total(all) > point.count : total(all) !== point.count) {
    return -REASON_HISTOGRAM
  }
  const joined = new Map<number, bigint>()
  all.forEach((n, i) => {
    const index = Math.min(i, known.length)
    if (n > 0n) joined.set(index, (joined.get(index) ?? 0n) + n)
  })
  const buckets: Bucket[] = [...joined]
  const { spans: positiveSpans, deltas: positiveDeltas } = nativeSpans(buckets, 2)
  return toBinary(
    HistogramSchema,
    create(HistogramSchema, {
      count: { case: 'countInt', value: point.count },
      sum,
      schema: -53,
      positiveSpans,
      positiveDeltas,
      timestamp: (point.time ?? 0n) / 1_000_000n,
      customValues: known,
      startTimestamp: keepStart ? (point.start ?? 0n) / 1_000_000n : 0n,
    }),
  )
}

function convert(message: Uint8Array, keepStart = true, cap = 2 * message.length + 128) {
  const { result, written } = histograms.write('customHistogram', message, cap, {
    before: [Number(keepStart)],
    flush: message.length % 2 ? 'output' : 'message',
  })
  return result > 0 ? written.slice(0, result) : result
}

const decoded = (out: Uint8Array | number) => fromBinary(HistogramSchema, out as Uint8Array)

describe('an explicit histogram', () => {
  test.each(golden.explicit_to_nhcb)(
    '$explicitBounds $bucketCounts becomes one with custom buckets',
    (vector) => {
      const got = decoded(convert(encode(whole(vector.explicitBounds, vector.bucketCounts))))
      expect(got.schema).toBe(vector.schema)
      expect(got.customValues).toEqual(vector.custom_values)
      expect(got.positiveSpans.map(({ offset, length }) => ({ offset, length }))).toEqual(
        vector.spans,
      )
      expect(got.positiveDeltas.map(Number)).toEqual(vector.deltas)
      const filled = bucketsOf(got.positiveSpans, fromDeltas(got.positiveDeltas))
      const populated = filled.filter(([, n]) => n > 0n).map(([i, n]) => [`${i}`, Number(n)])
      expect(Object.fromEntries(populated)).toEqual(vector.buckets)
      expect(got.zeroThreshold).toBe(0)
    },
  )

  test('keeps count, sum and times', () => {
    const times = { start: 1_700_000_000_123_999_999n, time: 1_700_000_060_456_789_012n }
    const message = encode(whole([1], [2, 3], { sum: -1.5, ...times }))
    expect(decoded(convert(message))).toMatchObject({
      count: { case: 'countInt', value: 5n },
      sum: -1.5,
      timestamp: 1_700_000_060_456n,
      startTimestamp: 1_700_000_000_123n,
    })
    expect(decoded(convert(message, false)).startTimestamp).toBe(0n)
  })

  test('never names the bound +Inf: its bucket and the one behind it are one', () => {
    for (const counts of [
      [1, 2, 3],
      [1, 2, 3, 0],
      [1, 2, 1, 2],
    ]) {
      const got = decoded(convert(encode(whole([5, 10, Infinity], counts))))
      expect(got.customValues).toEqual([5, 10])
      expect(fromDeltas(got.positiveDeltas)).toEqual([1n, 2n, 3n])
    }
    expect(decoded(convert(encode(whole([Infinity], [4, 3])))).customValues).toEqual([])
  })

  test('without bucket counts has one bucket for all', () => {
    for (const bounds of [[], [1, 2]]) {
      const got = decoded(convert(encode({ bounds, counts: [], count: 7n })))
      expect(got.customValues).toEqual([])
      expect(bucketsOf(got.positiveSpans, got.positiveDeltas)).toEqual([[0, 7n]])
    }
    expect(convert(new Uint8Array(0))).toEqual(Uint8Array.of(8, 0, 32, 105))
  })

  test('without a recorded value is a stale marker and nothing else', () => {
    const rest = { flags: 1, time: 5_000_000n, start: 4_000_000n, sum: 8, count: 99n }
    const want = [...number(1, 0), ...double(3, bits(STALE)), ...number(4, 105), ...number(15, 5)]
    for (const point of [whole([1], [2, 3], rest), whole([2, 1], [1, 2, 3, 4, 5], rest)]) {
      expect(convert(encode(point))).toEqual(Uint8Array.from(want))
    }
  })

  const TOP = 2n ** 63n
  test.each<[string, Point, number | 'taken']>([
    ['a count too few', whole([1, 2, 3], [1, 2]), -REASON_BUCKETS],
    ['a count too many', whole([1], [1, 2, 3]), -REASON_BUCKETS],
    ['as many counts as bounds', whole([1, 2], [1, 2]), 'taken'],
    ['a bound that is NaN', whole([1, Number.NaN, 3], [1, 2, 3, 4]), -REASON_BOUNDS],
    ['the only bound NaN', whole([Number.NaN], [1, 2]), -REASON_BOUNDS],
    ['equal bounds', whole([1, 1], [1, 2, 3]), -REASON_BOUNDS],
    ['both zeroes as bounds', whole([-0, 0], [1, 2, 3]), -REASON_BOUNDS],
    ['bounds that fall', whole([1, 3, 2], [1, 2, 3, 4]), -REASON_BOUNDS],
    ['+Inf twice', whole([1, Infinity, Infinity], [1, 2, 3, 4]), -REASON_BOUNDS],
    ['+Inf in the middle', whole([1, Infinity, 2], [1, 2, 3, 4]), -REASON_BOUNDS],
    ['a count too high', whole([1], [1, 2], { count: 4n }), -REASON_HISTOGRAM],
    ['a count too low', whole([1], [1, 2], { count: 2n }), -REASON_HISTOGRAM],
    ['a count too high, sum NaN', whole([1], [1, 2], { count: 4n, sum: Number.NaN }), 'taken'],
    [
      'a count too low, sum NaN',
      whole([1], [1, 2], { count: 2n, sum: Number.NaN }),
      -REASON_HISTOGRAM,
    ],
    ['counts that wrap around', whole([1], [TOP, TOP], { count: 0n }), -REASON_HISTOGRAM],
    ['a bucket that is no signed number', whole([1], [TOP, 0]), -REASON_HISTOGRAM],
    [
      'no buckets and a count that is no signed number',
      whole([], [], { count: TOP }),
      -REASON_HISTOGRAM,
    ],
    ['the most that one holds', whole([1], [TOP - 1n, 0]), 'taken'],
    ['a lowest bound of -Inf', whole([-Infinity, 1], [1, 2, 3]), 'taken'],
  ])('with %s is taken or refused', (_, point, verdict) => {
    const want = expected(point, true)
    expect(typeof want === 'number' ? want : 'taken').toBe(verdict)
    expect(convert(encode(point))).toEqual(want)
  })

  test('of random numbers, its fields in any order and in pieces, is what a map of buckets gives', () => {
    const next = seeded(51)
    const seen = new Map<number, number>()
    for (let round = 0; round < 4000; round++) {
      const point = random(next)
      const keep = next(2) === 0
      const want = expected(point, keep)
      const kind = typeof want === 'number' ? want : 1
      seen.set(kind, (seen.get(kind) ?? 0) + 1)
      const got = convert(encode(point, next), keep)
      expect(got).toEqual(want)
      if (typeof got !== 'number') expect(histograms.check(got).result).toBe(2)
    }
    for (const kind of [1, -REASON_BUCKETS, -REASON_BOUNDS, -REASON_HISTOGRAM]) {
      expect(seen.get(kind)).toBeGreaterThan(50)
    }
  })

  test('is written exactly where it fits, and not a byte beyond', () => {
    const next = seeded(52)
    for (let round = 0; round < 100; round++) {
      const point = random(next)
      const want = expected(point, true)
      if (typeof want === 'number') continue
      const message = encode(point, next)
      for (let cap = 0; cap <= want.length + 1; cap++) {
        expect(convert(message, true, cap)).toEqual(cap < want.length ? 0 : want)
      }
    }
  })
})

describe('bytes that are no explicit histogram', () => {
  test.each<[string, Bytes]>([
    ['a tag without its field', [33]],
    ['half a double', [41, 0, 0, 0]],
    ['counts that end early', [50, 9, 0, 0]],
    ['counts of seven bytes', field(6, [1, 2, 3, 4, 5, 6, 7])],
    ['bounds of nine bytes', field(7, [1, 2, 3, 4, 5, 6, 7, 8, 9])],
    ['bounds that are varints', number(7, 3)],
  ])('are seen: %s', (_, message) => {
    expect(convert(Uint8Array.from(message))).toBe(E_PROTO)
  })

  test('do no harm, and what is taken of them is what is written there', () => {
    const next = seeded(53)
    let taken = 0
    for (let round = 0; round < 6000; round++) {
      const message = mutate(next, encode(random(next), next))
      const got = convert(message)
      if (typeof got === 'number') {
        expect([E_PROTO, -REASON_BUCKETS, -REASON_BOUNDS, -REASON_HISTOGRAM]).toContain(got)
        continue
      }
      const point = read(message)
      if (!point || point.flags! & 1) continue
      const want = expected(point, true)
      // Another NaN is another NaN only in its bits.
      if (Number.isNaN(point.sum)) expect(got.length).toBe((want as Uint8Array).length)
      else expect(got).toEqual(want)
      taken++
    }
    expect(taken).toBeGreaterThan(250)
  })
})

/** The point as protobuf-es reads it; undefined when it does not. */
function read(message: Uint8Array): Point | undefined {
  let point: HistogramDataPoint
  try {
    point = fromBinary(HistogramDataPointSchema, message)
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
    return undefined
  }
  return {
    start: point.startTimeUnixNano,
    time: point.timeUnixNano,
    count: point.count,
    counts: point.bucketCounts,
    bounds: point.explicitBounds,
    flags: point.flags,
    ...(point.sum === undefined ? {} : { sum: point.sum }),
  }
}

function random(next: (n: number) => number): Point {
  const bounds = Array.from({ length: next(12) }, (_, i) => i * 2 - 5 + next(2) / 2)
  if (next(6) === 0 && bounds.length) bounds[bounds.length - 1] = Infinity
  if (next(15) === 0 && bounds.length) bounds[next(bounds.length)] = [Number.NaN, 3][next(2)]!
  const length = next(8) ? bounds.length + 1 : [0, bounds.length, bounds.length + 2][next(3)]!
  const dense = 1 + next(5)
  const large = next(5) === 0
  const counts = Array.from({ length }, () =>
    next(dense) ? 0n : large ? BigInt(next(2 ** 31)) ** 2n : BigInt(next(300)),
  )
  return whole(bounds, counts, {
    start: BigInt(next(3)) * 1_699_999_999_999_999_999n,
    time: BigInt(next(2 ** 31)) * 1_000_000_007n,
    ...(next(4) ? { sum: next(6) ? next(1000) / 8 - 20 || 1 : Number.NaN } : {}),
    ...(next(12) ? {} : { count: total(counts) + BigInt(next(3)) }),
  })
}
