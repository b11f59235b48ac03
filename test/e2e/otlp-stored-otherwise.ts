import { double, list, text } from './otlp-attributes.ts'
import {
  classic,
  type Difference,
  exponential,
  gauge,
  histogram,
  request,
  sum,
  summary,
  unescaped,
  withBytes,
} from './otlp-difference.ts'

const HOUR = 3_600_000_000_000n
const MS = 1_000_000n
const exemplar = (value: number, timeUnixNano: bigint) => ({
  timeUnixNano,
  value: { case: 'asDouble' as const, value },
})
const BUCKETS = ['m_bucket{le="+Inf"} 3', 'm_bucket{le="1"} 1', 'm_bucket{le="2"} 2']
const TOTALS = ['m_count 3', 'm_sum 6']
const neighbour = 'n 1'

/** What Prometheus takes without a word. */
const taken = (...stored: string[]) => ({ status: 200, stored: [...stored, neighbour] })
const all = (...stored: string[]) => ({ ...taken(...stored), rejected: 0 })
/** The point is rejected, for this reason. */
const rejected = (message: string) => ({ ...taken(), rejected: 1, message })

/** What Prometheus takes as well, but keeps otherwise. */
export const storedOtherwise: readonly Difference[] = [
  {
    name: '`zero_threshold` of an exponential histogram',
    body: (id, timeUnixNano) => {
      const point = { timeUnixNano, zeroThreshold: 0.5, zeroCount: 1n, count: 4n }
      return request(id, timeUnixNano, [exponential(id, point)])
    },
    prometheus: taken(
      'm native schema=0 count=4 zero=1e-128/1 negative={} positive={"1":"3"} bounds=',
    ),
    sluice: all('m native schema=0 count=4 zero=0.5/1 negative={} positive={"1":"3"} bounds='),
  },
  {
    name: 'exemplars of a histogram that are not in order of their values',
    when: classic,
    body: (id, timeUnixNano) => {
      const exemplars = [5, 0.5, 1.5].map((value, i) =>
        exemplar(value, timeUnixNano + BigInt(i) * MS),
      )
      return request(id, timeUnixNano, [histogram(id, { timeUnixNano, exemplars })])
    },
    prometheus: taken(
      ...['0.5', '1.5', '5'].map((value) => `exemplar m_bucket{le="+Inf"} ${value}`),
      ...BUCKETS,
      ...TOTALS,
    ),
    sluice: all(
      'exemplar m_bucket{le="+Inf"} 5',
      'exemplar m_bucket{le="1"} 0.5',
      'exemplar m_bucket{le="2"} 1.5',
      ...BUCKETS,
      ...TOTALS,
    ),
  },
  {
    name: 'an exemplar of a histogram whose value is NaN',
    when: classic,
    body: (id, timeUnixNano) => {
      const exemplars = [exemplar(Number.NaN, timeUnixNano)]
      return request(id, timeUnixNano, [histogram(id, { timeUnixNano, exemplars })])
    },
    prometheus: taken('exemplar m_bucket{le="1"} NaN', ...BUCKETS, ...TOTALS),
    sluice: all('exemplar m_bucket{le="+Inf"} NaN', ...BUCKETS, ...TOTALS),
  },
  {
    name: 'exemplars of a point without recorded value',
    body: (id, timeUnixNano) => {
      const exemplars = [exemplar(1, timeUnixNano)]
      return request(id, timeUnixNano, [sum(id, { timeUnixNano, flags: 1, exemplars })])
    },
    prometheus: taken('m stale'),
    sluice: all('exemplar m 1', 'm stale'),
  },
  {
    name: 'a histogram without recorded value that names bounds and no counts',
    when: classic,
    body: (id, timeUnixNano) =>
      request(id, timeUnixNano, [histogram(id, { timeUnixNano, flags: 1, bucketCounts: [] })]),
    prometheus: taken('m_bucket{le="+Inf"} stale', 'm_count stale', 'm_sum stale'),
    sluice: all(
      'm_bucket{le="+Inf"} stale',
      'm_bucket{le="1"} stale',
      'm_bucket{le="2"} stale',
      'm_count stale',
      'm_sum stale',
    ),
  },
  {
    name: "an exemplar's attribute without a value",
    body: (id, timeUnixNano) => {
      const filteredAttributes = [text('k', 'v'.repeat(120)), text('empty_one', '')]
      const exemplars = [{ ...exemplar(1, timeUnixNano), filteredAttributes }]
      return request(id, timeUnixNano, [sum(id, { timeUnixNano, exemplars })])
    },
    prometheus: taken('exemplar m 1', 'm 1'),
    sluice: all(`exemplar m 1 {k="${'v'.repeat(120)}"}`, 'm 1'),
  },
  {
    name: 'a number without a value',
    body: (id, timeUnixNano) =>
      request(id, timeUnixNano, [gauge(id, { timeUnixNano, value: { case: undefined } })]),
    prometheus: taken('m 0'),
    sluice: rejected('without a value'),
  },
  {
    name: 'more or fewer `bucket_counts` than buckets',
    when: classic,
    body: (id, timeUnixNano) =>
      request(id, timeUnixNano, [histogram(id, { timeUnixNano, bucketCounts: [3n] })]),
    prometheus: taken('m_bucket{le="+Inf"} 3', 'm_bucket{le="1"} 3', ...TOTALS),
    sluice: rejected('does not fit its explicit_bounds'),
  },
  {
    name: 'bounds that do not increase',
    when: classic,
    body: (id, timeUnixNano) =>
      request(id, timeUnixNano, [histogram(id, { timeUnixNano, explicitBounds: [2, 1] })]),
    prometheus: taken(
      'm_bucket{le="+Inf"} 3',
      'm_bucket{le="1"} 2',
      'm_bucket{le="2"} 1',
      ...TOTALS,
    ),
    sluice: rejected('bounds that do not increase'),
  },
  {
    name: 'a quantile twice',
    body: (id, timeUnixNano) => {
      const quantileValues = [1, 2].map((value) => ({ quantile: 0.5, value }))
      return request(id, timeUnixNano, [summary(id, { timeUnixNano, quantileValues })])
    },
    prometheus: taken(...TOTALS, 'm{quantile="0.5"} 1'),
    sluice: rejected('quantiles that repeat'),
  },
  {
    name: 'two values of one series at the same time',
    body: (id, timeUnixNano) => {
      const values = [1n, 2n].map((value) => ({ case: 'asInt' as const, value }))
      const points = values.map((value) => ({ timeUnixNano, value }))
      return request(id, timeUnixNano, [gauge(id, ...points)])
    },
    prometheus: taken('m 1'),
    sluice: all('m 2'),
  },
  {
    name: 'NaN or an infinity in a list or a map',
    body: (id, timeUnixNano) => {
      const attributes = [{ key: 'k', value: list(double(Number.NaN), double(1)) }]
      return request(id, timeUnixNano, [gauge(id, { timeUnixNano, attributes })])
    },
    prometheus: taken('m 1'),
    sluice: all('m{k="[\\"NaN\\",1]"} 1'),
  },
  {
    name: 'the same key twice, once without a value, not escaped',
    when: unescaped,
    body: (id, timeUnixNano) => {
      const attributes = [text('k', 'x'), text('k', '')]
      return request(id, timeUnixNano, [gauge(id, { timeUnixNano, attributes })])
    },
    prometheus: taken('m 1'),
    sluice: all('m{k="x"} 1'),
  },
  {
    name: 'an empty metric name, not escaped',
    when: unescaped,
    body: (id, timeUnixNano) => request(id, timeUnixNano, [gauge('', { timeUnixNano })]),
    prometheus: taken(' 1'),
    sluice: rejected('a name of which no Prometheus name'),
  },
  {
    name: 'a name whose ending is cut off, not escaped, with suffixes',
    when: ({ translation_strategy }) => translation_strategy === 'NoUTF8EscapingWithSuffixes',
    body: (id, timeUnixNano) => {
      const metric = gauge(`${id}ératio`, { timeUnixNano })
      return request(id, timeUnixNano, [{ ...metric, unit: '1' }])
    },
    prometheus: taken('m\ufffd_ratio 1'),
    sluice: all('m_ratio 1'),
  },
  {
    name: 'text that is not UTF-8',
    body: (id, timeUnixNano) => {
      const attributes = [text('k', 'a???b')]
      const body = request(id, timeUnixNano, [gauge(id, { timeUnixNano, attributes })])
      return withBytes(body, '???', [0xff, 0xff, 0xff])
    },
    prometheus: taken('m{k="a\ufffd\ufffd\ufffdb"} 1'),
    sluice: rejected('not valid UTF-8'),
  },
  {
    name: 'labels over `sluice.limits`',
    body: (id, timeUnixNano) => {
      const attributes = [text('k', 'x'.repeat(17_000))]
      return request(id, timeUnixNano, [gauge(id, { timeUnixNano, attributes })])
    },
    prometheus: taken(`m{k="${'x'.repeat(17_000)}"} 1`),
    sluice: rejected('over limits.label_value'),
  },
  {
    name: '`target_info` of points that are more than a day apart',
    body: (id, at) => {
      const points = [at - 25n * HOUR, at].map((timeUnixNano) => ({ timeUnixNano }))
      return request(id, at, [gauge(id, ...points)], [text('host.name', 'h')])
    },
    prometheus: taken('m 1 x2', 'target_info 1 x601'),
    sluice: all('m 1 x2', 'target_info 1 x577'),
  },
  {
    name: 'a part twice that can be there only once',
    body: (id, timeUnixNano) => {
      const body = Buffer.from(request(id, timeUnixNano, []))
      // A second, empty Resource in the ResourceMetrics, whose length is one byte.
      const bytes = Buffer.concat([body, Buffer.from([0x0a, 0x00])])
      bytes[1] += 2
      return bytes
    },
    prometheus: taken(),
    sluice: {
      status: 400,
      rejected: 0,
      stored: [],
      message: 'not a valid ExportMetricsServiceRequest',
    },
  },
]
