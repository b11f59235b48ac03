import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { peerBinary } from '../peers.ts'
import { serve } from '../serve.ts'
import { benchConfigText, rulesFile } from './bench-config.ts'
import type { Sink } from './sink.ts'

/** A program under load: takes remote write, relabels it with the same ten rules, sends it on. */
export interface Receiver {
  readonly name: string
  /** Where it takes remote write; undefined where it takes OTLP only. */
  readonly url?: string
  /** Where it takes OTLP. */
  readonly otlpUrl: string
  readonly pid: number
  /** Resolves when all it has accepted was sent on. */
  drained(): Promise<void>
  /** The sum of one of its own metrics. */
  ownMetric(name: string): Promise<number>
  stop(): Promise<void>
}

/** Sluice under plain workerd. `build`: a folder that `buildWorker` filled. It answers after it has sent on. */
export async function startSluice(origin: string, build?: string): Promise<Receiver> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const configText = benchConfigText({ url: origin })
  const { url, pid, stop } = await serve({
    configText,
    host: '127.0.0.1',
    port: 0,
    dataDir: folder,
    build,
  })
  return {
    name: 'Sluice',
    url: `${url}/api/v1/write`,
    otlpUrl: `${url}/v1/metrics`,
    pid,
    drained: async () => {},
    ownMetric: (name) => metric(`${url}/metrics`, name),
    stop: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** vmagent, or undefined when `npm run peers` has not built it. It answers first and sends on from its queue. */
export async function startVmagent(origin: string): Promise<Receiver | undefined> {
  const binary = peerBinary('vmagent')
  if (binary === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(
    binary,
    [
      `-httpListenAddr=${address}`,
      `-remoteWrite.url=${origin}`,
      '-remoteWrite.forcePromProto',
      `-remoteWrite.relabelConfig=${rulesFile}`,
      `-remoteWrite.tmpDataPath=${folder}`,
      '-loggerLevel=ERROR',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const gone = new Promise((resolve) => child.once('exit', resolve))
  process.once('exit', () => child.kill('SIGKILL'))
  const ownMetric = (name: string) => metric(`http://${address}/metrics`, name)
  await until(async () => (await fetch(`http://${address}/health`)).ok)
  const pending = async () =>
    (await ownMetric('vmagent_remotewrite_pending_data_bytes')) +
    (await ownMetric('vmagent_remotewrite_pending_inmemory_blocks'))
  return {
    name: 'vmagent',
    url: `http://${address}/api/v1/write`,
    otlpUrl: `http://${address}/opentelemetry/v1/metrics`,
    pid: child.pid ?? 0,
    drained: async () => {
      // What is not in a block yet goes out after a second at the latest.
      await new Promise((resolve) => setTimeout(resolve, 1500))
      await until(async () => (await pending()) === 0)
    },
    ownMetric,
    stop: async () => {
      child.kill('SIGTERM')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * The OpenTelemetry Collector with its OTLP receiver, processors that do what the rules do as far as they can, and its remote write exporter; undefined when
 * `npm run peers -- otelcol` has not built it. It answers first and sends on from its batches.
 */
export async function startCollector(sink: Sink): Promise<Receiver | undefined> {
  const binary = peerBinary('otelcol')
  if (binary === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const address = `127.0.0.1:${await freePort()}`
  const file = join(folder, 'config.yaml')
  const config = readFileSync(collectorConfig, 'utf8')
    .replace('127.0.0.1:9303', address)
    .replace('http://127.0.0.1:9301/api/v1/write', sink.url)
  writeFileSync(file, config)
  const child = spawn(binary, ['--config', `file:${file}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  process.once('exit', () => child.kill('SIGKILL'))
  const empty = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
  await until(async () => (await fetch(`http://${address}/v1/metrics`, empty)).ok)
  return {
    name: 'Collector',
    otlpUrl: `http://${address}/v1/metrics`,
    pid: child.pid ?? 0,
    // It has no metric that tells: all is sent on when nothing has arrived for a while.
    drained: async () => {
      let before = -1
      for (let left = 60; left > 0; left--) {
        await new Promise((resolve) => setTimeout(resolve, 1500))
        const { bytes } = await sink.counts()
        if (bytes === before) return
        before = bytes
      }
    },
    ownMetric: async () => Number.NaN,
    stop: async () => {
      child.kill('SIGTERM')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const collectorConfig = join(import.meta.dirname, '../../test/peers/otelcol/config.yaml')

/** CPU seconds, of all threads, user and system, that process `pid` has used. Linux only. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name, in parentheses, may hold spaces. After it come fields 3 and on; utime and stime are 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticksPerSecond = 100
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** The most memory that process `pid` ever had resident, in MiB. Linux only. */
export function peakMebibytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(status.match(/^VmHWM:\s+(\d+) kB/m)?.[1] ?? Number.NaN) / 1024
}

async function metric(url: string, name: string): Promise<number> {
  const lines = (await (await fetch(url)).text()).split('\n')
  return lines
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > end) throw new Error('not within a minute')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
