import { eventually } from './eventually.ts'
import type { ScrapeTarget } from './scrape-target.ts'
import { type Labels, relabelled, type SeriesMap } from './series.ts'

/** The classic histogram of the target. A sender that is told to makes one with custom buckets of it, and may keep it besides. */
export const LATENCY = 'e2e_latency_seconds'

/** The job that scrapes floats and exemplars. */
export function textJob({ address }: ScrapeTarget): object {
  return {
    job_name: 'text',
    scrape_interval: '1s',
    scrape_protocols: ['OpenMetricsText1.0.0'],
    static_configs: [{ targets: [address] }],
  }
}

/** The job that scrapes native histograms. */
export function nativeJob({ address }: ScrapeTarget): object {
  return {
    job_name: 'native',
    metrics_path: '/native',
    scrape_interval: '1s',
    scrape_native_histograms: true,
    scrape_protocols: ['PrometheusProto'],
    static_configs: [{ targets: [address] }],
  }
}

/** A Prometheus config that runs `jobs` on `target`, all if not said, and sends everything there is to `remoteWrite`. */
export function senderConfig(
  target: ScrapeTarget,
  remoteWrite: object,
  jobs = [textJob(target), nativeJob(target)],
): object {
  return {
    global: { external_labels: { cluster: 'e2e' } },
    scrape_configs: jobs,
    remote_write: [
      {
        send_exemplars: true,
        send_native_histograms: true,
        metadata_config: { send_interval: '1s' },
        queue_config: { batch_send_deadline: '500ms', max_backoff: '1s' },
        ...remoteWrite,
      },
    ],
  }
}

/** Resolves when `target` was scraped `count` times on both paths that its scraper knows. */
export async function scraped(target: ScrapeTarget, count: number, paths = 2): Promise<void> {
  const enough = async () =>
    target.scrapes.length >= count && (paths < 2 || target.nativeScrapes() >= count)
  await eventually(`${count} scrapes`, enough, (count + 20) * 1000)
}

/** When the first `count` scrapes were, as an origin has it: the times of the series `key`, once it has so many points. */
export async function scrapeTimes(
  read: () => Promise<SeriesMap>,
  key: string,
  count: number,
): Promise<number[]> {
  return eventually(`${count} points of ${key}`, async () => {
    const points = (await read()).get(key) ?? []
    return points.length >= count && points.slice(0, count).map(({ time }) => time)
  })
}

/** What the sender has as it leaves it: with its external label. */
export function sent(series: SeriesMap, more: Labels = {}): SeriesMap {
  return relabelled(series, (labels) => ({ ...labels, cluster: 'e2e', ...more }))
}
