import { expect, test } from 'vitest'
import { describeWithPeers } from './describe-with-peers.ts'
import { startPrometheus } from './prometheus.ts'
import { useRig } from './rig.ts'
import { asConfigured } from './rules.ts'
import { shownSeries, startScrapeTarget } from './scrape-target.ts'
import { scraped, scrapeTimes, senderConfig } from './scrapes.ts'
import { between, relabelled, STALE, seriesKey } from './series.ts'
import { settled } from './settled.ts'
import { startSluice } from './sluice.ts'

const SCRAPES = 12

describeWithPeers(['prometheus'], 'Prometheus through Sluice to Prometheus', () => {
  const rig = useRig()

  test('the origin holds what the sender holds, bit for bit, relabelled', async () => {
    const target = await startScrapeTarget(rig)
    const origin = await startPrometheus(rig, {})
    const sluice = await startSluice(rig, [{ name: 'origin', url: origin.writeUrl }])
    const sender = await startPrometheus(rig, senderConfig(target, sluice.remoteWrite))
    await scraped(target, SCRAPES)

    // What is older than this is in the sender's own storage.
    const until = Date.now() - 1000
    const want = relabelled(await sender.read('.+', 0, until), asConfigured)
    expect(await settled(want, () => origin.read('.+', 0, until))).toEqual([])

    const points = [...want.values()].flat().map(({ value }) => value)
    expect(points.length, 'floats and histograms compared').toBeGreaterThan(30 * (SCRAPES - 2))
    expect(points.filter((value) => value === STALE)).toHaveLength(1)
    expect(points.filter((value) => value.includes('gauge')).length).toBeGreaterThan(0)

    for (const bad of ['rejected', 'origin_rejected', 'superseded', 'failed']) {
      expect(await sluice.ownMetric(`sluice_${bad}_items_total`), bad).toBe(0)
    }

    const left = '{__name__=~"e2e_(native_)?(leaving|node)"}'
    expect((await origin.query(left)).map(({ metric }) => metric.__name__)).toEqual(['e2e_node'])

    // The sender keeps its exemplars without the external labels that it sends.
    const exemplars = relabelled(between(await sender.exemplars(), 0, until), (labels) =>
      asConfigured({ ...labels, cluster: 'e2e' }),
    )
    expect(exemplars.size).toBe(3)
    const arrived = async () => between(await origin.exemplars(), 0, until)
    expect(await settled(exemplars, arrived)).toEqual([])
  })

  test('an agent loses nothing: the origin holds what was shown at each scrape', async () => {
    const target = await startScrapeTarget(rig)
    const origin = await startPrometheus(rig, {})
    const sluice = await startSluice(rig, [{ name: 'origin', url: origin.writeUrl }])
    await startPrometheus(rig, senderConfig(target, sluice.remoteWrite), { mode: 'agent' })
    await scraped(target, SCRAPES)

    const labels = { job: 'text', instance: target.address, cluster: 'e2e' }
    const shown = target.scrapes.slice(0, SCRAPES - 1)
    const up = seriesKey(asConfigured({ __name__: 'up', ...labels }) ?? {})
    const ups = () => origin.read('up', 0, Date.now())
    const times = await scrapeTimes(ups, up, shown.length)
    const want = relabelled(
      shownSeries(shown, labels, (n) => times[n]),
      asConfigured,
    )
    const end = times[times.length - 1]
    const floats = () => origin.read('e2e_[^n].*|e2e_node', 0, end)
    expect(await settled(want, floats)).toEqual([])
    shown.forEach(({ at }, n) => {
      expect(times[n], `time of scrape ${n}`).toBeLessThanOrEqual(at)
      expect(times[n], `time of scrape ${n}`).toBeGreaterThan(at - 900)
    })
  })
})
