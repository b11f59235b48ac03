import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SnappyJS from 'snappyjs'
import { buildWorker } from '../build-worker.ts'
import { type LoadResult, runLoad } from './load.ts'
import { cpuSeconds, peakMebibytes, type Receiver, startSluice, startVmagent } from './peers.ts'
import { type BodyOptions, requestBodies } from './shape.ts'
import { type Sink, startSink } from './sink.ts'

/** How long the whole-proxy benchmark takes. The defaults: about four minutes. */
export interface ProxyBenchOptions {
  readonly rounds?: number
  /** Of each load. */
  readonly seconds?: number
  /** A folder that `buildWorker` filled; without it the Worker is built. */
  readonly build?: string
}

const SERIES_PER_REQUEST = 2000
const CONNECTIONS = [4, 1]
/** Active series of the comparison: they stay in Sluice's table; vmagent has none. */
const WARM_SERIES = 10_000
const ACTIVE_SERIES = [10_000, 100_000, 1_000_000]

/** What one load told about one receiver. */
interface Measured extends LoadResult {
  readonly samplesPerCpuSecond: number
  readonly bytesPerSample: number
}

/**
 * Prints three tables: Sluice beside vmagent with the same load and rules in turns, what the client and the sink need
 * by themselves, and Sluice with more and more active series. Linux only: it reads /proc.
 */
export async function proxyBench(options: ProxyBenchOptions = {}): Promise<void> {
  const { rounds = 3, seconds = 8 } = options
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-build-'))
  const sink = await startSink()
  try {
    if (options.build === undefined) await buildWorker(folder)
    const build = options.build ?? folder
    await compare(sink, rounds, seconds, build)
    await activeSeries(sink, seconds, build)
  } finally {
    await sink.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compare(sink: Sink, rounds: number, seconds: number, build: string): Promise<void> {
  const bodies = compressed({ shape: 'pod-per-series', series: WARM_SERIES })
  const receivers = [await startSluice(sink.url, build), await startVmagent(sink.url)].filter(
    (receiver) => receiver !== undefined,
  )
  if (receivers.length === 1) console.log('without vmagent, which is not built: npm run peers')
  const load = (receiver: Receiver, connections: number, milliseconds: number) =>
    measure(receiver, sink, { bodies, connections, milliseconds })
  try {
    for (const receiver of receivers) await load(receiver, 1, 2000)
    const results = new Map<string, Measured[]>()
    for (let round = 0; round < rounds; round++) {
      for (const connections of CONNECTIONS) {
        for (const receiver of receivers) {
          const key = `${receiver.name} ${connections}`
          const measured = await load(receiver, connections, seconds * 1000)
          results.set(key, [...(results.get(key) ?? []), measured])
        }
      }
    }
    console.log(
      `\n${SERIES_PER_REQUEST} series x 10 labels a request, every series its own pod, ${whole(WARM_SERIES)} of them active, ten rules; medians of ${rounds} rounds of ${seconds} s in turns`,
    )
    printTable([
      ...CONNECTIONS.flatMap((connections) => {
        const measured = receivers.map(({ name }) => results.get(`${name} ${connections}`) ?? [])
        return receivers.map((receiver, i) => row(receiver, connections, measured[i], measured[1]))
      }),
      ...(await withoutProxy(sink, bodies)),
    ])
  } finally {
    for (const receiver of receivers) await receiver.stop()
  }
}

/** One line of the first table. `other` is vmagent's. */
function row(
  { name, pid }: Receiver,
  connections: number,
  measured: readonly Measured[],
  other: readonly Measured[] | undefined,
): Record<string, string> {
  const of = (field: 'samplesPerCpuSecond' | 'p50' | 'p99' | 'bytesPerSample') =>
    median(measured.map((one) => one[field]))
  const theirs = other && median(other.map((one) => one.samplesPerCpuSecond))
  return {
    receiver: name,
    connections: String(connections),
    'samples per CPU-second': whole(of('samplesPerCpuSecond')),
    'to vmagent': theirs ? `${(of('samplesPerCpuSecond') / theirs).toFixed(2)} x` : '',
    'samples per second': whole(
      median(measured.map(({ requests, seconds }) => (requests * SERIES_PER_REQUEST) / seconds)),
    ),
    'p50 ms': of('p50').toFixed(1),
    'p99 ms': of('p99').toFixed(1),
    'bytes out per sample': of('bytesPerSample').toFixed(1),
    'peak MiB': peakMebibytes(pid).toFixed(0),
    errors: errorText(measured),
  }
}

/** The client straight to the sink: what of the latencies above is not the receivers'. */
async function withoutProxy(
  { url }: Sink,
  bodies: readonly Uint8Array[],
): Promise<Record<string, string>[]> {
  const rows: Record<string, string>[] = []
  for (const connections of CONNECTIONS) {
    const result = await runLoad({ url, bodies, connections, milliseconds: 2000 })
    rows.push({
      receiver: '(none)',
      connections: String(connections),
      'samples per second': whole((result.requests * SERIES_PER_REQUEST) / result.seconds),
      'p50 ms': result.p50.toFixed(1),
      'p99 ms': result.p99.toFixed(1),
      errors: errorText([result]),
    })
  }
  return rows
}

async function activeSeries(sink: Sink, seconds: number, build: string): Promise<void> {
  const rows: Record<string, string>[] = []
  for (const shape of ['pod-per-series', 'kubernetes'] as const) {
    for (const series of ACTIVE_SERIES) {
      const bodies = compressed({ shape, series })
      const sluice = await startSluice(sink.url, build)
      try {
        // Once through all series first, so that what is measured is what comes back.
        const first = { bodies, connections: 4, milliseconds: 120_000, requests: bodies.length }
        await measure(sluice, sink, first)
        const before = await tableCounts(sluice)
        const load = { bodies, connections: 4, milliseconds: seconds * 1000 }
        const measured = await measure(sluice, sink, load)
        const after = await tableCounts(sluice)
        const [hits, misses] = [after.hits - before.hits, after.misses - before.misses]
        rows.push({
          shape,
          'active series': whole(series),
          'hit rate': `${((100 * hits) / (hits + misses)).toFixed(1)} %`,
          'turn-overs': String(after.turnOvers - before.turnOvers),
          'samples per CPU-second': whole(measured.samplesPerCpuSecond),
          'p50 ms': measured.p50.toFixed(1),
          'p99 ms': measured.p99.toFixed(1),
          'bytes out per sample': measured.bytesPerSample.toFixed(1),
          'peak MiB': peakMebibytes(sluice.pid).toFixed(0),
          errors: errorText([measured]),
        })
      } finally {
        await sluice.stop()
      }
    }
  }
  console.log(`\nSluice with more and more active series, 4 connections, ${seconds} s each`)
  printTable(rows)
}

async function tableCounts(
  sluice: Receiver,
): Promise<{ hits: number; misses: number; turnOvers: number }> {
  return {
    hits: await sluice.ownMetric('sluice_table_hits_total'),
    misses: await sluice.ownMetric('sluice_table_misses_total'),
    turnOvers: await sluice.ownMetric('sluice_table_turn_overs_total'),
  }
}

/** Runs one load and waits until the receiver has sent everything on; all CPU until then is its. */
async function measure(
  receiver: Receiver,
  sink: Sink,
  load: {
    bodies: readonly Uint8Array[]
    connections: number
    milliseconds: number
    requests?: number
  },
): Promise<Measured> {
  const [cpu, { bytes }] = [cpuSeconds(receiver.pid), await sink.counts()]
  const result = await runLoad({ url: receiver.url, ...load })
  await receiver.drained()
  const samples = (result.requests - result.errors) * SERIES_PER_REQUEST
  return {
    ...result,
    samplesPerCpuSecond: samples / (cpuSeconds(receiver.pid) - cpu),
    bytesPerSample: ((await sink.counts()).bytes - bytes) / samples,
  }
}

/** Bodies for a load: of each slice of the series, as often as it takes to have times that go on for a while. */
function compressed(options: BodyOptions): Uint8Array[] {
  const slices = [...requestBodies({ ...options, perRequest: SERIES_PER_REQUEST })]
  const stamps = Math.max(1, Math.floor(200 / slices.length))
  const start = Date.now() - stamps * 1000
  return Array.from({ length: stamps }, (_, i) =>
    slices.map((body) => {
      body.stamp(start + i * 1000)
      return SnappyJS.compress(body.bytes)
    }),
  ).flat()
}

function errorText(results: readonly LoadResult[]): string {
  const count = results.reduce((sum, { errors }) => sum + errors, 0)
  const first = results.find(({ firstError }) => firstError !== undefined)?.firstError
  return first === undefined ? '0' : `${count} (${first.split('\n')[0].slice(0, 80)})`
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function printTable(rows: readonly Record<string, string>[]): void {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i].length)))
  const text = (line: readonly string[]) =>
    `| ${line.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`
  console.log(text(lines[0]))
  console.log(text(widths.map((width) => '-'.repeat(width))))
  for (const line of lines.slice(1)) console.log(text(line))
}

if (process.argv[1] === import.meta.filename) await proxyBench()
