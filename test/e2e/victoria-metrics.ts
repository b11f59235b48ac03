import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { freePort, type RunningProcess } from './process.ts'
import type { Rig } from './rig.ts'
import {
  bitsFloat,
  floatBits,
  type Labels,
  type Point,
  type SeriesMap,
  STALE,
  seriesKey,
} from './series.ts'

/** A running VictoriaMetrics. */
export interface VictoriaMetrics {
  readonly url: string
  /** Where it takes remote write, Prometheus' and its own zstd variant. */
  readonly writeUrl: string
  /**
   * Every stored point of the series that `selector` matches, stale markers too, as `asVictoriaMetricsKeeps` says.
   */
  read(selector: string): Promise<SeriesMap>
  /** What /api/v1/metadata gives: metric families by name. */
  metadata(): Promise<Readonly<Record<string, readonly { type: string; help: string }[]>>>
  /** How many series an instant query finds. */
  count(selector: string): Promise<number>
}

interface ExportLine {
  readonly metric: Labels
  readonly values: readonly (number | string | null)[]
  readonly timestamps: readonly number[]
}

/** Starts VictoriaMetrics. With `deduplicate` a point that arrives again is kept once, as its users with retrying senders set it. */
export async function startVictoriaMetrics(
  rig: Rig,
  { deduplicate }: { deduplicate: boolean },
): Promise<VictoriaMetrics> {
  const address = `127.0.0.1:${await freePort()}`
  const url = `http://${address}`
  const flags = [
    `-storageDataPath=${join(rig.folder('victoria-metrics-data'), 'data')}`,
    `-httpListenAddr=${address}`,
    '-loggerLevel=WARN',
    '-retentionPeriod=1d',
    '-search.latencyOffset=0s',
    ...(deduplicate ? ['-dedup.minScrapeInterval=1ms'] : []),
  ]
  await rig.start('victoria-metrics', flags, `${url}/health`)

  async function get(path: string, parameters: Record<string, string> = {}): Promise<string> {
    // What came in during the last second is searchable only after this.
    await fetch(`${url}/internal/force_flush`)
    const response = await fetch(`${url}${path}?${new URLSearchParams(parameters)}`)
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return text
  }

  return {
    url,
    writeUrl: `${url}/api/v1/write`,
    read: async (selector) =>
      asVictoriaMetricsKeeps(readExport(await get('/api/v1/export', { 'match[]': selector }))),
    metadata: async () => JSON.parse(await get('/api/v1/metadata')).data,
    count: async (query) => JSON.parse(await get('/api/v1/query', { query })).data.result.length,
  }
}

function readExport(text: string): SeriesMap {
  const result = new Map<string, readonly Point[]>()
  for (const line of text.split('\n').filter(Boolean)) {
    const { metric, values, timestamps } = JSON.parse(line) as ExportLine
    const points = values.map((value, i) => ({ time: timestamps[i], value: exportedBits(value) }))
    result.set(seriesKey(metric), points)
  }
  return result
}

/** null is a stale marker, the only NaN that is stored. */
function exportedBits(value: number | string | null): string {
  return value === null ? STALE : floatBits(Number(value))
}

/**
 * `series` as VictoriaMetrics stores it: decimals that hold twelve digits for sure and nothing below the normal doubles, and
 * no NaN but the stale marker.
 */
export function asVictoriaMetricsKeeps(series: SeriesMap): SeriesMap {
  const result = new Map<string, readonly Point[]>()
  for (const [key, points] of series) {
    const kept = points.flatMap(({ time, value }) => {
      const float = bitsFloat(value)
      if (value !== STALE && Number.isNaN(float)) return []
      return [{ time, value: value === STALE ? value : floatBits(twelveDigits(float)) }]
    })
    if (kept.length > 0) result.set(key, kept)
  }
  return result
}

function twelveDigits(float: number): number {
  return Math.abs(float) < 2 ** -1022 ? 0 : Number(float.toPrecision(12))
}

/** Starts vmagent, which scrapes as `scrapeConfigs` (Prometheus' format) say and writes to `writeUrl`. */
export async function startVmagent(
  rig: Rig,
  scrapeConfigs: readonly object[],
  writeUrl: string,
  flags: readonly string[] = [],
): Promise<RunningProcess> {
  const folder = rig.folder('vmagent-data')
  const configFile = join(folder, 'scrape.yml')
  writeFileSync(configFile, stringify({ scrape_configs: scrapeConfigs }))
  const address = `127.0.0.1:${await freePort()}`
  const all = [
    '-loggerLevel=WARN',
    `-promscrape.config=${configFile}`,
    // Prometheus' own scrape keys are skipped.
    '-promscrape.config.strictParse=false',
    `-remoteWrite.url=${writeUrl}`,
    `-remoteWrite.tmpDataPath=${join(folder, 'queue')}`,
    `-httpListenAddr=${address}`,
    ...flags,
  ]
  return rig.start('vmagent', all, `http://${address}/health`)
}
