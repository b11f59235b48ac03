import type { Meter } from '@opentelemetry/api'
import { AggregationTemporalityPreference } from '@opentelemetry/exporter-metrics-otlp-http'
import { AggregationType, createAllowListAttributesProcessor } from '@opentelemetry/sdk-metrics'
import { expect, test } from 'vitest'
import { describeWithPeers } from './describe-with-peers.ts'
import { startGate } from './gate.ts'
import { CLIENT_LABELS, startOtelClient } from './otel-client.ts'
import { type Prometheus, startPrometheus } from './prometheus.ts'
import type { QueryResult } from './query-api.ts'
import { type Rig, useRig } from './rig.ts'
import { type Sluice, startSluice } from './sluice.ts'

const { DELTA, LOWMEMORY } = AggregationTemporalityPreference
const BY_JOB = `{job="${CLIENT_LABELS.job}"}`

/** A Prometheus, and Sluice before it. */
async function startOrigin(rig: Rig): Promise<{ origin: Prometheus; sluice: Sluice }> {
  const origin = await startPrometheus(rig, {})
  return {
    origin,
    sluice: await startSluice(rig, [{ name: 'origin', url: origin.writeUrl }], {}),
  }
}

/** Floats of an instant query as lines, sorted; labels that all series of the client have are left out. */
function lines(results: readonly QueryResult[]): string[] {
  return results
    .flatMap(({ metric: { __name__ = '', job: _, instance: __, ...labels }, value }) =>
      value === undefined ? [] : [`${__name__}${JSON.stringify(labels)} ${value[1]}`],
    )
    .sort()
}

/** The only value of an instant query. */
async function value(origin: Prometheus, promql: string): Promise<number> {
  const results = await origin.query(promql)
  expect(results, promql).toHaveLength(1)
  return Number(results[0].value?.[1])
}

/** Ten values between 0 and 50 and one of 70: half of them are below 14. */
const DURATIONS = [1, 2, 3, 4, 11, 12, 15, 18, 30, 40, 70]

function recordAll(meter: Meter, times: number): void {
  const requests = meter.createCounter('http.server.requests', { unit: '{request}' })
  const bytes = meter.createCounter('http.server.sent', { unit: 'By' })
  const active = meter.createUpDownCounter('http.server.active_requests')
  const queue = meter.createGauge('queue.utilization', { unit: '1' })
  const latency = meter.createHistogram('http.server.duration', {
    unit: 's',
    advice: { explicitBucketBoundaries: [10, 20, 50] },
  })
  const size = meter.createHistogram('http.body.size', { unit: 'By' })
  for (let i = 0; i < times; i++) {
    requests.add(3, { 'http.route': '/', 'http.status_code': 200 })
    requests.add(1, { 'http.route': '/naïve', 'http.status_code': 500, error: true })
    bytes.add(1000.5)
    active.add(2)
    active.add(-1)
    queue.record(0.25 * (i + 1), { queue: 'a', levels: ['x', 'y'] })
    for (const duration of DURATIONS) latency.record(duration, { 'http.route': '/' })
    for (const duration of DURATIONS) size.record(duration)
  }
}

const exponentialSize = {
  instrumentName: 'http.body.size',
  aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM as const },
}

/** What Prometheus holds after `recordAll(meter, 2)`, but for the native histogram. */
const RECORDED = [
  'http_server_active_requests{} 2',
  'http_server_duration_seconds_bucket{"http_route":"/","le":"+Inf"} 22',
  'http_server_duration_seconds_bucket{"http_route":"/","le":"10"} 8',
  'http_server_duration_seconds_bucket{"http_route":"/","le":"20"} 16',
  'http_server_duration_seconds_bucket{"http_route":"/","le":"50"} 20',
  'http_server_duration_seconds_count{"http_route":"/"} 22',
  'http_server_duration_seconds_sum{"http_route":"/"} 412',
  'http_server_requests_total{"error":"true","http_route":"/naïve","http_status_code":"500"} 2',
  'http_server_requests_total{"http_route":"/","http_status_code":"200"} 6',
  'http_server_sent_bytes_total{} 2001',
  'observed_celsius{"room":"1"} 21.5',
  'observed_jobs_total{} 7',
  'queue_utilization_ratio{"levels":"[\\"x\\",\\"y\\"]","queue":"a"} 0.5',
  'target_info{"deployment_environment_name":"prod","host_name":"node-1"} 1',
]

describeWithPeers(['prometheus'], 'The OpenTelemetry SDK through Sluice to Prometheus', () => {
  const rig = useRig()

  test.each([
    { encoding: 'protobuf', compression: 'none' },
    { encoding: 'protobuf', compression: 'gzip' },
    { encoding: 'json', compression: 'none' },
    { encoding: 'json', compression: 'gzip' },
  ] as const)('$encoding, compression $compression: all instruments', async (how) => {
    const { origin, sluice } = await startOrigin(rig)
    const { meter, flush, warnings } = startOtelClient(rig, {
      ...sluice.otlp,
      ...how,
      views: [exponentialSize],
      resource: { 'host.name': 'node-1', 'deployment.environment.name': 'prod' },
    })
    meter
      .createObservableGauge('observed', { unit: 'Cel' })
      .addCallback((result) => result.observe(21.5, { room: 1 }))
    meter.createObservableCounter('observed.jobs').addCallback((result) => result.observe(7))
    recordAll(meter, 2)
    expect(await flush()).toBeUndefined()
    expect(warnings).toEqual([])

    expect(lines(await origin.query(BY_JOB))).toEqual(RECORDED)
    expect((await origin.query(BY_JOB)).map(({ metric }) => metric.instance)).toEqual(
      Array(RECORDED.length + 1).fill(CLIENT_LABELS.instance),
    )
    const joined = 'observed_jobs_total * on(job, instance) group_left(host_name) target_info'
    expect(lines(await origin.query(joined))).toEqual(['{"host_name":"node-1"} 7'])

    // Rank 11 of 22 is 3/8 into the second bucket, from 10 to 20.
    const median = 'histogram_quantile(0.5, http_server_duration_seconds_bucket)'
    expect(await value(origin, median)).toBeCloseTo(10 + (10 * 3) / 8, 9)
    expect(await value(origin, 'histogram_count(http_body_size_bytes)')).toBe(22)
    expect(await value(origin, 'histogram_sum(http_body_size_bytes)')).toBe(412)
    // The SDK's 160 buckets are 4.4 % wide where values go from 1 to 70.
    for (const [quantile, wanted] of [
      [0.05, 1],
      [0.5, 12],
      [0.95, 70],
    ]) {
      const found = await value(origin, `histogram_quantile(${quantile}, http_body_size_bytes)`)
      expect(Math.abs(found / wanted - 1), `quantile ${quantile}: ${found}`).toBeLessThan(0.044)
    }
  })

  test('rate() of counters and of histograms is what was recorded, over time', async () => {
    const { origin, sluice } = await startOrigin(rig)
    const { meter, flush } = startOtelClient(rig, { ...sluice.otlp, views: [exponentialSize] })
    recordAll(meter, 1)
    await flush()
    await new Promise((resolve) => setTimeout(resolve, 1500))
    recordAll(meter, 4)
    await flush()

    const [{ values = [] }] = await origin.query('http_server_sent_bytes_total[1m]')
    expect(values.map(([, text]) => text)).toEqual(['1000.5', '5002.5'])
    const [first, last] = values.map(([seconds]) => Math.round(seconds * 1000))
    const rate = (metric: string) =>
      `rate(${metric}[${last - first + 1}ms] @ ${(last / 1000).toFixed(3)})`
    const perSecond = (increase: number) => (increase * 1000) / (last - first)
    const bytes = await value(origin, rate('http_server_sent_bytes_total'))
    expect(bytes).toBeCloseTo(perSecond(4002), 6)
    const errors = await value(origin, rate('http_server_requests_total{error="true"}'))
    expect(errors).toBeCloseTo(perSecond(4), 6)
    const observed = `histogram_count(${rate('http_body_size_bytes')})`
    expect(await value(origin, observed)).toBeCloseTo(perSecond(44), 6)
    const median = `histogram_quantile(0.5, ${rate('http_server_duration_seconds_bucket')})`
    expect(await value(origin, median)).toBeCloseTo(10 + (10 * 1.5) / 4, 6)
  })

  test('views rename, drop attributes and set bounds; new bounds never get old labels', async () => {
    const { origin, sluice } = await startOrigin(rig)
    for (const boundaries of [
      [10, 20, 50],
      [15, 20],
      [0.001, 15, 1e21],
    ]) {
      const options = { boundaries }
      const { meter, flush, warnings } = startOtelClient(rig, {
        ...sluice.otlp,
        views: [
          {
            instrumentName: 'http.server.requests',
            name: 'renamed.requests',
            attributesProcessors: [createAllowListAttributesProcessor(['http.route'])],
          },
          {
            instrumentName: 'http.server.duration',
            aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options },
          },
          { instrumentName: 'http.body.size', aggregation: { type: AggregationType.DROP } },
        ],
        resource: { 'service.instance.id': boundaries.join() },
      })
      recordAll(meter, 1)
      expect(await flush()).toBeUndefined()
      expect(warnings).toEqual([])

      const of = `{instance="${boundaries.join()}"}`
      expect(lines(await origin.query(`renamed_requests_total${of}`))).toEqual([
        'renamed_requests_total{"http_route":"/"} 3',
        'renamed_requests_total{"http_route":"/naïve"} 1',
      ])
      const buckets = await origin.query(`http_server_duration_seconds_bucket${of}`)
      const counts = boundaries.map((bound) => {
        const le = bound === 1e21 ? '1000000000000000000000' : String(bound)
        return [le, DURATIONS.filter((duration) => duration <= bound).length]
      })
      expect(
        Object.fromEntries(buckets.map(({ metric, value }) => [metric.le, Number(value?.[1])])),
      ).toEqual(Object.fromEntries([...counts, ['+Inf', DURATIONS.length]]))
      expect(await origin.query(`{__name__=~"http_(server_requests|body).*"}`)).toEqual([])
    }
  })

  test.each(['protobuf', 'json'] as const)(
    'delta preference, %s: the SDK is told how many points were rejected and why; the rest arrives',
    async (encoding) => {
      const { origin, sluice } = await startOrigin(rig)
      const { meter, flush, warnings } = startOtelClient(rig, {
        ...sluice.otlp,
        encoding,
        temporality: DELTA,
        views: [exponentialSize],
      })
      recordAll(meter, 1)
      expect(await flush()).toBeUndefined()

      expect(lines(await origin.query(BY_JOB))).toEqual([
        'http_server_active_requests{} 1',
        'queue_utilization_ratio{"levels":"[\\"x\\",\\"y\\"]","queue":"a"} 0.25',
      ])
      expect(warnings).toHaveLength(1)
      // Two of requests, one each of sent, duration and size.
      expect(warnings[0]).toMatch(/Partial Success.*"rejectedDataPoints":"?5"?/)
      expect(warnings[0]).toContain('http.server.requests')
      expect(warnings[0]).toContain('OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=cumulative')
    },
  )

  test('low memory preference: observable counters are cumulative and arrive', async () => {
    const { origin, sluice } = await startOrigin(rig)
    const { meter, flush, warnings } = startOtelClient(rig, {
      ...sluice.otlp,
      temporality: LOWMEMORY,
    })
    meter.createObservableCounter('observed.jobs').addCallback((result) => result.observe(7))
    meter.createCounter('jobs').add(1)
    expect(await flush()).toBeUndefined()
    expect(lines(await origin.query(BY_JOB))).toEqual(['observed_jobs_total{} 7'])
    expect(warnings.join()).toMatch(/"rejectedDataPoints":"?1"?/)
  })

  test('while the origin is busy the SDK tries again by itself, and nothing is lost', async () => {
    const origin = await startPrometheus(rig, {})
    const gate = await startGate(rig, origin.writeUrl)
    const sluice = await startSluice(rig, [{ name: 'origin', url: gate.url }], {})
    const { meter, flush, warnings } = startOtelClient(rig, sluice.otlp)
    meter.createCounter('jobs').add(3)
    gate.shut()
    const flushed = flush()
    while (gate.refused === 0) await new Promise((resolve) => setTimeout(resolve, 50))
    gate.open()
    expect(await flushed).toBeUndefined()
    expect(warnings).toEqual([])
    expect(lines(await origin.query(BY_JOB))).toEqual(['jobs_total{} 3'])
  })

  test('without credentials the export fails at once, and the SDK says why', async () => {
    const { origin, sluice } = await startOrigin(rig)
    const { meter, flush } = startOtelClient(rig, { url: sluice.otlp.url, headers: {} })
    meter.createCounter('jobs').add(3)
    expect(await flush()).toMatchObject({ code: 401 })
    expect(await origin.query(BY_JOB)).toEqual([])
  })
})
