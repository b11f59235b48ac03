import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { freePort } from './process.ts'
import { type QueryResult, queryApi } from './query-api.ts'
import { remoteRead } from './remote-read.ts'
import type { Rig } from './rig.ts'
import { type Labels, type SeriesMap, seriesKey } from './series.ts'

/** A running Prometheus. */
export interface Prometheus {
  readonly url: string
  /** Where it takes remote write. */
  readonly writeUrl: string
  /** Where it takes OTLP metrics. */
  readonly otlpUrl: string
  /** The result of an instant query, now or at that time (milliseconds). */
  query(promql: string, time?: number): Promise<readonly QueryResult[]>
  /** Every exemplar of the last hour and the next two, its labels and value as the API prints them. */
  exemplars(): Promise<SeriesMap>
  /** Raw points, bit for bit: `remoteRead`. */
  read(pattern: string, start: number, end: number): Promise<SeriesMap>
  /** The result of a range query, each second from `start` to `end` (milliseconds). */
  queryRange(promql: string, start: number, end: number): Promise<readonly QueryResult[]>
  /** The sum of one of its own metrics. */
  ownMetric(name: string): Promise<number>
  /** All it wrote so far: warnings and errors. */
  log(): string
}

/** How a Prometheus is run, besides its config file. */
export interface PrometheusOptions {
  /** A `server` has storage and the receivers on. */
  readonly mode?: 'server' | 'agent'
  /** The versions of remote write that it accepts. */
  readonly versions?: readonly (1 | 2)[]
  /** Its `--enable-feature`, besides those that all have. */
  readonly features?: readonly string[]
}

interface ExemplarSeries {
  readonly seriesLabels: Labels
  readonly exemplars: readonly { labels: Labels; value: string; timestamp: number }[]
}

/** `protobuf_message` of remote write 1.0 and 2.0, in Prometheus' own words. */
export const MESSAGES = {
  1: 'prometheus.WriteRequest',
  2: 'io.prometheus.write.v2.Request',
} as const

/** What a Prometheus accepts besides scraping: OTLP, and these versions of remote write. */
function receivers(versions: readonly (1 | 2)[]): string[] {
  const accepted = versions.map(
    (version) => `--web.remote-write-receiver.accepted-protobuf-messages=${MESSAGES[version]}`,
  )
  return ['--web.enable-remote-write-receiver', ...accepted, '--web.enable-otlp-receiver']
}

/** Starts Prometheus with a config of its own format: a server that accepts both versions of remote write unless told otherwise. */
export async function startPrometheus(
  rig: Rig,
  config: object,
  { mode = 'server', versions = [1, 2], features = [] }: PrometheusOptions = {},
): Promise<Prometheus> {
  const folder = rig.folder('prometheus-data')
  const configFile = join(folder, 'prometheus.yml')
  writeFileSync(configFile, stringify(config))
  const address = `127.0.0.1:${await freePort()}`
  const url = `http://${address}`
  const modeFlags =
    mode === 'agent'
      ? ['--agent', `--storage.agent.path=${join(folder, 'wal')}`]
      : [`--storage.tsdb.path=${join(folder, 'tsdb')}`, ...receivers(versions)]
  const flags = [
    `--config.file=${configFile}`,
    `--web.listen-address=${address}`,
    // With 2.0 metadata is sent from the write-ahead log.
    `--enable-feature=${['exemplar-storage', 'metadata-wal-records', ...features].join()}`,
    '--log.level=warn',
    ...modeFlags,
  ]
  const { log } = await rig.start('prometheus', flags, `${url}/-/ready`)

  return {
    url,
    writeUrl: `${url}/api/v1/write`,
    otlpUrl: `${url}/api/v1/otlp/v1/metrics`,
    query: async (query, time) => {
      const at: Record<string, string> = time === undefined ? {} : { time: String(time / 1000) }
      return (await queryApi<{ result: QueryResult[] }>(url, 'query', { query, ...at })).result
    },
    async queryRange(query, start, end) {
      const range = { start: String(start / 1000), end: String(end / 1000), step: '1' }
      const parameters = { query, ...range }
      return (await queryApi<{ result: QueryResult[] }>(url, 'query_range', parameters)).result
    },
    async exemplars() {
      const now = Date.now() / 1000
      const range = { start: String(now - 3600), end: String(now + 7200) }
      return exemplarPoints(
        await queryApi(url, 'query_exemplars', { query: '{__name__=~".+"}', ...range }),
      )
    },
    read: (pattern, start, end) => remoteRead(url, pattern, start, end),
    ownMetric: async (name) => metricSum(await (await fetch(`${url}/metrics`)).text(), name),
    log,
  }
}

function exemplarPoints(found: readonly ExemplarSeries[]): SeriesMap {
  const series = found.map(({ seriesLabels, exemplars }) => {
    const points = exemplars.map(({ labels, value, timestamp }) => ({
      time: Math.round(timestamp * 1000),
      value: `${seriesKey(labels)} ${value}`,
    }))
    return [seriesKey(seriesLabels), points] as const
  })
  return new Map(series)
}

/** The sum over the series of metric `name` in the text format. */
export function metricSum(exposition: string, name: string): number {
  return exposition
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
