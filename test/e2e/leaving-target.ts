import { startGate } from './gate.ts'
import type { Rig } from './rig.ts'
import { startScrapeTarget } from './scrape-target.ts'

/** A target that can go away. */
export interface LeavingTarget {
  /** The job that scrapes it. */
  readonly job: object
  /** How many scrapes were answered. */
  scrapes(): number
  /** From now on each scrape fails, so that all of its series end. */
  leave(): void
}

/** Starts a target that shows what `startScrapeTarget` does under /metrics, to be scraped as `job` says. */
export async function startLeavingTarget(rig: Rig, job: object): Promise<LeavingTarget> {
  const { address, scrapes } = await startScrapeTarget(rig)
  const gate = await startGate(rig, `http://${address}/metrics`)
  const { host } = new URL(gate.url)
  return {
    job: { ...job, job_name: 'leaving', static_configs: [{ targets: [host] }] },
    scrapes: () => scrapes.length,
    leave: gate.shut,
  }
}
