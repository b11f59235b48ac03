import { describe, expect, test } from 'vitest'
import { type Bytes, field } from './message.ts'
import { one, run, time } from './otlp-lines.ts'
import {
  attributes,
  bytesOf,
  counter,
  doubleOf,
  gauge,
  histogram,
  intOf,
  listOf,
  mapOf,
  type NumberPoint,
  nanos,
  point,
  requestOf,
  stringOf,
  T,
} from './otlp-request.ts'

describe('exemplars', () => {
  const traceId = Uint8Array.from({ length: 16 }, (_, i) => i)
  const spanId = new Uint8Array(8).fill(0xab)
  const ids = 'trace_id="000102030405060708090a0b0c0d0e0f",span_id="abababababababab"'
  const exemplarOf = (...exemplars: NonNullable<NumberPoint['exemplars']>) =>
    run(requestOf(counter('c', point(1, { exemplars })))).lines.map((line) =>
      line.replace('c_total ', ''),
    )
  const filtered = (pairs: Parameters<typeof attributes>[0]) => ({
    timeUnixNano: nanos(T),
    value: { case: 'asDouble' as const, value: 1 },
    filteredAttributes: attributes(pairs),
  })

  test.each([
    ['text', stringOf('ü'), 'k="ü"'],
    ['a negative integer', intOf(-(2n ** 63n)), 'k="-9223372036854775808"'],
    ['a double', doubleOf(-0), 'k="-0"'],
    ['bytes', bytesOf(1, 2, 3), 'k="AQID"'],
    ['a list', listOf(intOf(1n), stringOf('a'), {}), 'k="[1,\\"a\\",null]"'],
    ['a map', mapOf({ key: 'b', value: intOf(2n) }, { key: 'a' }), 'k="{\\"a\\":null,\\"b\\":2}"'],
    ['nothing', {}, ''],
  ])('have attributes that are %s', (_, value, want) => {
    expect(exemplarOf(filtered({ k: value }))).toEqual(['1', `x ${want}`])
  })

  test('have their ids, also before attributes that they have no room for', () => {
    expect(exemplarOf({ ...filtered({ k: 'v' }), traceId, spanId })).toEqual([
      '1',
      `x ${ids},k="v"`,
    ])
    expect(exemplarOf({ ...filtered({ k: 'v'.repeat(65) }), traceId, spanId })).toEqual([
      '1',
      `x ${ids}`,
    ])
  })

  test.each([
    ['text', stringOf('v'), 'e="v"'],
    ['bytes', bytesOf(0), 'e="AA=="'],
  ])('keep their ids from attributes of that name, beside %s', (_, value, more) => {
    const one = filtered({ trace_id: 'mine', e: value })
    expect(exemplarOf({ ...one, traceId })).toEqual([
      '1',
      `x trace_id="000102030405060708090a0b0c0d0e0f",${more}`,
    ])
    expect(exemplarOf(one)).toEqual(['1', `x trace_id="mine",${more}`])
  })

  test.each([
    ['a', 127],
    ['é', 127],
    ['𝄞', 127],
  ])('have 128 code points of %s at the most, not bytes', (letter, n) => {
    const fits = exemplarOf(filtered({ k: letter.repeat(n) }))
    expect(fits).toEqual(['1', `x k="${letter.repeat(n)}"`])
    expect(exemplarOf(filtered({ k: letter.repeat(n + 1) }))).toEqual(['1', 'x '])
    // The host counts those that the kernel can't write.
    const list = (n: number) => filtered({ k: listOf(stringOf(letter.repeat(n))) })
    expect(exemplarOf(list(123))[1]).toContain(letter)
    expect(exemplarOf(list(124))).toEqual(['1', 'x '])
  })

  test('of the future, or without a time, never cost the point', () => {
    const future = { ...filtered({}), timeUnixNano: 2n ** 64n - 1n }
    expect(exemplarOf(future)).toEqual(['1'])
    expect(exemplarOf({ ...filtered({}), timeUnixNano: 0n })).toEqual(['1', 'x '])
    const { batch } = run(requestOf(counter('c', point(1, { exemplars: [future] }))))
    expect(batch.rejected).toMatchObject([{ code: 'future', counts: { exemplars: 1 } }])
  })

  test('of text that is not UTF-8 keep their ids', () => {
    const bad = field(7, [...field(1, [0x61]), ...field(2, field(1, [0xff]))])
    const exotic = field(7, [...field(1, [0x62]), ...field(2, field(7, [1]))])
    for (const more of [bad, [...bad, ...exotic]]) {
      const zero = [0x19, ...new Uint8Array(8)]
      const exemplar = field(5, [...zero, ...field(4, [...spanId]), ...more])
      const sum = field(7, [16, 2, ...field(1, [...time, ...one, ...exemplar])])
      const body = field(1, field(2, field(2, [...field(1, [0x63]), ...sum])))
      expect(run(Uint8Array.from(body)).lines).toEqual(['c 1', 'c x span_id="abababababababab"'])
    }
  })

  test('that are not sorted find their buckets', () => {
    const at = (value: number) => ({
      timeUnixNano: nanos(T),
      value: { case: 'asDouble' as const, value },
    })
    const exemplars = [at(9), at(1), at(2.5), at(0), at(Number.NaN)]
    const one = { explicitBounds: [1, 3], bucketCounts: [2n, 1n, 2n], count: 5n, exemplars }
    expect(run(requestOf(histogram('h', one))).lines.filter((line) => line.includes(' x'))).toEqual(
      [
        'h_bucket,le=+Inf x ',
        'h_bucket,le=+Inf x ',
        'h_bucket,le=1 x ',
        'h_bucket,le=1 x ',
        'h_bucket,le=3 x ',
      ],
    )
  })

  test('without a value are left out and counted, and cost nothing else', () => {
    const { value: _, ...none } = { ...filtered({ k: listOf(stringOf('a')) }), traceId }
    const zero = {
      ...filtered({ k: listOf(stringOf('b')) }),
      value: { case: 'asInt' as const, value: 0n },
    }
    const exemplars = [none, zero, none]
    const { lines, rejected, batch } = run(
      requestOf(
        counter('c', point(1, { exemplars })),
        histogram('h', { count: 1n, bucketCounts: [1n], exemplars }),
      ),
    )
    expect(lines).toEqual([
      'c_total 1',
      'c_total x k="[\\"b\\"]"',
      'h_bucket,le=+Inf 1',
      'h_bucket,le=+Inf x k="[\\"b\\"]"',
      'h_count 1',
    ])
    expect(rejected).toEqual([])
    expect(batch.rejected).toMatchObject([
      { code: 'no_value', counts: { samples: 0, exemplars: 4 } },
    ])
    expect(batch.received.exemplars).toBe(6)
  })

  test('of gauges are left out', () => {
    const exemplars = [filtered({ k: 'v' })]
    expect(run(requestOf(gauge('g', point(1, { exemplars })))).lines).toEqual(['g 1'])
  })

  test('and attributes that are scattered do not spoil a point that is rejected late', () => {
    // Both are gathered in one place; the point's own are known by then.
    const attribute = field(1, [...field(1, [0x61]), ...field(2, field(1, [0x62]))])
    const exotic = field(7, [...field(1, [0x62]), ...field(2, field(7, [1, 2, 3]))])
    const exemplar = field(11, exotic)
    const scale = [0x30, 9] // -5
    const bad = field(1, [...attribute, ...time, ...attribute, ...scale, ...exemplar])
    const metric = (name: number, points: Bytes) =>
      field(2, [...field(1, [name]), ...field(10, [16, 2, ...points])])
    const body = field(1, field(2, metric(0x78, bad)))
    expect(run(Uint8Array.from(body)).rejected).toEqual(['scale 1'])
  })
})
