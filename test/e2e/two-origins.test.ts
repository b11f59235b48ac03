import { expect, test } from 'vitest'
import { describeWithPeers } from './describe-with-peers.ts'
import { type Gate, startGate } from './gate.ts'
import { startPrometheus } from './prometheus.ts'
import { useRig } from './rig.ts'
import { asConfigured } from './rules.ts'
import { startScrapeTarget } from './scrape-target.ts'
import { scraped, senderConfig, textJob } from './scrapes.ts'
import { between, relabelled } from './series.ts'
import { settled } from './settled.ts'
import { startSluice } from './sluice.ts'
import { asVictoriaMetricsKeeps, startVictoriaMetrics } from './victoria-metrics.ts'

const peers = ['prometheus', 'victoria-metrics']

describeWithPeers(peers, 'Prometheus through Sluice to two origins', () => {
  const rig = useRig()

  test('while one origin answers 503 the sender tries again, and both end up whole', async () => {
    const target = await startScrapeTarget(rig)
    const prometheus = await startPrometheus(rig, {})
    const victoria = await startVictoriaMetrics(rig, { deduplicate: true })
    const gates = [
      await startGate(rig, prometheus.writeUrl),
      await startGate(rig, victoria.writeUrl),
    ]
    const sluice = await startSluice(rig, [
      { name: 'prometheus', url: gates[0].url },
      { name: 'victoria', url: gates[1].url },
    ])
    const config = senderConfig(target, sluice.remoteWrite, [textJob(target)])
    const sender = await startPrometheus(rig, config)

    await scraped(target, 3, 1)
    await shutFor(gates[1], 3)
    await scraped(target, target.scrapes.length + 3, 1)
    await shutFor(gates[0], 3)
    await scraped(target, target.scrapes.length + 6, 1)

    const until = Date.now() - 1000
    const want = relabelled(await sender.read('.+', 0, until), asConfigured)
    expect(await settled(want, () => prometheus.read('.+', 0, until))).toEqual([])
    const inVictoria = async () => between(await victoria.read('{__name__!=""}'), 0, until)
    expect(await settled(asVictoriaMetricsKeeps(want), inVictoria)).toEqual([])
    expect(await victoria.count('{__name__=~"e2e_leaving|e2e_node"}')).toBe(1)
    expect(await victoria.metadata()).toMatchObject({
      e2e_requests: [{ type: 'counter', help: 'Requests served.' }],
    })
    expect(
      await sender.ownMetric('prometheus_remote_storage_samples_retried_total'),
    ).toBeGreaterThan(0)
  })
})

/** Keeps `gate` shut for so many seconds, and longer until it has refused something. */
async function shutFor(gate: Gate, seconds: number): Promise<void> {
  gate.shut()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  for (let tries = 0; gate.refused === 0 && tries < 100; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  gate.open()
  expect(gate.refused).toBeGreaterThan(0)
}
