import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Histogram,
  HistogramSchema,
  SampleSchema,
} from '../../src/wire/gen/prometheus-write-v2_pb.js'
import { double, number } from '../batch/message.ts'
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
  NONE,
  random,
  type Side,
  verdict,
} from './native-model.ts'
import { bucketsOf, fromDeltas, type Span } from './native-spans.ts'
import { seeded } from './raw.ts'
import { bits, bitsOf, mutate, STALE } from './strange-order.ts'

// What is made of native histograms that can't go out as they came.

let histograms: Histograms
beforeAll(async () => {
  histograms = await compileHistograms()
}, 60_000)

describe('reducing to schema 8', () => {
  test.each<[string, number, [number, bigint][], [number, bigint][]]>([
    // i' = ceil(i / 2^(n-8))
    [
      'one step',
      9,
      [
        [-1, 1n],
        [0, 2n],
        [1, 3n],
        [2, 4n],
        [3, 5n],
      ],
      [
        [0, 3n],
        [1, 7n],
        [2, 5n],
      ],
    ],
    [
      'two steps',
      10,
      [
        [-4, 1n],
        [-3, 1n],
        [0, 1n],
        [1, 1n],
        [4, 1n],
        [5, 1n],
      ],
      [
        [-1, 1n],
        [0, 2n],
        [1, 2n],
        [2, 1n],
      ],
    ],
    [
      'all steps',
      52,
      [
        [INT_MIN + 1, 1n],
        [0, 2n],
        [1, 3n],
        [INT_MAX, 4n],
      ],
      [
        [0, 3n],
        [1, 7n],
      ],
    ],
    [
      'the ends of the range',
      9,
      [
        [INT_MIN + 1, 1n],
        [INT_MAX, 4n],
      ],
      [
        [-(2 ** 30) + 1, 1n],
        [2 ** 30, 4n],
      ],
    ],
  ])('by %s adds up the right buckets', (_, schema, from, to) => {
    const list: Span[] = []
    let behind = 0
    for (const [index] of from) {
      // Two steps where one is too far for 32 bits.
      let offset = index - behind
      if (offset > INT_MAX) {
        list.push({ offset: INT_MAX, length: 0 })
        offset -= INT_MAX
      }
      list.push({ offset, length: 1 })
      behind = index + 1
    }
    const side = {
      spans: list,
      deltas: from.map(([, n], i) => n - (from[i - 1]?.[1] ?? 0n)),
      counts: from.map(([, n]) => Number(n)),
    }
    const count = from.reduce((all, [, n]) => all + n, 0n)
    const whole = fromBinary(HistogramSchema, reduced({ schema, count, positive: side }))
    expect(bucketsOf(whole.positiveSpans, fromDeltas(whole.positiveDeltas))).toEqual(to)
    const parts = fromBinary(HistogramSchema, reduced({ schema, count: 1, negative: side }))
    expect(bucketsOf(parts.negativeSpans, parts.negativeCounts)).toEqual(
      to.map(([index, n]) => [index, Number(n)]),
    )
  })

  test('keeps all else, in order', () => {
    const native: Native = {
      schema: 12,
      count: 9n,
      sum: bitsOf(-1.25),
      threshold: 1e-9,
      zeroes: 9n,
      hint: 3,
      time: -1n,
      start: 5n,
    }
    const got = fromBinary(HistogramSchema, reduced(native, seeded(1)))
    const { schema, ...rest } = modelOf(got)
    expect(schema).toBe(8)
    expect({ ...rest, schema: 12 }).toMatchObject(native)
    const stale = reduced({ schema: 9, count: 0n, sum: STALE })
    expect(stale).toEqual(Uint8Array.from([8, 0, ...double(3, bits(STALE)), ...number(4, 16)]))
  })

  test('of random numbers gives what the rule gives, each bucket for itself', () => {
    const next = seeded(63)
    let done = 0
    for (let round = 0; round < 6000; round++) {
      const native = { ...random(next), schema: 9 + next(44) }
      if (verdict(native) !== 1 || native.sum === STALE || native.sum === NAN) continue
      done++
      expect(reduced(native, next)).toEqual(expected(native))
    }
    expect(done).toBeGreaterThan(1000)
  })

  test('is written exactly where it fits, and not a byte beyond', () => {
    const next = seeded(64)
    for (let round = 0; round < 400; round++) {
      const native = { ...random(next), schema: 9 + next(20) }
      if (verdict(native) !== 1) continue
      const message = encode(native, next)
      const { length } = reduced(native)
      for (const cap of [0, 1, 5, next(length), length - 1, length, length + 1]) {
        const { result } = histograms.write('reduceHistogram', message, cap, { flush: 'output' })
        expect(result).toBe(cap < length ? 0 : length)
      }
    }
  })

  function reduced(native: Native, next?: Next): Uint8Array {
    const message = encode(native, next)
    expect(histograms.check(message).result).toBe(1)
    const cap = 2 * message.length + 64
    const flush = message.length % 2 ? 'output' : 'message'
    const { result, written } = histograms.write('reduceHistogram', message, cap, { flush })
    expect(result).toBeGreaterThan(0)
    const out = written.slice(0, result)
    expect(histograms.check(out).result).toBe(0)
    return out
  }

  function expected(native: Native): Uint8Array {
    const { schema = 0, count, zeroes, positive = NONE, negative = NONE } = native
    const wide = 2 ** (schema - 8)
    const float = typeof count === 'number'
    /** Buckets that were there stay there, empty or not. */
    const merge = <T>(spans: readonly Span[], counts: readonly T[], add: (a: T, b: T) => T) => {
      const merged = new Map<number, T>()
      for (const [index, n] of bucketsOf(spans, counts)) {
        const at = Math.ceil(index / wide) + 0
        merged.set(at, merged.has(at) ? add(merged.get(at)!, n) : n)
      }
      const list: { offset: number; length: number }[] = []
      let behind = Number.NaN
      for (const at of merged.keys()) {
        if (at === behind) list.at(-1)!.length++
        else list.push({ offset: Number.isNaN(behind) ? at : at - behind, length: 1 })
        behind = at + 1
      }
      return { spans: list, counts: [...merged.values()] }
    }
    const ints = ({ spans, deltas = [] }: Side) => {
      const { spans: list, counts } = merge(spans, fromDeltas(deltas), (a, b) => a + b)
      return { spans: list, counts: [], deltas: counts.map((n, i) => n - (counts[i - 1] ?? 0n)) }
    }
    const floats = ({ spans, counts = [] }: Side) => ({
      ...merge(spans, counts, (a, b) => a + b),
      deltas: [],
    })
    const p = float ? floats(positive) : ints(positive)
    const n = float ? floats(negative) : ints(negative)
    const model = modelFields({ ...native, schema: 8, customs: [] })
    return toBinary(
      HistogramSchema,
      create(HistogramSchema, {
        ...model,
        // What is nothing, or of the other flavour, is left out.
        zeroCount: typeof zeroes === typeof count && zeroes ? model.zeroCount : { case: undefined },
        positiveSpans: p.spans,
        positiveDeltas: p.deltas,
        positiveCounts: p.counts,
        negativeSpans: n.spans,
        negativeDeltas: n.deltas,
        negativeCounts: n.counts,
      }),
    )
  }
})

describe('custom buckets as classic series', () => {
  function read(native: Native, next?: Next) {
    const message = encode(native, next)
    expect(histograms.check(message).result).toBe(2)
    const n = native.customs?.length ?? 0
    const cap = (n + 2) * 8
    const { result, written } = histograms.write('readCustom', message, cap, { flush: 'output' })
    expect(result).toBe(n)
    expect(histograms.write('readCustom', message, cap - 1).result).toBe(-1)
    expect(histograms.write('readCustom', message, 0).result).toBe(-1)
    return written.slice()
  }
  const numbers = (bytes: Uint8Array) => [...new Float64Array(bytes.buffer)]

  test.each<[string, Native, number[]]>([
    [
      'whole numbers',
      {
        count: 10n,
        sum: bitsOf(12.5),
        customs: [1, 2, 3, 4],
        positive: ints(
          [
            [1, 2],
            [1, 1],
          ],
          3,
          -2,
          5,
        ),
      },
      [10, 12.5, 0, 3, 4, 4],
    ],
    [
      'floats',
      { count: 3.5, customs: [1, 2], positive: floats([[0, 3]], 0.5, 1, 2) },
      [3.5, 0, 0.5, 1.5],
    ],
    ['no buckets', { count: 0n, customs: [1, 2] }, [0, 0, 0, 0]],
    ['no custom values', { count: 4n, customs: [], positive: ints([[0, 1]], 4) }, [4, 0]],
    [
      'counts over 2^53',
      { count: 2n ** 60n + 1n, customs: [1], positive: ints([[0, 1]], 2n ** 60n + 1n) },
      [2 ** 60, 0, 2 ** 60],
    ],
  ])('of %s are added up', (_, native, want) => {
    expect(numbers(read({ ...native, schema: -53 }))).toEqual(want)
  })

  test('are all stale markers, bit by bit, when the histogram is one', () => {
    const native = {
      schema: -53,
      count: 5n,
      sum: STALE,
      customs: [1, 2, 3],
      positive: ints([[0, 1]], 4),
    }
    expect([...new BigUint64Array(read(native).buffer)]).toEqual(new Array(5).fill(STALE))
  })

  test('keep the bits of a sum that is NaN', () => {
    const odd = 0x7ff8000000abcdefn
    const got = read({ schema: -53, count: 5n, sum: odd, customs: [1] })
    expect(new BigUint64Array(got.buffer)[1]).toBe(odd)
  })

  test('of random numbers, fields in any order and in pieces, are added up', () => {
    const next = seeded(65)
    let done = 0
    for (let round = 0; round < 6000; round++) {
      const native = random(next)
      if (verdict(native) !== 2 || native.sum === STALE) continue
      done++
      const { positive = NONE, customs = [], count = 0n } = native
      const whole = fromDeltas(positive.deltas ?? []).map(Number)
      const counts = typeof count === 'number' ? (positive.counts ?? []) : whole
      const buckets = bucketsOf(positive.spans, counts)
      const upTo = customs.map((_, i) =>
        buckets.reduce((all, [index, n]) => (index <= i ? all + n : all), 0),
      )
      const [gotCount, , ...got] = numbers(read(native, next))
      expect([gotCount, ...got]).toEqual([Number(count), ...upTo])
    }
    expect(done).toBeGreaterThan(300)
  })
})

describe('stripping start timestamps', () => {
  test('takes field 17 of a histogram away, wherever it stands, and nothing else', () => {
    const next = seeded(66)
    for (let round = 0; round < 1500; round++) {
      const native = random(next)
      const seed = next(2 ** 31)
      const message = encode(native, seeded(seed))
      const got = histograms.strip('stripStart', message)
      const want = fromBinary(HistogramSchema, message)
      want.startTimestamp = 0n
      expect(fromBinary(HistogramSchema, got)).toEqual(want)
      expect(histograms.check(got)).toEqual({ ...histograms.check(message), start: 0n })
      if (!native.start) expect(Buffer.compare(got, message)).toBe(0)
    }
  })

  test('takes it away as often as it stands there', () => {
    const message = [...number(17, 5), ...number(15, 7), ...number(17, 300, 3), ...number(17, 1)]
    const got = histograms.strip('stripStart', Uint8Array.from(message))
    expect([...got]).toEqual(number(15, 7))
    expect(histograms.strip('stripStart', Uint8Array.from(number(17, 5)))).toEqual(
      new Uint8Array(0),
    )
  })

  test('takes field 3 of a sample away, and leaves its value bit by bit', () => {
    for (const fields of [
      [double(1, bits(STALE)), number(2, 1_700_000_000_000), number(3, 1_600_000_000_000)],
      [number(3, 5), double(1, 1.5), number(3, 6), number(2, 9)],
      [number(2, 9), number(3, 6)],
      [double(1, 1.5), number(2, 9)],
      [],
    ]) {
      const got = histograms.strip('stripSampleStart', Uint8Array.from(fields.flat()))
      expect([...got]).toEqual(fields.filter(([tag]) => tag !== 24).flat())
      expect(fromBinary(SampleSchema, got).startTimestamp).toBe(0n)
    }
  })

  test('of mutated bytes does no harm', () => {
    const next = seeded(67)
    for (let round = 0; round < 3000; round++) {
      const message = mutate(next, encode(random(next), next))
      const got = histograms.strip(next(2) ? 'stripStart' : 'stripSampleStart', message)
      expect(got.length).toBeLessThanOrEqual(message.length)
    }
  })
})

function modelFields(native: Native): Partial<Omit<Histogram, '$typeName' | '$unknown'>> {
  const { count, zeroes, sum = 0n } = native
  return {
    ...(count === undefined
      ? {}
      : {
          count:
            typeof count === 'bigint'
              ? { case: 'countInt', value: count }
              : { case: 'countFloat', value: count },
        }),
    sum: new Float64Array(BigUint64Array.of(sum).buffer)[0]!,
    schema: native.schema ?? 0,
    zeroThreshold: native.threshold ?? 0,
    zeroCount:
      typeof zeroes === 'bigint'
        ? { case: 'zeroCountInt', value: zeroes }
        : { case: 'zeroCountFloat', value: zeroes ?? 0 },
    resetHint: native.hint ?? 0,
    timestamp: native.time ?? 0n,
    startTimestamp: native.start ?? 0n,
  }
}
