import { expect, test } from 'vitest'
import { describeWithPeers } from './describe-with-peers.ts'
import { eventually } from './eventually.ts'
import { startLeavingTarget } from './leaving-target.ts'
import { addsUp, nothingFailed, refused } from './origin-counters.ts'
import { MESSAGES, metricSum, type Prometheus, startPrometheus } from './prometheus.ts'
import { rangeAnswers } from './range-answers.ts'
import { type Rig, useRig } from './rig.ts'
import { startScrapeTarget } from './scrape-target.ts'
import { LATENCY, nativeJob, scraped, senderConfig, sent, textJob } from './scrapes.ts'
import { between, differences, type Labels, STALE, without } from './series.ts'
import { SHOWING, showsMetadata, showsStarts } from './series-metadata.ts'
import { settled } from './settled.ts'
import { startSluice } from './sluice.ts'

const SCRAPES = 9

const isCustom = ({ __name__ }: Labels) => __name__ === LATENCY
const isClassic = ({ __name__ = '' }: Labels) => __name__.startsWith(`${LATENCY}_`)

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
