import { expect, test } from 'vitest'
import { describeWithPeers } from './describe-with-peers.ts'
import { eventually } from './eventually.ts'
import { startLeavingTarget } from './leaving-target.ts'
import { MESSAGES, metricSum, type Prometheus, startPrometheus } from './prometheus.ts'
import { printedPoints } from './query-api.ts'
import { rangeAnswers } from './range-answers.ts'
import { type Rig, useRig } from './rig.ts'
import { startScrapeTarget } from './scrape-target.ts'
import { nativeJob, scraped, senderConfig, textJob } from './scrapes.ts'
import { between, differences, type Labels, relabelled, type SeriesMap, STALE } from './series.ts'
import { settled } from './settled.ts'
import { type Sluice, startSluice } from './sluice.ts'
import { startThanos, THANOS_LABELS } from './thanos.ts'
import { asVictoriaMetricsKeeps, startVictoriaMetrics } from './victoria-metrics.ts'

const SCRAPES = 9
/** The classic histogram of the target. The sender keeps it as it is, and makes one with custom buckets of it. */
const LATENCY = 'e2e_latency_seconds'

const isCustom = ({ __name__ }: Labels) => __name__ === LATENCY
const isClassic = ({ __name__ = '' }: Labels) => __name__.startsWith(`${LATENCY}_`)

const without = (series: SeriesMap, isLeftOut: (labels: Labels) => boolean) =>
  relabelled(series, (labels) => (isLeftOut(labels) ? undefined : labels))
/** As it leaves the sender: with its external label. */
const sent = (series: SeriesMap, more: Labels = {}) =>
  relabelled(series, (labels) => ({ ...labels, cluster: 'e2e', ...more }))

const QUERIES = [
  '{__name__=~"e2e_.+"}',
  'up',
  'rate(e2e_requests_total[4s])',
  'sum by (cluster, status) (rate(e2e_requests_total{job="text"}[4s]))',
  'histogram_quantile(0.9, rate(e2e_native_seconds[4s]))',
  'histogram_fraction(0, 1, rate(e2e_native_seconds[4s]))',
  'histogram_stddev(e2e_native_gauge)',
  'histogram_count(e2e_native_gauge) / histogram_sum(e2e_native_gauge)',
  'count by (cluster, job) ({__name__=~"e2e_(leaving|coming|native_leaving|requests_total)"})',
]

/** How the latencies arrive: what of the sender's is not there, and a query that finds them. */
const FORMS = {
  classic: {
    apart: isCustom,
    query: `histogram_quantile(0.5, rate(${LATENCY}_bucket[4s]))`,
  },
  custom: {
    apart: isClassic,
    query: `histogram_quantile(0.5, rate(${LATENCY}[4s]))`,
  },
  // Out of custom buckets. When its target goes, the sender ends a histogram with a sample, which does not say which series stand in for it.
  expanded: {
    apart: isCustom,
    query: `histogram_quantile(0.5, rate(${LATENCY}_bucket[4s]))`,
  },
} as const

/** Features with which a Prometheus shows what 2.0 says of a series besides its points: type, unit, start times. */
const SHOWING = [
  'type-and-unit-labels',
  'st-storage',
  'use-start-timestamps',
  'promql-experimental-functions',
]

/** The sender has had everything written, and has no doubt about it. */
async function nothingFailed(sender: Prometheus, sluice: Sluice): Promise<void> {
  for (const what of ['samples', 'histograms', 'exemplars', 'metadata']) {
    const name = `prometheus_remote_storage_${what}_failed_total`
    expect(await sender.ownMetric(name), name).toBe(0)
  }
  expect(sender.log()).not.toMatch(/statistics|non-recoverable|failed to send/i)
  for (const bad of ['rejected', 'origin_rejected', 'superseded', 'failed']) {
    expect(await sluice.ownMetric(`sluice_${bad}_items_total`), bad).toBe(0)
  }
}

/** Requests that an origin refused. */
const refused = (sluice: Sluice, origin: string) =>
  sluice.ownMetric(`sluice_origin_requests_total{origin="${origin}",outcome="rejected"}`)

/** Whether each point that came in was delivered to this origin or dropped, once, as docs/delivery.md says. */
function addsUp(metrics: string, origin: string): boolean {
  const of = (name: string, labels: string) => metricSum(metrics, `sluice_${name}_total{${labels}}`)
  const gone = of('expanded_histograms', `origin="${origin}"`)
  const made = of('expanded_samples', `origin="${origin}"`)
  const change = { samples: made, histograms: -gone, exemplars: 0 }
  return Object.entries(change).every(([kind, more]) => {
    const received = of('received_items', `kind="${kind}"`)
    const dropped = of('dropped_items', `stage="${origin}",kind="${kind}"`)
    const delivered = of('delivered_items', `origin="${origin}",kind="${kind}"`)
    return received > 0 && received + more === dropped + delivered
  })
}

describeWithPeers(['prometheus'], 'Prometheus through Sluice to Prometheus, by version', () => {
  const rig = useRig()

  test.each([1, 2] as const)('%i.0 in: the origins answer as the sender does', async (from) => {
    const { one, two, oneOnly, dropping, showing, sluice } = await startOrigins(rig)
    const target = await startScrapeTarget(rig)
    const text = {
      ...textJob(target),
      convert_classic_histograms_to_nhcb: true,
      always_scrape_classic_histograms: true,
    }
    const leaving = await startLeavingTarget(rig, text)
    const noClassic = { source_labels: ['__name__'], regex: `${LATENCY}_.+`, action: 'drop' }
    const remoteWrite = {
      ...sluice.remoteWrite,
      protobuf_message: MESSAGES[from],
      write_relabel_configs: from === 2 ? [noClassic] : [],
    }
    const config = senderConfig(target, remoteWrite, [text, nativeJob(target), leaving.job])
    const sender = await startPrometheus(rig, config, { features: ['st-storage', 'st-synthesis'] })
    await eventually('scrapes of the target that leaves', async () => leaving.scrapes() >= 4)
    leaving.leave()
    await scraped(target, SCRAPES)

    // What is older than this is in the sender's own storage.
    const until = Date.now() - 1000
    const stored = sent(await sender.read('.+', 0, until))
    const since = Math.min(...[...stored.values()].flat().map(({ time }) => time))
    // None of the histogram: that it is also made a native one takes those without a time of their own away.
    const exemplars = sent(between(await sender.exemplars(), 0, until))
    expect(exemplars.size).toBe(4)

    // A sender of 1.0 can't send custom buckets.
    const to1 = from === 2 ? FORMS.expanded : FORMS.classic
    const to2 = from === 2 ? FORMS.custom : FORMS.classic
    for (const [name, origin, { apart, query }] of [
      ['one', one, to1],
      ['one-only', oneOnly, to1],
      ['two', two, to2],
    ] as const) {
      const want = without(stored, apart)
      const arrived = async () => without(await origin.read('.+', 0, until), apart)
      expect(await settled(want, arrived), name).toEqual([])
      const points = [...want.values()].flat().map(({ value }) => value)
      expect(points.length).toBeGreaterThan(50 * (SCRAPES - 2))
      expect(points.filter((value) => value === STALE).length).toBeGreaterThan(15)

      const arrivedExemplars = async () => between(await origin.exemplars(), 0, until)
      expect(await settled(exemplars, arrivedExemplars), name).toEqual([])

      const queries = [...QUERIES, query]
      const answers = async (of: Prometheus) =>
        without(sent(await rangeAnswers(of, queries, since, until)), apart)
      expect(await settled(await answers(sender), () => answers(origin)), name).toEqual([])
      expect((await origin.query(query, until)).length, query).toBeGreaterThan(0)
    }

    await showsMetadata(showing, until, from)
    await showsStarts(showing, until, from)
    if (from === 2) {
      const unknown = 'prometheus_api_remote_write_without_metadata_appended_samples_total'
      expect(await two.ownMetric(unknown), unknown).toBe(0)
    }

    // Nothing of custom buckets but the sample that ends them.
    const left = await dropping.read(`${LATENCY}.*`, 0, until)
    const classic = without(stored, (labels) => !isClassic(labels))
    const values = [...without(left, isClassic).values()].flat().map(({ value }) => value)
    expect(values, 'histograms dropped').toEqual([STALE])
    expect(differences(from === 2 ? new Map() : classic, without(left, isCustom))).toEqual([])
    const names = ['one', 'two', 'one-only', 'dropping', 'showing']
    const metrics = await eventually('what came in is what became of it', async () => {
      const answer = await fetch(`${sluice.url}/metrics`, { headers: sluice.otlp.headers })
      const text = await answer.text()
      return names.every((name) => addsUp(text, name)) && text
    })
    const dropped = metricSum(
      metrics,
      'sluice_dropped_items_total{stage="dropping",kind="histograms"}',
    )
    const expanded = metricSum(metrics, 'sluice_expanded_histograms_total{origin="one"}')
    expect(expanded > 0).toBe(from === 2)
    expect(dropped).toBe(expanded)
    await nothingFailed(sender, sluice)
    expect(await refused(sluice, 'one-only')).toBeGreaterThan(0)
    for (const origin of names.filter((name) => name !== 'one-only')) {
      expect(await refused(sluice, origin), origin).toBe(0)
    }
  })
})

async function startOrigins(rig: Rig) {
  const [one, two, oneOnly, dropping, showing] = await Promise.all([
    startPrometheus(rig, {}),
    startPrometheus(rig, {}),
    startPrometheus(rig, {}, { versions: [1] }),
    startPrometheus(rig, {}),
    startPrometheus(rig, {}, { features: SHOWING }),
  ])
  const [v1, v2] = [{ protobuf_message: MESSAGES[1] }, { protobuf_message: MESSAGES[2] }]
  const drop = { native_histograms_with_custom_buckets: 'drop' }
  const origins = [
    { name: 'one', url: one.writeUrl, ...v1 },
    { name: 'two', url: two.writeUrl, ...v2 },
    { name: 'one-only', url: oneOnly.writeUrl, ...v2 },
    { name: 'dropping', url: dropping.writeUrl, ...v1, ...drop },
    { name: 'showing', url: showing.writeUrl, ...v2 },
  ]
  return { one, two, oneOnly, dropping, showing, sluice: await startSluice(rig, origins, {}) }
}

async function showsMetadata(showing: Prometheus, time: number, from: 1 | 2): Promise<void> {
  const all = await showing.query(
    'count by (__name__, __type__, __unit__) ({__name__=~".+"})',
    time,
  )
  const found = all.map(({ metric }) => [metric.__name__, [metric.__type__, metric.__unit__]])
  const latency = from === 2 ? LATENCY : `${LATENCY}_bucket`
  expect(Object.fromEntries(found)).toMatchObject({
    e2e_requests_total: ['counter', undefined],
    e2e_special: ['gauge', undefined],
    e2e_native_seconds: ['histogram', undefined],
    e2e_native_gauge: ['gaugehistogram', undefined],
    [latency]: ['histogram', undefined],
    // A sender of 1.0 says nothing of what is its own.
    up: from === 2 ? ['gauge', 'targets'] : [undefined, undefined],
  })
}

/** Those that the sender has made up: of its first scrape, whose values it leaves out. */
async function showsStarts(showing: Prometheus, time: number, from: 1 | 2): Promise<void> {
  const latency = from === 2 ? LATENCY : `${LATENCY}_sum`
  for (const [name, job] of [
    ['e2e_requests_total', 'text'],
    ['e2e_native_seconds', 'native'],
    [latency, 'text'],
  ] as const) {
    const scrapes = printedPoints(await showing.query(`up{job="${job}"}[10m]`, time))
    const first = Math.min(...[...scrapes.values()].flat().map(({ time }) => time))
    const starts = await showing.query(`start_timestamp(${name}{job="${job}"})`, time)
    const seen = new Set(starts.map(({ value }) => Math.round(Number(value?.[1]) * 1000)))
    expect([...seen], `start of ${name}`).toEqual([from === 2 ? first : 0])
  }
}

const peers = ['prometheus', 'victoria-metrics', 'thanos']

describeWithPeers(peers, 'origins that do not know a protocol', () => {
  const rig = useRig()

  test('they get everything in 1.0, once, and VictoriaMetrics takes zstd', async () => {
    const target = await startScrapeTarget(rig)
    const [victoria, prometheus, thanos] = await Promise.all([
      startVictoriaMetrics(rig, { deduplicate: false }),
      startPrometheus(rig, {}),
      startThanos(rig),
    ])
    const way = (name: string) => ({
      name,
      write_relabel_configs: [{ target_label: 'way', replacement: name }],
    })
    const v2 = { protobuf_message: MESSAGES[2] }
    const zstd = { compression: 'zstd' }
    const sluice = await startSluice(
      rig,
      [
        { ...way('victoria-zstd'), url: victoria.writeUrl, ...zstd },
        { ...way('victoria-2'), url: victoria.writeUrl, ...v2 },
        { ...way('thanos-zstd'), url: thanos.writeUrl, ...zstd },
        { ...way('thanos-2'), url: thanos.writeUrl, ...v2 },
        { ...way('prometheus-zstd'), url: prometheus.writeUrl, ...zstd },
      ],
      {},
    )
    const remoteWrite = { ...sluice.remoteWrite, ...v2 }
    const sender = await startPrometheus(rig, senderConfig(target, remoteWrite, [textJob(target)]))
    await scraped(target, SCRAPES, 1)

    const until = Date.now() - 1000
    const stored = await sender.read('.+', 0, until)
    const onWays = (ways: readonly string[], series = stored, more: Labels = {}) =>
      new Map(ways.flatMap((way) => [...sent(series, { way, ...more })]))
    const inPrometheus = () => prometheus.read('.+', 0, until)
    expect(await settled(onWays(['prometheus-zstd']), inPrometheus)).toEqual([])

    // It keeps what arrives twice.
    const inVictoria = async () => between(await victoria.read('{__name__!=""}'), 0, until)
    const want = asVictoriaMetricsKeeps(onWays(['victoria-zstd', 'victoria-2']))
    expect(await settled(want, inVictoria)).toEqual([])
    expect(await victoria.metadata()).toMatchObject({
      e2e_requests_total: [{ type: 'counter', help: 'Requests served.' }],
      e2e_latency_seconds: [{ type: 'histogram', help: 'How long it took.' }],
      up: [{ type: 'gauge', unit: 'targets' }],
    })

    const everything = '{__name__=~".+"}[10m]'
    const printed = between(printedPoints(await sender.query(everything)), 0, until)
    const inThanos = async () => between(printedPoints(await thanos.query(everything)), 0, until)
    const wantThanos = onWays(['thanos-zstd', 'thanos-2'], printed, THANOS_LABELS)
    expect(await settled(wantThanos, inThanos)).toEqual([])

    await nothingFailed(sender, sluice)
    expect(await refused(sluice, 'victoria-zstd')).toBe(0)
    for (const origin of ['victoria-2', 'thanos-zstd', 'thanos-2', 'prometheus-zstd']) {
      expect(await refused(sluice, origin), origin).toBeGreaterThan(0)
    }
  })
})
