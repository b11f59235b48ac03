import { expect, test } from 'vitest'
import { describeWithPeers } from './describe-with-peers.ts'
import { useRig } from './rig.ts'
import { asConfigured } from './rules.ts'
import { shownSeries, startScrapeTarget } from './scrape-target.ts'
import { scraped, scrapeTimes, textJob } from './scrapes.ts'
import { between, relabelled, seriesKey } from './series.ts'
import { settled } from './settled.ts'
import { AGENT_TOKEN, startSluice } from './sluice.ts'
import { asVictoriaMetricsKeeps, startVictoriaMetrics, startVmagent } from './victoria-metrics.ts'

const SCRAPES = 12

describeWithPeers(
  ['vmagent', 'victoria-metrics'],
  'vmagent through Sluice to VictoriaMetrics',
  () => {
    const rig = useRig()

    test('its zstd protocol is understood, and every value arrives exactly once', async () => {
      const target = await startScrapeTarget(rig)
      // It keeps what arrives twice, so a point that is sent twice shows.
      const origin = await startVictoriaMetrics(rig, { deduplicate: false })
      const sluice = await startSluice(rig, [{ name: 'origin', url: origin.writeUrl }])
      const agent = await startVmagent(rig, [textJob(target)], `${sluice.url}/api/v1/write`, [
        '-remoteWrite.label=cluster=e2e',
        '-remoteWrite.flushInterval=500ms',
        `-remoteWrite.bearerToken=${AGENT_TOKEN}`,
      ])
      await scraped(target, SCRAPES, 1)

      const labels = { job: 'text', instance: target.address, cluster: 'e2e' }
      const up = seriesKey(asConfigured({ __name__: 'up', ...labels }) ?? {})
      const shown = target.scrapes.slice(0, SCRAPES - 1)
      const times = await scrapeTimes(() => origin.read('up'), up, shown.length)
      const want = relabelled(
        shownSeries(shown, labels, (n) => times[n]),
        asConfigured,
      )
      const arrived = async () =>
        between(await origin.read('{__name__=~"e2e_.*"}'), 0, times[shown.length - 1])
      expect(await settled(asVictoriaMetricsKeeps(want), arrived)).toEqual([])

      expect(await origin.count('{__name__=~"e2e_leaving|e2e_node"}')).toBe(1)
      expect(agent.log(), 'it was never told to fall back to snappy').not.toMatch(
        /downgrading protocol/i,
      )
    })
  },
)
