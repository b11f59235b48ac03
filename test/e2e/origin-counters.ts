import { expect } from 'vitest'
import { metricSum, type Prometheus } from './prometheus.ts'
import type { Sluice } from './sluice.ts'

// What a sender's and Sluice's own metrics say of a run.

/** The sender has had everything written, and has no doubt about it. */
export async function nothingFailed(sender: Prometheus, sluice: Sluice): Promise<void> {
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
export const refused = (sluice: Sluice, origin: string) =>
  sluice.ownMetric(`sluice_origin_requests_total{origin="${origin}",outcome="rejected"}`)

/** Whether each point that came in was delivered to this origin or dropped, once, as docs/delivery.md says. */
export function addsUp(metrics: string, origin: string): boolean {
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
