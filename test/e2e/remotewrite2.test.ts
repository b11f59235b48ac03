import { expect, test } from 'vitest'
import { describeWithPeers } from './describe-with-peers.ts'
import { MESSAGES, type Prometheus, startPrometheus } from './prometheus.ts'
import { useRig } from './rig.ts'
import { startScrapeTarget } from './scrape-target.ts'
import { nativeJob, scraped, senderConfig, textJob } from './scrapes.ts'
import { between, type Labels, relabelled, type SeriesMap, STALE } from './series.ts'
import { settled } from './settled.ts'
import { type Sluice, startSluice } from './sluice.ts'
import { asVictoriaMetricsKeeps, startVictoriaMetrics } from './victoria-metrics.ts'

const SCRAPES = 9
/** The classic histogram of the target, which the sender turns into one with custom buckets. */
const CUSTOM = 'e2e_latency_seconds'

const isCustom = ({ __name__ = '' }: Labels) => __name__.startsWith(CUSTOM)
const without = (series: SeriesMap, isLeftOut: (labels: Labels) => boolean) =>
  relabelled(series, (labels) => (isLeftOut(labels) ? undefined : labels))
/** As it leaves the sender: with its external label. */
const sent = (series: SeriesMap) => relabelled(series, (labels) => ({ ...labels, cluster: 'e2e' }))

/** Results of queries on both sides, which are to be the same; labels apart that only one side has. */
async function answers(prometheus: Prometheus, queries: readonly string[], time: number) {
  const results = await Promise.all(queries.map((query) => prometheus.query(query, time)))
  return results.map((result) => result.map(({ metric, value }) => [metric, value?.[1]]))
}

const QUERIES = [
  'sort_desc(sum by (status) (rate(e2e_requests_total[6s])))',
  'histogram_quantile(0.9, sum(rate(e2e_native_seconds[6s])))',
  'histogram_count(sum(e2e_native_gauge))',
  'count({__name__=~"e2e_leaving|e2e_coming|e2e_native_leaving"})',
]

async function nothingFailed(sender: Prometheus, sluice: Sluice): Promise<void> {
  for (const what of ['samples', 'histograms', 'exemplars', 'metadata']) {
    const name = `prometheus_remote_storage_${what}_failed_total`
    expect(await sender.ownMetric(name), name).toBe(0)
  }
  for (const bad of ['rejected', 'origin_rejected', 'superseded', 'failed']) {
    expect(await sluice.ownMetric(`sluice_${bad}_items_total`), bad).toBe(0)
  }
}

describeWithPeers(['prometheus'], 'Prometheus through Sluice to Prometheus, by version', () => {
  const rig = useRig()

  test.each([
    [1, 1],
    [1, 2],
    [2, 1],
    [2, 2],
  ] as const)('%i.0 in, %i.0 out: the origin answers as the sender does', async (from, to) => {
    const target = await startScrapeTarget(rig)
    const origin = await startPrometheus(rig, {})
    const origins = [{ name: 'origin', url: origin.writeUrl, protobuf_message: MESSAGES[to] }]
    const sluice = await startSluice(rig, origins, {})
    const remoteWrite = { ...sluice.remoteWrite, protobuf_message: MESSAGES[from] }
    const jobs = [
      { ...textJob(target), convert_classic_histograms_to_nhcb: true },
      nativeJob(target),
    ]
    const sender = await startPrometheus(rig, senderConfig(target, remoteWrite, jobs))
    await scraped(target, SCRAPES)

    // What is older than this is in the sender's own storage.
    const until = Date.now() - 1000
    // 1.0 can't carry custom buckets, so a sender of it does not send them.
    const asTheyAre = from === 2 && to === 2
    const apart = (labels: Labels) => !asTheyAre && isCustom(labels)
    const want = without(sent(await sender.read('.+', 0, until)), apart)
    const arrived = async () => without(await origin.read('.+', 0, until), apart)
    expect(await settled(want, arrived)).toEqual([])
    const points = [...want.values()].flat().map(({ value }) => value)
    expect(points.length).toBeGreaterThan(30 * (SCRAPES - 2))
    expect(points).toContain(STALE)

    const exemplars = without(sent(between(await sender.exemplars(), 0, until)), apart)
    expect(exemplars.size).toBeGreaterThan(1)
    const arrivedExemplars = async () => without(between(await origin.exemplars(), 0, until), apart)
    expect(await settled(exemplars, arrivedExemplars)).toEqual([])

    expect(await answers(origin, QUERIES, until)).toEqual(await answers(sender, QUERIES, until))
    if (from === 2) {
      const quantile = (of: string) => `histogram_quantile(0.5, ${of})`
      const native = quantile(`sum(rate(${CUSTOM}[6s]))`)
      const classic = quantile(`sum by (le) (rate(${CUSTOM}_bucket[6s]))`)
      const theirs = Number((await sender.query(native, until))[0]?.value?.[1])
      const ours = await origin.query(to === 2 ? native : classic, until)
      // Added up in another order, the last digit may differ.
      expect(Number(ours[0]?.value?.[1])).toBeCloseTo(theirs, 9)
      const expanded = await sluice.ownMetric('sluice_expanded_histograms_total')
      expect(expanded > 0, 'classic series stand in').toBe(to === 1)
    }
    // 2.0 carries metadata with its series.
    const metadata = 'sluice_delivered_items_total{origin="origin",kind="metadata"}'
    expect((await sluice.ownMetric(metadata)) > 0, 'metadata on its own').toBe(to === 1)
    await nothingFailed(sender, sluice)
  })

  test('an origin that refuses 2.0 gets all of it in 1.0, once', async () => {
    const target = await startScrapeTarget(rig)
    const origin = await startPrometheus(rig, {}, 'server', [1])
    const origins = [{ name: 'origin', url: origin.writeUrl, protobuf_message: MESSAGES[2] }]
    const sluice = await startSluice(rig, origins, {})
    const remoteWrite = { ...sluice.remoteWrite, protobuf_message: MESSAGES[2] }
    const sender = await startPrometheus(rig, senderConfig(target, remoteWrite))
    await scraped(target, SCRAPES)

    const until = Date.now() - 1000
    const want = sent(await sender.read('.+', 0, until))
    expect(await settled(want, () => origin.read('.+', 0, until))).toEqual([])
    expect(await sender.ownMetric('prometheus_remote_storage_samples_failed_total')).toBe(0)
    expect(await sluice.ownMetric('sluice_failed_items_total')).toBe(0)
  })
})

describeWithPeers(['prometheus', 'victoria-metrics'], 'zstd to an origin', () => {
  const rig = useRig()

  test('VictoriaMetrics takes it, Prometheus gets snappy instead', async () => {
    const target = await startScrapeTarget(rig)
    const victoria = await startVictoriaMetrics(rig, { deduplicate: false })
    const prometheus = await startPrometheus(rig, {})
    const sluice = await startSluice(
      rig,
      [
        { name: 'victoria', url: victoria.writeUrl, compression: 'zstd' },
        { name: 'prometheus', url: prometheus.writeUrl, compression: 'zstd' },
      ],
      {},
    )
    const config = senderConfig(target, sluice.remoteWrite, [textJob(target)])
    const sender = await startPrometheus(rig, config)
    await scraped(target, SCRAPES, 1)

    const until = Date.now() - 1000
    const want = sent(await sender.read('.+', 0, until))
    expect(await settled(want, () => prometheus.read('.+', 0, until))).toEqual([])
    const inVictoria = async () => between(await victoria.read('{__name__!=""}'), 0, until)
    expect(await settled(asVictoriaMetricsKeeps(want), inVictoria)).toEqual([])
    expect(await sluice.ownMetric('sluice_failed_items_total')).toBe(0)
  })
})
