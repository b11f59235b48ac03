import { expect, test } from 'vitest'
import { describeWithPeers } from './describe-with-peers.ts'
import { startPrometheus } from './prometheus.ts'
import { printedPoints } from './query-api.ts'
import { useRig } from './rig.ts'
import { asConfigured } from './rules.ts'
import { startScrapeTarget } from './scrape-target.ts'
import { scraped, senderConfig } from './scrapes.ts'
import { between, relabelled } from './series.ts'
import { settled } from './settled.ts'
import { startSluice } from './sluice.ts'
import { startThanos, THANOS_LABELS } from './thanos.ts'

const SCRAPES = 12

describeWithPeers(['prometheus', 'thanos'], 'Prometheus through Sluice to Thanos Receive', () => {
  const rig = useRig()

  test('Thanos Query answers what the sender answers, relabelled', async () => {
    const target = await startScrapeTarget(rig)
    const thanos = await startThanos(rig)
    const sluice = await startSluice(rig, [{ name: 'thanos', url: thanos.writeUrl }])
    const sender = await startPrometheus(rig, senderConfig(target, sluice.remoteWrite))
    await scraped(target, SCRAPES)

    const everything = '{__name__=~".+"}[10m]'
    const until = Date.now() - 1000
    // The sender keeps its own points without the external labels that it sends.
    const sent = between(printedPoints(await sender.query(everything)), 0, until)
    const want = relabelled(sent, (labels) => {
      const configured = asConfigured({ ...labels, cluster: 'e2e' })
      return configured && { ...configured, ...THANOS_LABELS }
    })
    const arrived = async () => between(printedPoints(await thanos.query(everything)), 0, until)
    expect(await settled(want, arrived)).toEqual([])
    expect([...want.values()].flat().length).toBeGreaterThan(30 * (SCRAPES - 2))

    const left = await thanos.query('{__name__=~"e2e_(native_)?leaving|e2e_node"}')
    expect(left.map(({ metric }) => metric.__name__)).toEqual(['e2e_node'])
  })
})
