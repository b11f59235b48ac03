import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkTranslate } from '../../scripts/check-translate.ts'
import {
  ExportMetricsServiceRequestSchema,
  type MetricSchema,
} from '../../src/wire/gen/opentelemetry_pb.js'
import { kernelModule } from '../kernel/load.ts'
import { plainJson } from '../otlp/write-json.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'check-translate-'))
})
afterAll(() => rm(folder, { recursive: true }))

type Metric = MessageInitShape<typeof MetricSchema>
type Attributes = Record<string, string>
const TIME = 1_700_000_000_000
const timeUnixNano = BigInt(TIME) * 1_000_000n

const attributes = (pairs: Attributes) =>
  Object.entries(pairs).map(([key, value]) => ({
    key,
    value: { value: { case: 'stringValue' as const, value } },
  }))
const point = (value: number, pairs: Attributes = {}, more = {}) => ({
  timeUnixNano,
  attributes: attributes(pairs),
  value: { case: 'asDouble' as const, value },
  ...more,
})
const gauge = (name: string, ...dataPoints: ReturnType<typeof point>[]): Metric => ({
  name,
  data: { case: 'gauge', value: { dataPoints } },
})
const counter = (name: string, aggregationTemporality: number, dataPoint = point(1)): Metric => ({
  name,
  data: {
    case: 'sum',
    value: { dataPoints: [dataPoint], isMonotonic: true, aggregationTemporality },
  },
})
const histogram = (name: string): Metric => {
  const counts = { count: 6n, sum: 40, explicitBounds: [1, 5], bucketCounts: [1n, 0n, 5n] }
  const value = { dataPoints: [{ timeUnixNano, ...counts }], aggregationTemporality: 2 }
  return { name, data: { case: 'histogram', value } }
}
const exponential = (more = {}): Metric => {
  const dataPoint = {
    timeUnixNano,
    count: 7n,
    sum: 3.5,
    scale: 0,
    zeroCount: 1n,
    zeroThreshold: 0.25,
    positive: { offset: 0, bucketCounts: [1n, 0n, 2n] },
    negative: { offset: -1, bucketCounts: [2n, 1n] },
    ...more,
  }
  const value = { dataPoints: [dataPoint], aggregationTemporality: 2 }
  return { name: 'e', data: { case: 'exponentialHistogram', value } }
}
const traced = (asDouble: number, before: number) => ({
  timeUnixNano: timeUnixNano - BigInt(before) * 1_000_000n,
  value: { case: 'asDouble' as const, value: asDouble },
  traceId: new Uint8Array(16).fill(0xab),
  spanId: new Uint8Array(8).fill(0xcd),
})

const request = (metrics: readonly Metric[], resource: Attributes = {}) =>
  create(ExportMetricsServiceRequestSchema, {
    resourceMetrics: [
      { resource: { attributes: attributes(resource) }, scopeMetrics: [{ metrics: [...metrics] }] },
    ],
  })
const json = (...metrics: readonly Metric[]) => plainJson(request(metrics))

/** Runs the check on a document, with a config where one is given. Paths in messages are cut to the file's name. */
async function check(
  document: string | Uint8Array | readonly Uint8Array[],
  { config, proto = false }: { config?: string; proto?: boolean } = {},
) {
  const path = join(folder, 'sluice.yaml')
  if (config !== undefined) await writeFile(path, config)
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const chunks = Array.isArray(document) ? document : [document as string | Uint8Array]
  const stdin = (async function* () {
    yield* chunks
  })()
  const options = { proto, ...(config !== undefined && { config: path }) }
  const exit = checkTranslate(options, () => kernelModule, { stdin, stdout, stderr }).finally(
    () => {
      stdout.end()
      stderr.end()
    },
  )
  const [out, err] = await Promise.all([text(stdout), text(stderr)])
  return {
    exit: await exit,
    out: out.split('\n').slice(0, -1),
    err: err.replaceAll(path, 'sluice.yaml').split('\n').slice(0, -1),
  }
}

const ORIGIN = 'remote_write: [{url: "http://a.test/"'

test('each point becomes a line, sorted, as Prometheus names it', async () => {
  const metrics = [
    {
      ...gauge('process.memory.usage', point(12, { state: 'used' }), point(3, { state: 'free' })),
      unit: 'By',
    },
    counter('http.requests', 2),
    histogram('latency'),
  ]
  const document = plainJson(request(metrics, { 'service.name': 'shop', region: 'eu' }))
  expect(await check(document)).toEqual({
    exit: 0,
    out: [
      'http_requests_total{job="shop"} 1 1700000000000',
      'latency_bucket{job="shop",le="+Inf"} 6 1700000000000',
      'latency_bucket{job="shop",le="1"} 1 1700000000000',
      'latency_bucket{job="shop",le="5"} 1 1700000000000',
      'latency_count{job="shop"} 6 1700000000000',
      'latency_sum{job="shop"} 40 1700000000000',
      'process_memory_usage_bytes{job="shop",state="free"} 3 1700000000000',
      'process_memory_usage_bytes{job="shop",state="used"} 12 1700000000000',
      'target_info{job="shop",region="eu"} 1 1700000000000',
    ],
    err: [],
  })
})

test('protobuf says the same as JSON, in whatever pieces it comes', async () => {
  const message = request([histogram('latency'), exponential(), gauge('m', point(1, { a: 'é' }))])
  const bytes = toBinary(ExportMetricsServiceRequestSchema, message)
  const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte))
  const inJson = await check(plainJson(message))
  expect(inJson.exit).toBe(0)
  expect(await check(pieces, { proto: true })).toEqual(inJson)
  const characters = Array.from(Buffer.from(plainJson(message)), (byte) => Uint8Array.of(byte))
  expect(await check(characters)).toEqual(inJson)
})

test.each<[number, string]>([
  [0.1, '0.1'],
  [-0, '-0'],
  [1e21, '1e+21'],
  [5e-324, '5e-324'],
  [Number.NaN, 'NaN'],
  [Number.POSITIVE_INFINITY, '+Inf'],
  [Number.NEGATIVE_INFINITY, '-Inf'],
])('a value of %s is written as %s', async (value, wanted) => {
  expect((await check(json(gauge('m', point(value))))).out).toEqual([`m ${wanted} 1700000000000`])
})

test('a point without a value is stale', async () => {
  const document = json(gauge('m', point(0, {}, { flags: 1, value: { case: undefined } })))
  expect((await check(document)).out).toEqual(['m stale 1700000000000'])
})

test('native histograms are readable', async () => {
  const buckets = '[-2,-1):1, [-1,-0.5):2, (1,2]:1, (4,8]:2'
  expect((await check(json(exponential()))).out).toEqual([
    `e {count:7, sum:3.5, schema:0, zero_threshold:0.25, zero_count:1, buckets:[${buckets}]} 1700000000000`,
  ])
  const fine = {
    scale: 10,
    negative: undefined,
    count: 4n,
    positive: { offset: 0, bucketCounts: [1n, 2n] },
  }
  expect((await check(json(exponential(fine)))).out).toEqual([
    'e {count:4, sum:3.5, schema:8, zero_threshold:0.25, zero_count:1, buckets:[(1,1.00271]:3]} 1700000000000',
  ])
})

test('histograms with custom buckets are shown as the origins can take them', async () => {
  const nhcb = 'otlp: {convert_histograms_to_nhcb: true}\nsluice: {auth: none}'
  const v2 = ', protobuf_message: io.prometheus.write.v2.Request'
  const of = async (more: string) =>
    check(json(histogram('h')), { config: `${ORIGIN}${more}}]\n${nhcb}` })
  expect((await of(v2)).out).toEqual([
    'h {count:6, sum:40, schema:-53, buckets:[[-Inf,1]:1, (5,+Inf]:5]} 1700000000000',
  ])
  expect((await of('')).out).toHaveLength(5)
  expect(await of(', native_histograms_with_custom_buckets: drop')).toMatchObject({
    exit: 0,
    out: [],
    err: ['note: 1 left out: histograms with custom buckets, as the config says'],
  })
})

test('exemplars follow the point that they belong to', async () => {
  const ids = `{trace_id="${'ab'.repeat(16)}",span_id="${'cd'.repeat(8)}"}`
  const early = point(1, {}, { exemplars: [traced(0.5, 100), traced(0.6, 50)] })
  const late = point(
    2,
    {},
    { timeUnixNano: timeUnixNano + 1_000_000n, exemplars: [traced(0.7, -1)] },
  )
  const data = { dataPoints: [late, early], isMonotonic: true, aggregationTemporality: 2 }
  const { out } = await check(json({ name: 'c', data: { case: 'sum', value: data } }))
  expect(out).toEqual([
    `c_total 1 1700000000000 # ${ids} 0.5 1699999999900 # ${ids} 0.6 1699999999950`,
    `c_total 2 1700000000001 # ${ids} 0.7 1700000000001`,
  ])
})

test('names that Prometheus knows only in quotes are in quotes', async () => {
  const config = `${ORIGIN}}]\notlp: {translation_strategy: NoTranslation}\nsluice: {auth: none}`
  const { out } = await check(
    json(gauge('a.b', point(1, { 'c.d': 'x"\\\n' })), gauge('e', point(2))),
    { config },
  )
  expect(out).toEqual(['e 2 1700000000000', '{"a.b","c.d"="x\\"\\\\\\n"} 1 1700000000000'])
})

test('the config’s ingress rules and external labels hold, the rules of origins do not', async () => {
  const config = `
global: {external_labels: {edge: "\${EDGE_OF_TESTS}"}}
remote_write:
  - url: http://a.test/
    bearer_token: "\${A_SECRET_THAT_IS_NOT_THERE}"
    queue_config: {max_samples_per_send: 1}
    send_exemplars: false
    write_relabel_configs: [{action: drop, regex: ".*"}]
sluice:
  relabel_configs:
    - {source_labels: [__name__], regex: "debug_.*", action: drop}
    - {source_labels: [pod], target_label: workload, regex: "(.+)-\\\\d+", replacement: "$1"}
`
  const exemplar = point(2, { pod: 'a-1' }, { exemplars: [traced(1, 0)] })
  const document = json(gauge('debug.x', point(1)), counter('m', 2, exemplar))
  const { exit, out, err } = await check(document, { config })
  expect([exit, err]).toEqual([0, ['note: 1 dropped by sluice.relabel_configs']])
  expect(out).toEqual([
    expect.stringMatching(
      /^m_total\{edge="EDGE_OF_TESTS",pod="a-1",workload="a"\} 2 1700000000000 # \{trace_id/,
    ),
  ])
})

test('what is rejected is told with its reason, and the rest is printed', async () => {
  const late = gauge('late', point(1, {}, { timeUnixNano: 4_000_000_000_000_000_000n }))
  const untimed = gauge('untimed', point(1, {}, { timeUnixNano: 0n }))
  const { exit, out, err } = await check(json(counter('d', 1), untimed, late, gauge('m', point(1))))
  expect([exit, out]).toEqual([1, ['late 1 4000000000000', 'm 1 1700000000000']])
  expect(err).toEqual([
    expect.stringMatching(/^rejected: metric "d" has delta temporality: set the SDK to cumulative/),
    'rejected: metric "untimed" has a point without time_unix_nano',
    '2 of 4 data points rejected: delta_temporality 1, no_time 1',
  ])
})

test('a metric that is no OTLP/JSON is rejected, and its neighbours are printed', async () => {
  const bad = '{"name":"bad","gauge":{"dataPoints":[{"asDouble":"x"},{}]}}'
  const document = json(gauge('m', point(1))).replace('"metrics":[', `"metrics":[${bad},`)
  const { exit, out, err } = await check(document)
  expect([exit, out]).toEqual([1, ['m 1 1700000000000']])
  expect(err).toEqual([
    expect.stringMatching(/^rejected: metric "bad": asDouble: expected a number/),
    '2 of 3 data points rejected: malformed_json 2',
  ])
})

test.each<[string, string | Uint8Array, boolean, RegExp]>([
  ['no JSON', '{"resourceMetrics":[', false, /^the body is no JSON of OTLP metrics/],
  ['nothing at all', '', false, /JSON/],
  [
    'protobuf as JSON',
    toBinary(ExportMetricsServiceRequestSchema, request([gauge('m', point(1))])),
    false,
    /JSON/,
  ],
  ['JSON as protobuf', json(gauge('m', point(1))), true, /JSON|not a valid/],
  ['no protobuf', Uint8Array.of(0xff, 1), true, /not a valid ExportMetricsServiceRequest/],
])('a document that is %s is refused in a line', async (_, document, proto, said) => {
  const { exit, out, err } = await check(document, { proto })
  expect([exit, out, err]).toEqual([1, [], [expect.stringMatching(said)]])
})

test('limits of the config hold', async () => {
  const many = json(gauge('m', ...Array.from({ length: 11 }, (_, i) => point(i, { i: `${i}` }))))
  const of = (limits: string) =>
    check(many, { config: `${ORIGIN}}]\nsluice: {auth: none, limits: {${limits}}}` })
  expect(await of('series: 10')).toMatchObject({
    exit: 1,
    err: [expect.stringMatching('limits.series')],
  })
  expect(await of('decoded: 1KB')).toMatchObject({
    exit: 1,
    err: [expect.stringMatching('limits.decoded')],
  })
  expect(await of('series: 11')).toMatchObject({ exit: 0 })
})

test('a bad config is told with its place, and nothing is read', async () => {
  const { exit, out, err } = await check(json(), { config: `${ORIGIN}, nonsense: 1}]` })
  expect([exit, out]).toEqual([1, []])
  expect(err).toEqual([expect.stringMatching(/^sluice\.yaml:1:\d+: error: .*nonsense/)])
})

test('a config that is not there is told', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const config = join(folder, 'nope.yaml')
  const options = { config, proto: false }
  expect(await checkTranslate(options, () => kernelModule, { stdin: stdout, stdout, stderr })).toBe(
    1,
  )
  expect(String(stderr.read())).toMatch(/nope\.yaml can't be read/)
})

test('the command says the same', async () => {
  const run = await new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    const child = execFile(process.execPath, ['scripts/check.ts', 'translate'], (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    )
    child.stdin!.end(json(counter('d', 1), gauge('m', point(1))))
  })
  expect([run.code, run.out]).toEqual([1, 'm 1 1700000000000\n'])
  expect(run.err).toMatch(/^rejected: metric "d" has delta temporality/)
})
