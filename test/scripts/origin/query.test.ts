import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { histogramJson } from '../../../scripts/origin/histogram-json.ts'
import { queryAnswer } from '../../../scripts/origin/query.ts'
import { parseSelector } from '../../../scripts/origin/selector.ts'
import { createSeriesStore } from '../../../scripts/origin/series-store.ts'
import { HistogramSchema } from '../../../src/wire/gen/prometheus-write-v2_pb.js'

const store = createSeriesStore()
const put = (labels: string, ...points: [value: number, time: number][]) => {
  const series = store.open(labels.split(' '))
  for (const [value, time] of points) store.sample(series, time, value)
  return series
}
const histogram = (more: MessageInitShape<typeof HistogramSchema>) =>
  toBinary(
    HistogramSchema,
    create(HistogramSchema, { count: { case: 'countInt', value: 0n }, ...more }),
  )

put('__name__ up job a', [1, 1000], [2, 2000], [2, 2000], [3, 1500])
put('__name__ up job b', [Number.NaN, 2000], [Number.POSITIVE_INFINITY, 2001], [-0, 2500])
store.stale(put('__name__ down x y', [1, 1000]), 2000)
store.histogram(store.open(['__name__', 'lat']), 1000, histogram({ sum: 2 }))
put('__name__ lat', [1, 3000])

function ask(query: string, time: number): unknown {
  const answer = JSON.parse([...queryAnswer(store, parseSelector(query), time)].join(''))
  expect(answer.status).toBe('success')
  return answer.data
}

describe('a query', () => {
  test('with a range has all points in the order they came in, what came twice twice', () => {
    expect(ask('up{job="a"}[10s]', 5000)).toEqual({
      resultType: 'matrix',
      result: [
        {
          metric: { __name__: 'up', job: 'a' },
          values: [
            [1, '1'],
            [2, '2'],
            [2, '2'],
            [1.5, '3'],
          ],
        },
      ],
    })
  })

  test('without has the latest point of each series, the last of those at one time', () => {
    expect(ask('up', 2000)).toEqual({
      resultType: 'vector',
      result: [
        { metric: { __name__: 'up', job: 'a' }, value: [2, '2'] },
        { metric: { __name__: 'up', job: 'b' }, value: [2, 'NaN'] },
      ],
    })
  })

  test.each<[string, number, string[]]>([
    ['up{job=~"a|c"}[10s]', 5000, ['a']],
    ['up{job!~"a|c"}[10s]', 5000, ['b']],
    ['{job!=""}[10s]', 5000, ['a', 'b']],
    ['{__name__=~"u.*",job!="a"}[10s]', 5000, ['b']],
    ['{job=""}[10s]', 5000, ['y', undefined as unknown as string]],
    ['up[1s]', 2000, ['a', 'b']],
    ['up[1s]', 1000, ['a']],
    ['up[1s]', 4000, []],
    ['up', 999, []],
  ])('%s at %i finds %j', (query, time, found) => {
    const { result } = ask(query, time) as { result: { metric: Record<string, string> }[] }
    expect(result.map(({ metric }) => metric.job ?? metric.x)).toEqual(found)
  })

  test('begins after the start of its range and ends with its end', () => {
    expect(ask('up{job="a"}[1s]', 2000)).toMatchObject({
      result: [
        {
          values: [
            [2, '2'],
            [2, '2'],
            [1.5, '3'],
          ],
        },
      ],
    })
  })

  test('has values as Prometheus writes them, and says where a series ends', () => {
    expect(ask('up{job="b"}[10s]', 5000)).toMatchObject({
      result: [
        {
          values: [
            [2, 'NaN'],
            [2.001, '+Inf'],
            [2.5, '-0'],
          ],
        },
      ],
    })
    expect(ask('down', 5000)).toMatchObject({ result: [{ value: [2, 'stale'] }] })
  })

  test('has histograms beside samples', () => {
    expect(ask('lat[10s]', 5000)).toMatchObject({
      result: [{ values: [[3, '1']], histograms: [[1, { count: '0', sum: '2' }]] }],
    })
    expect(ask('lat', 1000)).toMatchObject({
      result: [{ histogram: [1, { count: '0', sum: '2' }] }],
    })
  })
})

test.each<[string, MessageInitShape<typeof HistogramSchema>, unknown]>([
  ['nothing', {}, { count: '0', sum: '0' }],
  [
    'both sides and zero',
    {
      count: { case: 'countInt', value: 10n },
      zeroCount: { case: 'zeroCountInt', value: 4n },
      zeroThreshold: 0.5,
      sum: -1.5,
      schema: 0,
      positiveSpans: [
        { offset: 1, length: 2 },
        { offset: 1, length: 1 },
      ],
      positiveDeltas: [1n, -1n, 2n],
      negativeSpans: [{ offset: 1, length: 2 }],
      negativeDeltas: [1n, 1n],
    },
    {
      count: '10',
      sum: '-1.5',
      buckets: [
        [1, '-4', '-2', '2'],
        [1, '-2', '-1', '1'],
        [3, '-0.5', '0.5', '4'],
        [0, '1', '2', '1'],
        [0, '8', '16', '2'],
      ],
    },
  ],
  [
    'floats, the largest of them, and what is above',
    {
      count: { case: 'countFloat', value: 1.5 },
      schema: -4,
      positiveSpans: [{ offset: 64, length: 2 }],
      positiveCounts: [0.5, 1],
    },
    {
      count: '1.5',
      sum: '0',
      buckets: [
        [0, String(2 ** 1008), String(Number.MAX_VALUE), '0.5'],
        [0, String(Number.MAX_VALUE), '+Inf', '1'],
      ],
    },
  ],
  [
    'custom buckets',
    {
      count: { case: 'countInt', value: 3n },
      schema: -53,
      customValues: [1, 5],
      positiveSpans: [{ offset: 0, length: 3 }],
      positiveDeltas: [1n, 0n, 0n],
    },
    {
      count: '3',
      sum: '0',
      buckets: [
        [3, '-Inf', '1', '1'],
        [0, '1', '5', '1'],
        [0, '5', '+Inf', '1'],
      ],
    },
  ],
])('a histogram of %s has the form of the API', (_, message, wanted) => {
  expect(histogramJson(histogram(message))).toEqual(wanted)
})
