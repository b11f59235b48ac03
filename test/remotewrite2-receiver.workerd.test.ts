import SnappyJS from 'snappyjs'
import { describe, expect, test } from 'vitest'
import { bodyOf, gauges, startRig, T } from './pipeline-rig.ts'
import {
  body2,
  custom,
  extrasOf,
  type Histogram2,
  linesOf,
  linesSent,
  named,
  native,
  push2,
  request2,
  type Series2,
  writtenIn,
} from './remotewrite2-sender.ts'

// The checks of the receiver suite of prometheus/compliance, by its names, and stricter: what should succeed is 204 with the
// true numbers, and all of it is at an origin of 1.0 and at one of 2.0; what should not is 400 with the true numbers.

const CONFIG = `
remote_write:
  - {name: one, url: "http://one.test/"}
  - {name: two, url: "http://two.test/", protobuf_message: io.prometheus.write.v2.Request}
sluice: {auth: none}
`
const start = () => startRig(CONFIG)

interface Accepted {
  readonly series: readonly Series2[]
  readonly written: readonly [samples: number, histograms: number, exemplars: number]
  /** Metadata and start times that arrive in 2.0. */
  readonly extras?: readonly string[]
  /** Families that arrive in 1.0. */
  readonly families?: readonly string[]
}

const trace = (id: string, after = 0) => ({
  labels: [['trace_id', id]] as const,
  value: 1,
  after,
})
/** float64(StaleNaN), as the suite writes it: a large number. */
const STALE_NUMBER = Number(0x7ff0000000000002n)
const VALUES = [1, STALE_NUMBER, Number.NaN, Infinity, -Infinity]
const UNICODE = '測試 é 😀 \u2028 "\\'
const [COUNTER, GAUGE, HISTOGRAM, GAUGE_HISTOGRAM, SUMMARY, INFO, STATESET] = [1, 2, 3, 4, 5, 6, 7]

const negative: Histogram2 = { negativeSpans: [{ offset: 0, length: 2 }], negativeDeltas: [2n, 1n] }
const count = (n: bigint) => ({ count: { case: 'countInt' as const, value: n } })
const none: Histogram2 = { positiveSpans: [], positiveDeltas: [] }
const noZero: Histogram2 = { zeroCount: { case: 'zeroCountInt', value: 0n } }
const floats: Histogram2 = {
  ...none,
  count: { case: 'countFloat', value: 4.5 },
  zeroCount: { case: 'zeroCountFloat', value: 1.5 },
  positiveSpans: [
    { offset: -3, length: 1 },
    { offset: 2, length: 1 },
  ],
  positiveCounts: [1, 2],
}

const accepted: Record<string, Accepted> = {
  SingleMetric_SeveralLabels: {
    series: [
      named('up', { samples: [[1]] }, [
        ['zone', 'a'],
        ['instance', 'localhost:9090'],
        ['b', 'c'],
      ]),
    ],
    written: [1, 0, 0],
  },
  SingleMetric_Newlines: {
    series: [named('up', { samples: [[1]] }, [['a', 'x\ny\r\n\tz']])],
    written: [1, 0, 0],
  },
  SingleMetric_Dots: {
    series: [named('http.server.requests', { samples: [[1]] }, [['a.b', 'c']])],
    written: [1, 0, 0],
  },
  SingleMetric_Spaces: {
    series: [named('a name with spaces', { samples: [[1]] }, [['a label', 'c']])],
    written: [1, 0, 0],
  },
  CounterWithCreatedTimestamp: {
    series: [named('c_total', { samples: [[5]], created: -1000, metadata: { type: COUNTER } })],
    written: [1, 0, 0],
    extras: ['c_total [1,"",""]', 'c_total start -1000'],
    families: ['c_total'],
  },
  CounterWithStartTimestamp: {
    series: [
      named('c_total', {
        samples: [
          [5, 0, -1000],
          [6, 10, -1000],
        ],
      }),
    ],
    written: [2, 0, 0],
    extras: ['c_total start -1000'],
  },
  Metadata_Counter: metadataOf('requests_total', COUNTER, 'Requests.', ''),
  Metadata_Gauge: metadataOf('temperature', GAUGE, 'How warm.', 'celsius'),
  Metadata_Histogram: metadataOf('h', HISTOGRAM, 'Time.', 'seconds', { histograms: [native()] }),
  Metadata_NoHelpAndUnit: metadataOf('m', GAUGE, '', ''),
  Metadata_SpecialCharacters: metadataOf('m', GAUGE, UNICODE, '%'),
  Metadata_Unspecified: metadataOf('m', 0, 'What is it?', ''),
  Metadata_Info: metadataOf('build_info', INFO, 'Build.', ''),
  Metadata_Stateset: metadataOf('state', STATESET, 'State.', ''),
  Metadata_Summary: metadataOf('s', SUMMARY, 'Summary.', 'seconds'),
  Metadata_GaugeHistogram: metadataOf('gh', GAUGE_HISTOGRAM, 'Sizes.', 'bytes', {
    histograms: [native()],
  }),
  CounterMetadataWithCreatedTimestamp: {
    series: [
      named('c_total', { samples: [[1]], created: -9, metadata: { type: COUNTER, help: 'C.' } }),
    ],
    written: [1, 0, 0],
    extras: ['c_total [1,"C.",""]', 'c_total start -9'],
    families: ['c_total'],
  },
  MetadataWithSamples: metadataOf('m', GAUGE, 'M.', 'bytes', { samples: [[1], [2, 1], [3, 2]] }),
  MultipleMetadata: {
    series: [
      named('a_total', { samples: [[1]], metadata: { type: COUNTER, help: 'A.' } }),
      named('b', { samples: [[2]], metadata: { type: GAUGE, help: 'B.', unit: 'bytes' } }),
      named('c', { histograms: [native()], metadata: { type: HISTOGRAM, help: 'C.' } }),
    ],
    written: [2, 1, 0],
    extras: ['a_total [1,"A.",""]', 'b [2,"B.","bytes"]', 'c [3,"C.",""]'],
    families: ['a_total', 'b', 'c'],
  },
  MetadataWithComplexLabels: {
    series: [
      named('m', { samples: [[1]], metadata: { type: GAUGE, help: 'M.' } }, [
        ['path', '/a?b=c&d'],
        ['q', UNICODE],
      ]),
    ],
    written: [1, 0, 0],
    extras: ['m [2,"M.",""]'],
    families: ['m'],
  },
  Exemplar_TraceId: exemplarOf([['trace_id', '4bf92f3577b34da6a3ce929d0e0e4736']]),
  Exemplar_TraceAndSpan: exemplarOf([
    ['trace_id', 'a'],
    ['span_id', 'b'],
  ]),
  Exemplar_OtherLabel: exemplarOf([['user', 'x']]),
  Exemplar_SeveralLabels: exemplarOf([
    ['a', '1'],
    ['b', '2'],
    ['c', '3'],
  ]),
  Exemplar_NoLabels: exemplarOf([]),
  Exemplar_SpecialCharacters: exemplarOf([['a', '\n"\\']]),
  Exemplar_Unicode: exemplarOf([['größe', UNICODE]]),
  ExemplarWithCreatedTimestamp: {
    series: [named('m', { samples: [[1]], exemplars: [trace('x')], created: -5 })],
    written: [1, 0, 1],
    extras: ['m start -5'],
  },
  MultipleExemplars: {
    series: ['a', 'b', 'c'].map((name) =>
      named(name, { samples: [[1]], exemplars: [trace(name)] }),
    ),
    written: [3, 0, 3],
  },
  ExemplarTimestamps: {
    series: [
      named('m', {
        samples: [[1, -3_600_000], [2, -60_000], [3]],
        exemplars: [trace('a', -3_600_000), trace('b', -60_000), trace('c')],
      }),
    ],
    written: [3, 0, 3],
  },
  Histogram_All: {
    series: [named('h', { histograms: [native({ ...negative, ...count(9n) })] })],
    written: [0, 1, 0],
  },
  Histogram_PositiveOnly: {
    series: [named('h', { histograms: [native({ ...noZero, ...count(3n) })] })],
    written: [0, 1, 0],
  },
  Histogram_NegativeOnly: {
    series: [
      named('h', { histograms: [native({ ...none, ...noZero, ...negative, ...count(5n) })] }),
    ],
    written: [0, 1, 0],
  },
  Histogram_ZeroOnly: {
    series: [named('h', { histograms: [native({ ...none, ...count(1n) })] })],
    written: [0, 1, 0],
  },
  Histogram_Floats: { series: [named('h', { histograms: [native(floats)] })], written: [0, 1, 0] },
  HistogramWithCreatedTimestamp: {
    series: [named('h', { histograms: [native()], created: -7 })],
    written: [0, 1, 0],
    extras: ['h start -7'],
  },
  HistogramWithStartTimestamp: {
    series: [named('h', { histograms: [native({ startTimestamp: BigInt(T - 7) })] })],
    written: [0, 1, 0],
    extras: ['h start -7'],
  },
  MultipleHistograms: {
    series: [named('h', { histograms: [native(), native({}, 1)] })],
    written: [0, 2, 0],
  },
  EmptyHistogram: {
    series: [named('h', { histograms: [{ ...none, sum: 0, timestamp: BigInt(T), ...count(0n) }] })],
    written: [0, 1, 0],
  },
  HistogramWithMetadata: metadataOf('h', HISTOGRAM, 'H.', '', { histograms: [native()] }),
  HistogramWithExemplar: {
    series: [named('h', { histograms: [native()], exemplars: [trace('x')] })],
    written: [0, 1, 1],
  },
  HistogramWithMetadataAndExemplar: {
    ...metadataOf('h', HISTOGRAM, 'H.', '', { histograms: [native()], exemplars: [trace('x')] }),
    written: [0, 1, 1],
  },
  MultipleHistogramsWithMetadata: metadataOf('h', HISTOGRAM, 'H.', 's', {
    histograms: [native(), native({}, 1)],
  }),
  SamplesWithMetadataAndExemplars: {
    ...metadataOf('c_total', COUNTER, 'C.', '', {
      samples: [[1], [2, 1]],
      exemplars: [trace('x')],
    }),
    written: [2, 0, 1],
  },
  HistogramsWithMetadataAndExemplars: {
    ...metadataOf('h', HISTOGRAM, 'H.', '', {
      histograms: [native(), native({}, 1)],
      exemplars: [trace('x'), trace('y', 1)],
    }),
    written: [0, 2, 2],
  },
  ComplexRequest: {
    series: [
      named('c_total', {
        samples: [
          [1, 0, -5],
          [2, 1, -5],
        ],
        exemplars: [trace('x')],
        metadata: { type: COUNTER, help: 'C.' },
      }),
      named('g', { samples: [[3]], metadata: { type: GAUGE, unit: 'bytes' } }, [['path', '/']]),
      named('h', {
        histograms: [native(), native({}, 1)],
        exemplars: [trace('y')],
        metadata: { type: HISTOGRAM },
      }),
    ],
    written: [3, 2, 2],
    extras: ['c_total [1,"C.",""]', 'c_total start -5', 'g [2,"","bytes"]', 'h [3,"",""]'],
    families: ['c_total', 'g', 'h'],
  },
  MultipleMetricFamilies: {
    series: [
      named('s_sum', { samples: [[1]], metadata: { type: SUMMARY, help: 'S.' } }),
      named('s_count', { samples: [[1]], metadata: { type: SUMMARY, help: 'S.' } }),
      named('s', { samples: [[1]], metadata: { type: SUMMARY, help: 'S.' } }, [
        ['quantile', '0.5'],
      ]),
      named('k_bucket', { samples: [[1]], metadata: { type: HISTOGRAM, help: 'K.' } }, [
        ['le', '+Inf'],
      ]),
      named('k_sum', { samples: [[1]], metadata: { type: HISTOGRAM, help: 'K.' } }),
    ],
    written: [5, 0, 0],
    extras: [
      'k_bucket [3,"K.",""]',
      'k_sum [3,"K.",""]',
      's [5,"S.",""]',
      's_count [5,"S.",""]',
      's_sum [5,"S.",""]',
    ],
    families: ['k', 's'],
  },
  MixedTimestamps: {
    series: [named('a', { samples: [[1, -100], [2]] }), named('b', { samples: [[3, 5]] })],
    written: [3, 0, 0],
  },
  SamplesAndHistogramsOfOneName: {
    series: [named('m', { samples: [[1]] }), named('m', { histograms: [native({}, 1)] })],
    written: [1, 1, 0],
  },
  ManySamples: {
    series: Array.from({ length: 50 }, (_, i) =>
      named(`m${i}`, { samples: [[i, i]], exemplars: [trace(`${i}`)] }),
    ),
    written: [50, 0, 50],
  },
  ManyHistograms: {
    series: Array.from({ length: 50 }, (_, i) =>
      named(`h${i}`, { histograms: [native({}, i)], exemplars: [trace(`${i}`)] }),
    ),
    written: [0, 50, 50],
  },
  SpecialCharactersCombined: {
    series: [
      named('m', { samples: [[1]], exemplars: [{ labels: [['q', UNICODE]], value: 1 }] }, [
        ['q', UNICODE],
        ['n', '\n'],
      ]),
    ],
    written: [1, 0, 1],
  },
}
for (const value of VALUES) {
  accepted[`SingleMetric_${value}`] = {
    series: [named('m', { samples: [[value]] })],
    written: [1, 0, 0],
  }
  accepted[`MultipleMetrics_${value}`] = {
    series: ['a', 'b', 'c', 'd'].map((name) => named(name, { samples: [[value]] })),
    written: [4, 0, 0],
  }
}
for (const value of [0, -1.5, 1e300, 5e-324, Number.NaN, Infinity, -Infinity]) {
  accepted[`ExemplarSpecialValues_${value}`] = {
    series: [named('m', { samples: [[1]], exemplars: [{ labels: [['id', 'x']], value }] })],
    written: [1, 0, 1],
  }
}

test.each(Object.entries(accepted))(
  '%s is written, all of it',
  async (_, { series, written, extras = [], families = [] }) => {
    const rig = start()
    const answer = await push2(rig, series)
    expect([answer.status, answer.text, answer.written]).toEqual([204, '', written])
    const [one, two] = ['one', 'two'].map((name) =>
      rig.taken.filter(({ origin }) => origin === name),
    )
    expect(linesOf(one!)).toEqual(linesSent(series))
    expect(linesOf(two!)).toEqual(linesSent(series))
    expect(extrasOf(two!)).toEqual(extras)
    const names = one!.flatMap(({ message }) =>
      message.metadata.map((each) => each.metricFamilyName),
    )
    expect(names.sort()).toEqual(families)
  },
)

const nameless = (
  more: Omit<Series2, 'labels'>,
  labels: Series2['labels'] = [['job', 'x']],
): Series2 => ({ labels, ...more })
const good = [
  named('a', { samples: [[1]] }),
  named('b', { samples: [[2]] }),
  named('c', { samples: [[3]] }),
]
const rejected: Record<
  string,
  { series: readonly Series2[]; written: number[]; said: RegExp; taken?: readonly Series2[] }
> = {
  SingleMetric_NoName: {
    series: [nameless({ samples: [[1]] })],
    written: [0, 0, 0],
    said: /has no __name__/,
  },
  SingleMetric_NoLabels: {
    series: [nameless({ samples: [[1]] }, [])],
    written: [0, 0, 0],
    said: /has no __name__/,
  },
  SingleMetric_EmptyName: {
    series: [nameless({ samples: [[1]] }, [['__name__', '']])],
    written: [0, 0, 0],
    said: /has no __name__/,
  },
  SingleMetric_LabelTwice: {
    series: [
      named('m', { samples: [[1]] }, [
        ['a', '1'],
        ['a', '2'],
      ]),
    ],
    written: [0, 0, 0],
    said: /has a label twice/,
  },
  MultipleMetrics_AllWithoutName: {
    series: [1, 2, 3, 4].map((n) => nameless({ samples: [[n]] }, [['n', `${n}`]])),
    written: [0, 0, 0],
    said: /and 1 more/,
  },
  MultipleMetrics_OneWithoutName: {
    series: [...good, nameless({ samples: [[4]] })],
    written: [3, 0, 0],
    said: /has no __name__/,
    taken: good,
  },
  MetadataValidation_NoName: {
    series: [nameless({ samples: [[1]], metadata: { type: COUNTER, help: 'C.' } }), ...good],
    written: [3, 0, 0],
    said: /has no __name__/,
    taken: good,
  },
  ExemplarValidation_NoName: {
    series: [nameless({ samples: [[1]], exemplars: [trace('x')] }), ...good],
    written: [3, 0, 0],
    said: /has no __name__/,
    taken: good,
  },
  ExemplarValidation_EmptyName: {
    series: [nameless({ samples: [[1]], exemplars: [trace('x')] }, [['__name__', '']])],
    written: [0, 0, 0],
    said: /has no __name__/,
  },
  Histogram_WrongCount: {
    series: [named('h', { histograms: [native(count(99n))] }), ...good],
    written: [3, 0, 0],
    said: /native histogram whose buckets, spans and count do not agree/,
    taken: good,
  },
  Histogram_WrongSpans: {
    series: [named('h', { histograms: [native({ positiveSpans: [{ offset: 0, length: 9 }] })] })],
    written: [0, 0, 0],
    said: /native histogram/,
  },
  Histogram_HugeSpan: {
    series: [
      named('h', { histograms: [native({ positiveSpans: [{ offset: 0, length: 4294967295 }] })] }),
    ],
    written: [0, 0, 0],
    said: /native histogram/,
  },
  Histogram_Schema: {
    series: [named('h', { histograms: [native({ schema: 60 })] })],
    written: [0, 0, 0],
    said: /schema that is not known/,
  },
}

test.each(Object.entries(rejected))(
  '%s is rejected, and only that',
  async (_, { series, written, said, taken = [] }) => {
    const rig = start()
    const answer = await push2(rig, series)
    expect([answer.status, answer.written]).toEqual([400, written])
    expect(answer.text).toMatch(said)
    for (const name of ['one', 'two']) {
      expect(linesOf(rig.taken.filter(({ origin }) => origin === name))).toEqual(linesSent(taken))
    }
  },
)

describe('the rest of the suite', () => {
  const body = body2(request2(good))

  test.each([
    ['BadContentTypes', { 'Content-Type': 'application/json' }],
    ['BadContentTypes', { 'Content-Type': 'image/png' }],
    ['BadContentEncodings', { 'Content-Encoding': 'gzip' }],
    ['BadContentEncodings', { 'Content-Encoding': 'deflate' }],
  ])('%s %o: 415, though the body is corrupt too', async (_, headers) => {
    const rig = start()
    const corrupt = Uint8Array.from(body)
    corrupt[0]! ^= 0xff
    const answer = await push2(rig, corrupt, { headers })
    expect([answer.status, rig.arrivals]).toEqual([415, []])
  })

  test('CorruptRequestBody: 400 with each of its first bytes changed, or with a message that is the same', async () => {
    for (let i = 0; i < 40; i++) {
      const rig = start()
      const corrupt = Uint8Array.from(body)
      corrupt[i]! ^= 0xff
      const answer = await push2(rig, corrupt)
      if (i === 0) expect(answer.status).toBe(400)
      expect([204, 400, 413], `byte ${i}`).toContain(answer.status)
      expect(
        answer.written.every((n) => n !== null),
        `byte ${i}`,
      ).toBe(true)
      if (answer.status !== 204 && rig.arrivals.length === 0)
        expect(answer.written).toEqual([0, 0, 0])
    }
  })

  test('RW1BasicCompatibility: 204 without the headers', async () => {
    const rig = start()
    const answer = await rig.push(gauges(3))
    expect([answer.status, writtenIn(answer.headers)]).toEqual([204, [null, null, null]])
    expect(rig.taken).toHaveLength(2)
  })

  test('RW1ErrorHandling: 400 for a corrupt body of 1.0', async () => {
    const rig = start()
    const corrupt = bodyOf(gauges(3))
    corrupt[0]! ^= 0xff
    const answer = await rig.push(corrupt)
    expect([answer.status, writtenIn(answer.headers)]).toEqual([400, [null, null, null]])
  })

  test('EdgeCase_MetadataOnly: 204 with zeros, and 1.0 gets the metadata', async () => {
    const rig = start()
    const answer = await push2(rig, [named('m', { metadata: { type: COUNTER!, help: 'M.' } })])
    expect([answer.status, answer.written]).toEqual([204, [0, 0, 0]])
    expect(rig.taken.map(({ origin, message }) => [origin, message.metadata])).toMatchObject([
      ['one', [{ metricFamilyName: 'm', type: 1, help: 'M.' }]],
    ])
  })

  test('a series without anything costs nothing', async () => {
    const rig = start()
    const answer = await push2(rig, [named('m', {}), ...good])
    expect([answer.status, answer.written]).toEqual([204, [3, 0, 0]])
    expect(linesOf(rig.taken)).toEqual([...linesSent(good), ...linesSent(good)].sort())
  })

  test('a stale marker arrives bit for bit', async () => {
    const rig = start()
    const raw = new Uint8Array(
      SnappyJS.uncompress(body2(request2([named('m', { samples: [[1234.5678]] })]))),
    )
    const at = Buffer.from(raw).indexOf(Buffer.from(Float64Array.of(1234.5678).buffer))
    const marker = [2, 0, 0, 0, 0, 0, 0xf0, 0x7f]
    raw.set(marker, at)
    const answer = await push2(rig, new Uint8Array(SnappyJS.compress(raw)))
    expect([answer.status, answer.written]).toEqual([204, [1, 0, 0]])
    for (const arrival of rig.taken) {
      expect(Buffer.from(arrival.raw).includes(Buffer.from(marker)), arrival.origin).toBe(true)
    }
  })

  test('CustomBucketsHistogramWithExemplar: as it is for 2.0, as classic series for 1.0', async () => {
    const rig = start()
    const answer = await push2(rig, [
      named('h', { histograms: [custom()], exemplars: [trace('x')] }),
    ])
    expect([answer.status, answer.written]).toEqual([204, [0, 1, 1]])
    const of = (name: string) => linesOf(rig.taken.filter(({ origin }) => origin === name))
    expect(of('two')).toEqual(['h{job="test"} h6@0', 'h{job="test"} x1@0 trace_id=x'])
    expect(of('one')).toContain('h_bucket{job="test",le="5.0"} 3@0')
    expect(of('one').join()).toMatch(/x1@0 trace_id=x/)
  })

  test('a schema that is too fine is reduced, and still counts all', async () => {
    const rig = start()
    const answer = await push2(rig, [named('h', { histograms: [native({ schema: 10 })] })])
    expect([answer.status, answer.written]).toEqual([204, [0, 1, 0]])
    for (const { message } of rig.taken) {
      expect(message.timeseries[0]!.histograms[0]).toMatchObject({
        schema: 8,
        count: { value: 4n },
        positiveSpans: [{ offset: 1, length: 1 }],
        positiveDeltas: [3n],
      })
    }
  })
})

function metadataOf(
  name: string,
  type: number,
  help: string,
  unit: string,
  points: Omit<Series2, 'labels'> = { samples: [[1]] },
): Accepted {
  const { samples = [], histograms = [], exemplars = [] } = points
  const known = type !== 0 || help !== '' || unit !== ''
  return {
    series: [named(name, { ...points, metadata: { type, help, unit } })],
    written: [samples.length, histograms.length, exemplars.length],
    extras: known ? [`${name} ${JSON.stringify([type, help, unit])}`] : [],
    families: known ? [name] : [],
  }
}

function exemplarOf(labels: readonly (readonly [string, string])[]): Accepted {
  return {
    series: [named('m', { samples: [[1]], exemplars: [{ labels, value: 0.5 }] })],
    written: [1, 0, 1],
  }
}
