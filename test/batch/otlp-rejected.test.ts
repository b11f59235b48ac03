import { describe, expect, test } from 'vitest'
import { NOW } from './harness.ts'
import { field } from './message.ts'
import { beside, delta, long, NEIGHBOURS, okPoint, one, rawGauge, run, time } from './otlp-lines.ts'
import {
  type AnyMetric,
  attributes,
  bytesOfRequest,
  exponential,
  gauge,
  histogram,
  nanos,
  point,
  requestOf,
  summary,
  T,
} from './otlp-request.ts'

describe('points that are rejected', () => {
  test.each<[string, string, string, number, ...AnyMetric[]]>([
    ['of delta temporality', 'delta_temporality 2', 'cumulative', 2, delta(1, point(1), point(2))],
    ['of no temporality', 'no_temporality 1', 'requests', 1, delta(0, point(1))],
    ['of a temporality that does not exist', 'no_temporality 1', 'requests', 1, delta(7, point(1))],
    ['without a time', 'no_time 1', 'bad', 1, gauge('bad', point(1, { timeUnixNano: 0n }))],
    [
      'too far ahead',
      'future 1',
      'limits.future',
      1,
      gauge('bad', point(1, { timeUnixNano: nanos(NOW + 3_600_000) })),
    ],
    [
      'in milliseconds times a million too much',
      'future 1',
      'bad',
      1,
      gauge('bad', point(1, { timeUnixNano: 2n ** 64n - 1n })),
    ],
    [
      'without a value',
      'no_value 1',
      'bad',
      1,
      gauge('bad', { timeUnixNano: nanos(T), value: { case: undefined } }),
    ],
    [
      'of a histogram whose counts are two more than its bounds',
      'bucket_counts 1',
      'bad',
      1,
      histogram('bad', { explicitBounds: [1, 2], bucketCounts: [1n, 1n, 1n, 1n], count: 4n }),
    ],
    [
      'of a histogram whose counts are too few',
      'bucket_counts 1',
      'bad',
      1,
      histogram('bad', { explicitBounds: [1, 2, 3], bucketCounts: [1n, 1n], count: 2n }),
    ],
    ...[[2, 1], [1, 1], [Number.NaN], [1, Number.NaN], [Infinity, Infinity]].map(
      (explicitBounds): [string, string, string, number, AnyMetric] => [
        `of a histogram with the bounds ${explicitBounds}`,
        'bounds 1',
        'bad',
        1,
        histogram('bad', { explicitBounds, count: 2n }),
      ],
    ),
    [
      'of a summary with a quantile twice',
      'bounds 1',
      'bad',
      1,
      summary('bad', { quantileValues: [{ quantile: 0.5 }, { quantile: 0.5 }] }),
    ],
    [
      'of an exponential histogram of scale -5',
      'scale 1',
      'bad',
      1,
      exponential('bad', { scale: -5 }),
    ],
    ['of a metric without a name', 'metric_name 2', '""', 2, gauge('', point(1), point(2))],
    ['of a metric that can have no name', 'metric_name 1', '!!', 1, gauge('!!', point(1))],
    [
      'with an attribute without a key',
      'attribute_name 1',
      'bad',
      1,
      gauge('bad', point(1, { attributes: attributes({ '': 'x' }) })),
    ],
    [
      'with an attribute of underscores alone',
      'attribute_name 1',
      'bad',
      1,
      gauge('bad', point(1, { attributes: attributes({ __: 'x' }) })),
    ],
    [
      'with a value over its limit',
      'label_value_too_long 1',
      'limits.label_value',
      1,
      gauge('bad', point(1, { attributes: long('a', 70_000) })),
    ],
    [
      'with more attributes than a series may have labels',
      'too_many_labels 1',
      'limits.labels',
      1,
      gauge(
        'bad',
        point(1, {
          attributes: Array.from({ length: 127 }, (_, i) => attributes({ [`k${i}`]: 'v' })).flat(),
        }),
      ),
    ],
    [
      'with 300 attributes',
      'too_many_labels 1',
      'limits.labels',
      1,
      gauge(
        'bad',
        point(1, {
          attributes: Array.from({ length: 300 }, (_, i) => attributes({ [`k${i}`]: 'v' })).flat(),
        }),
      ),
    ],
    [
      'with 5,000 buckets',
      'too_many_buckets 1',
      'bad',
      1,
      histogram('bad', { explicitBounds: Array.from({ length: 5000 }, (_, i) => i) }),
    ],
  ])('%s are counted, their neighbours are written', (_, code, word, count, ...metrics) => {
    const { lines, rejected, refusals, points } = run(beside(...metrics))
    expect(rejected).toEqual([code])
    expect(refusals).toHaveLength(1)
    expect(refusals[0]).toContain(word)
    expect(points.received).toBe(count + 2)
    expect(lines).toEqual(NEIGHBOURS)
  })

  test.each([
    ['a key', field(7, [...field(1, [0xff]), ...field(2, field(1, [0x61]))])],
    ['a value', field(7, [...field(1, [0x61]), ...field(2, field(1, [0xc3, 0x28]))])],
    [
      'a value inside of a list',
      field(7, [
        ...field(1, [0x61]),
        ...field(2, field(5, field(1, field(1, [0xed, 0xa0, 0x80])))),
      ]),
    ],
  ])('with %s that is not UTF-8 are counted, their neighbours are written', (_, bad) => {
    const { lines, rejected } = run(rawGauge(field(1, [...time, ...one, ...bad]), okPoint))
    expect(rejected).toEqual(['invalid_utf8 1'])
    expect(lines).toEqual(['g 1', 'k 1'])
  })

  test('of delta temporality can be left out in silence', () => {
    const { lines, rejected, refusals, points } = run(beside(delta(1, point(1), point(2))), {
      otlp: 'delta: drop',
    })
    expect(lines).toEqual(NEIGHBOURS)
    expect([rejected, refusals, points.dropped]).toEqual([[], [], 2])
  })

  test('of no temporality are rejected also when delta ones are dropped', () => {
    expect(run(beside(delta(0, point(1))), { otlp: 'delta: drop' }).rejected).toEqual([
      'no_temporality 1',
    ])
  })

  test('are described once a metric, the first few of them', () => {
    const bad = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) =>
      gauge(name, point(1, { timeUnixNano: 0n }), point(2, { timeUnixNano: 0n })),
    )
    const { refusals, rejected } = run(requestOf(...bad))
    expect(rejected).toEqual(['no_time 12'])
    expect(refusals.map((text) => text.slice(0, 10))).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => `metric "${name}"`),
    )
  })

  test('of a resource or a scope that is too long leave others alone', () => {
    const of = (key: string, n: number, name: string) => ({
      resource: { attributes: long(key, n) },
      scopeMetrics: [{ metrics: [gauge(name, point(1))] }],
    })
    const scope = {
      scopeMetrics: [
        {
          scope: { name: 's', attributes: long('a', 140_000) },
          metrics: [gauge('scoped', point(1))],
        },
      ],
    }
    const request = bytesOfRequest({
      resourceMetrics: [of('a', 10, 'x'), of('a', 2_000_000, 'y'), scope, of('b', 10, 'z')],
    })
    const { lines, rejected } = run(request, { otlp: 'promote_scope_metadata: true' })
    expect(lines).toEqual(['x 1', 'z 1'])
    expect(rejected).toEqual(['too_many_labels 2'])
  })
})
