import { expect, test } from 'vitest'
import { describeWithPeers } from './describe-with-peers.ts'
import { nothingFailed, refused } from './origin-counters.ts'
import { MESSAGES, startPrometheus } from './prometheus.ts'
import { printedPoints } from './query-api.ts'
import { useRig } from './rig.ts'
import { startScrapeTarget } from './scrape-target.ts'
import { scraped, senderConfig, sent, textJob } from './scrapes.ts'
import { between, type Labels } from './series.ts'
import { settled } from './settled.ts'
import { startSluice } from './sluice.ts'
import { startThanos, THANOS_LABELS } from './thanos.ts'
import { asVictoriaMetricsKeeps, startVictoriaMetrics } from './victoria-metrics.ts'

const SCRAPES = 9
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
