import { fromBinary } from '@bufbuild/protobuf'
import { beforeAll, describe, expect, test } from 'vitest'
import { HistogramSchema } from '../../src/wire/gen/prometheus-write-v2_pb.js'
import { E_PROTO, REASON_SCHEMA } from '../../src/wire/layout.ts'
import { type Bytes, double, field, number, varint } from '../batch/message.ts'
import { compileHistograms, type Histograms } from './histograms.ts'
import {
  encode,
  floats,
  INT_MAX,
  INT_MIN,
  ints,
  modelOf,
  NAN,
  type Native,
  type Next,
  REFUSED,
  random,
  TOP,
  verdict,
} from './native-model.ts'
import { seeded } from './raw.ts'
import { mutate, STALE } from './strange-order.ts'

let histograms: Histograms
beforeAll(async () => {
  histograms = await compileHistograms()
}, 60_000)

const check = (native: Native, next?: Next) => histograms.check(encode(native, next)).result

describe('a native histogram', () => {
  test.each<[string, Native, number]>([
    ['nothing', {}, 0],
    ['buckets', { count: 6n, positive: ints([[0, 3]], 1, 1, 1) }, 0],
    ['a count too high', { count: 7n, positive: ints([[0, 3]], 1, 1, 1) }, REFUSED],
    ['a count too low', { count: 5n, positive: ints([[0, 3]], 1, 1, 1) }, REFUSED],
    ['a count too high, sum NaN', { count: 7n, sum: NAN, positive: ints([[0, 1]], 6) }, 0],
    ['a count too low, sum NaN', { count: 5n, sum: NAN, positive: ints([[0, 1]], 6) }, REFUSED],
    ['any count, sum stale', { count: STALE, sum: STALE, positive: ints([[0, 1]], 6) }, 0],
    ['too low a count, sum stale', { count: 1n, sum: STALE, positive: ints([[0, 1]], 6) }, 0],
    ['no bucket for a span, sum stale', { sum: STALE, positive: ints([[0, 1]]) }, REFUSED],
    [
      'all that there is',
      { count: 12n, zeroes: 3n, negative: ints([[-9, 1]], 4), positive: ints([[0, 1]], 5) },
      0,
    ],
    ['a bucket below zero', { count: 0n, positive: ints([[0, 2]], 1, -2) }, REFUSED],
    ['a bucket less than the span', { count: 1n, positive: ints([[0, 2]], 1) }, REFUSED],
    ['a bucket more than the span', { count: 2n, positive: ints([[0, 1]], 1, 0) }, REFUSED],
    ['buckets of the other flavour only', { count: 1n, positive: floats([[0, 1]], 1) }, REFUSED],
    ['a zero count of the other flavour', { count: 3n, zeroes: 3 }, REFUSED],
    ['a zero count of the other flavour, which is none', { count: 0n, zeroes: 3 }, 0],
    [
      'a span backwards',
      {
        count: 2n,
        positive: ints(
          [
            [5, 1],
            [-1, 1],
          ],
          1,
          0,
        ),
      },
      REFUSED,
    ],
    [
      'a span at once',
      {
        count: 2n,
        positive: ints(
          [
            [5, 1],
            [0, 1],
          ],
          1,
          0,
        ),
      },
      0,
    ],
    [
      'empty spans',
      {
        count: 1n,
        negative: ints(
          [
            [-5, 0],
            [2, 0],
            [3, 1],
            [7, 0],
          ],
          1,
        ),
      },
      0,
    ],
    ['the lowest index', { count: 1n, negative: ints([[INT_MIN + 1, 1]], 1) }, 0],
    ['an index below the lowest', { count: 1n, negative: ints([[INT_MIN, 1]], 1) }, REFUSED],
    ['the highest index', { count: 1n, positive: ints([[INT_MAX, 1]], 1) }, 0],
    ['one above the highest', { count: 2n, positive: ints([[INT_MAX, 2]], 1, 0) }, REFUSED],
    [
      'spans that end above it',
      {
        positive: ints([
          [INT_MAX, 0],
          [2, 0],
        ]),
      },
      REFUSED,
    ],
    ['a huge span', { count: 1n, positive: ints([[0, 2 ** 32 - 1]], 1) }, REFUSED],
    [
      'spans whose lengths wrap around to the right number',
      {
        count: 1n,
        positive: ints(
          [
            [INT_MIN + 1, 2 ** 31],
            [0, 2 ** 31],
            [0, 1],
          ],
          1,
        ),
      },
      REFUSED,
    ],
    [
      'counts that wrap around',
      { count: 0n, positive: ints([[0, 4]], TOP / 2n, 0, 0, 0) },
      REFUSED,
    ],
    [
      'both signs wrapping around',
      {
        count: 0n,
        positive: ints([[0, 1]], TOP - 1n),
        negative: ints([[0, 2]], TOP - 1n, 3n - TOP),
      },
      REFUSED,
    ],
    [
      'a zero count that wraps around',
      { count: 1n, zeroes: 2n ** 64n - 1n, positive: ints([[0, 1]], 2) },
      REFUSED,
    ],
    ['a delta that wraps around', { positive: ints([[0, 3]], TOP - 1n, TOP - 1n, 2) }, REFUSED],
    ['the most that one holds', { count: 2n ** 64n - 1n, zeroes: 2n ** 64n - 1n }, 0],
    ['custom values on a standard schema', { customs: [1] }, REFUSED],
    ['schema -4', { schema: -4 }, 0],
    ['schema 8', { schema: 8 }, 0],
    ['schema 9', { schema: 9 }, 1],
    ['schema 52', { schema: 52, count: 1n, positive: ints([[3, 1]], 1) }, 1],
    [
      'schema 52 and a wrong count',
      { schema: 52, count: 2n, positive: ints([[3, 1]], 1) },
      REFUSED,
    ],
    [
      'schema 9 and buckets too large to be added',
      { schema: 9, count: TOP, positive: ints([[3, 2]], TOP / 2n, 0) },
      REFUSED,
    ],
    ['schema 53', { schema: 53 }, -REASON_SCHEMA],
    ['schema 99', { schema: 99, count: 5n }, -REASON_SCHEMA],
    ['schema -5', { schema: -5 }, -REASON_SCHEMA],
    ['schema -9', { schema: -9 }, -REASON_SCHEMA],
    ['schema -54', { schema: -54 }, -REASON_SCHEMA],
    ['the lowest schema there is', { schema: INT_MIN }, -REASON_SCHEMA],
    ['the highest schema there is', { schema: INT_MAX }, -REASON_SCHEMA],
  ])('with %s is taken or refused', (_, native, want) => {
    expect(verdict(native)).toBe(want)
    expect(check(native)).toBe(want)
  })

  test.each<[string, Native, number]>([
    ['nothing', { count: 0 }, 0],
    ['buckets, whatever their sum', { count: 9, positive: floats([[0, 2]], 1.5, 2.5) }, 0],
    ['a bucket below zero', { count: 1, positive: floats([[0, 2]], 1, -0.5) }, REFUSED],
    ['a negative bucket below zero', { count: 1, negative: floats([[0, 1]], -1) }, REFUSED],
    ['a bucket that is negative zero', { count: 1, positive: floats([[0, 2]], 1, -0) }, 0],
    [
      'a bucket that is NaN, as from a division by zero',
      { count: Number.NaN, positive: floats([[0, 1]], Number.NaN) },
      0,
    ],
    ['a count below zero', { count: -1 }, REFUSED],
    ['a zero count below zero', { count: 1, zeroes: -1 }, REFUSED],
    ['a zero count of the other flavour', { count: 1, zeroes: 5n }, 0],
    ['a bucket less than the span', { count: 1, positive: floats([[0, 2]], 1) }, REFUSED],
    ['buckets of the other flavour only', { count: 1, positive: ints([[0, 1]], 1) }, REFUSED],
    ['schema 20', { count: 1, schema: 20, positive: floats([[0, 1]], 1) }, 1],
    ['custom buckets', { count: 1, schema: -53, customs: [1], positive: floats([[1, 1]], 1) }, 2],
    [
      'custom buckets and a zero count of NaN',
      { count: 1, schema: -53, zeroes: Number.NaN },
      REFUSED,
    ],
  ])('of floats with %s is taken or refused', (_, native, want) => {
    expect(verdict(native)).toBe(want)
    expect(check(native)).toBe(want)
  })

  const custom = (customs: number[], more: Native = {}): Native => ({
    schema: -53,
    customs,
    ...more,
  })
  test.each<[string, Native, number]>([
    ['nothing', custom([]), 2],
    ['values', custom([-1, 0, 2.5]), 2],
    ['all buckets', custom([1, 2], { count: 3n, positive: ints([[0, 3]], 1, 0, 0) }), 2],
    ['a bucket behind +Inf', custom([1, 2], { count: 1n, positive: ints([[3, 1]], 1) }), REFUSED],
    ['a bucket below 0', custom([1, 2], { count: 1n, positive: ints([[-1, 1]], 1) }), REFUSED],
    [
      'an empty span that reaches too far',
      custom([1], {
        positive: ints([
          [0, 0],
          [3, 0],
        ]),
      }),
      REFUSED,
    ],
    ['values that are equal', custom([1, 1]), REFUSED],
    ['both zeroes as values', custom([-0, 0]), REFUSED],
    ['values that fall', custom([1, 3, 2]), REFUSED],
    ['NaN among the values', custom([1, Number.NaN, 2]), REFUSED],
    ['NaN as the only value', custom([Number.NaN]), REFUSED],
    ['+Inf as the last value', custom([1, Infinity]), REFUSED],
    ['+Inf in the middle', custom([1, Infinity, 2]), REFUSED],
    ['-Inf as the first value', custom([-Infinity, 2]), 2],
    ['a zero count', custom([1], { count: 1n, zeroes: 1n }), REFUSED],
    ['a zero threshold', custom([1], { threshold: 0.1 }), REFUSED],
    ['a zero threshold of NaN', custom([1], { threshold: Number.NaN }), REFUSED],
    ['a negative bucket', custom([1], { count: 1n, negative: ints([[0, 1]], 1) }), REFUSED],
    ['an empty negative span', custom([1], { negative: ints([[0, 0]]) }), REFUSED],
    ['a wrong count', custom([1], { count: 2n, positive: ints([[0, 1]], 1) }), REFUSED],
  ])('of custom buckets with %s is taken or refused', (_, native, want) => {
    expect(verdict(native)).toBe(want)
    expect(check(native)).toBe(want)
  })

  test('tells its times, and whether it is stale by the very bits', () => {
    const times = { time: -5n, start: 1_700_000_000_123n }
    const got = histograms.check(encode({ ...times, sum: STALE }))
    expect(got).toEqual({ result: 0, time: -5n, start: 1_700_000_000_123n, stale: true })
    expect(histograms.check(encode({ sum: STALE + 1n })).stale).toBe(false)
    expect(histograms.check(encode({ sum: NAN })).stale).toBe(false)
    expect(histograms.check(new Uint8Array(0))).toEqual({
      result: 0,
      time: 0n,
      start: 0n,
      stale: false,
    })
  })

  test('of random numbers, its fields in any order and in pieces, is judged as the rules say', () => {
    const next = seeded(61)
    const seen = new Map<number, number>()
    for (let round = 0; round < 6000; round++) {
      const native = random(next)
      const want = verdict(native)
      seen.set(want, (seen.get(want) ?? 0) + 1)
      const got = histograms.check(encode(native, next))
      expect(got).toEqual({
        result: want,
        time: native.time ?? 0n,
        start: native.start ?? 0n,
        stale: native.sum === STALE,
      })
    }
    for (const kind of [0, 1, 2, REFUSED, -REASON_SCHEMA]) {
      expect(seen.get(kind)).toBeGreaterThan(100)
    }
  })

  test.each<[string, Bytes]>([
    ['a tag without its field', [8]],
    ['half a double', [25, 0, 0, 0]],
    ['a count of text', field(1, [65])],
    ['a sum that is a varint', number(3, 1)],
    ['a schema that is a double', double(4, 1)],
    ['a time that is a double', double(15, 1)],
    ['a start that is a double', double(17, 1)],
    ['a start that is packed', field(17, [1])],
    ['spans that are numbers', number(8, 1)],
    ['a span with an offset of text', field(8, field(1, [1]))],
    ['a span that ends early', field(11, [8])],
    ['deltas that are doubles', double(9, 1)],
    ['deltas without an end', field(12, [1, 0x80])],
    ['a delta of eleven bytes', field(12, [...new Array(10).fill(0x80), 1])],
    ['counts of seven bytes', field(13, [1, 2, 3, 4, 5, 6, 7])],
    ['custom values of nine bytes', field(16, [1, 2, 3, 4, 5, 6, 7, 8, 9])],
    ['a group that is not ended', [...varint((20 << 3) | 3), 8, 1]],
    ['the field 0', [0, 1]],
  ])('is malformed with %s', (_, message) => {
    expect(histograms.check(Uint8Array.from(message)).result).toBe(E_PROTO)
  })

  test('of mutated bytes does no harm, and is judged as it is read', () => {
    const next = seeded(62)
    let taken = 0
    for (let round = 0; round < 8000; round++) {
      const message = mutate(next, encode({ ...random(next), sum: NAN }, next))
      const got = histograms.check(message)
      // What is not known to be valid may be handed over all the same.
      histograms.write('reduceHistogram', message, next(200))
      histograms.write('readCustom', message, next(200), { flush: 'output' })
      if (got.result === E_PROTO) continue
      taken++
      const native = modelOf(fromBinary(HistogramSchema, message))
      expect(got.result).toBe(verdict(native))
      expect([got.time, got.start]).toEqual([native.time, native.start])
    }
    expect(taken).toBeGreaterThan(1000)
  })
})
