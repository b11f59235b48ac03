import { once } from 'node:events'
import type { Writable } from 'node:stream'
import SnappyJS from 'snappyjs'
import { type Batch, batchUp } from '../src/batch/batch.ts'
import { totalOf } from '../src/batch/counts.ts'
import { parseConfig } from '../src/config/parse.ts'
import type { Config, OriginConfig } from '../src/config/types.ts'
import { type Loaded, otlpIngress } from '../src/ingress.ts'
import { RequestError } from '../src/wire/request-error.ts'
import { Workspace } from '../src/workspace.ts'
import type { CheckIo } from './check-relabel.ts'
import { readConfigFile, readDevVars } from './config-file.ts'
import { seriesText } from './series-text.ts'
import { StartProblem } from './start-problem.ts'

/** How `checkTranslate` reads what it is given. */
export interface TranslateOptions {
  /** A config; without one, Prometheus' defaults. */
  readonly config?: string
  /** The document is protobuf, not JSON. */
  readonly proto: boolean
}

const DEFAULTS = 'remote_write: [{url: "http://localhost/"}]\nsluice: {auth: none}'

/**
 * `check translate`: reads one OTLP document and prints the series that become of it, a line each, as `seriesText` has
 * them: after the config's `otlp` block, ingress rules and external labels, before any origin's own rules. It takes
 * the way that a request takes, but that a document may be of any time. What is rejected, and why, goes to stderr.
 *
 * Resolves to the exit code: 1 when the config or the document is bad, or some of it is rejected.
 */
export async function checkTranslate(
  { config: file, proto }: TranslateOptions,
  kernelModule: () => WebAssembly.Module,
  { stdin, stdout, stderr }: CheckIo,
): Promise<number> {
  const complain = (line: string) => print(stderr, line)
  try {
    const { config, problems } = file === undefined ? defaults() : readConfig(file)
    if (config === undefined) {
      for (const problem of problems) await complain(problem)
      return 1
    }
    const plain = plainConfig(config)
    const document = await readAll(stdin, plain.limits.decoded)
    const { batch, loaded, lines } = translate(document, proto, plain, kernelModule())
    for (const line of lines) await print(stdout, line)
    for (const note of notesOn(batch, loaded)) await complain(note)
    const rejections = rejectionsOf(batch, loaded)
    for (const rejection of rejections) await complain(rejection)
    return rejections.length > 0 ? 1 : 0
  } catch (error) {
    if (!(error instanceof RequestError) && !(error instanceof StartProblem)) throw error
    await complain(error.message)
    return 1
  }
}

interface Given {
  readonly config?: Config
  /** Why there is none. Warnings are what `check config` is for. */
  readonly problems: readonly string[]
}

function defaults(): Given {
  return { config: parseConfig(DEFAULTS, {}).config!, problems: [] }
}

/** Nothing is served, so there need be no `sluice.auth`, and no secrets: when some binding is missing each one's value is its name. */
function readConfig(file: string): Given {
  const environment = { ...readDevVars('.dev.vars'), ...process.env }
  const whole = readConfigFile(file, environment, { openWithoutAuth: true })
  if (whole.config !== undefined) return whole
  const pretended = { openWithoutAuth: true, ignoreBindings: true }
  const { problems, ...rest } = readConfigFile(file, environment, pretended)
  return { ...rest, problems: problems.filter((problem) => problem.includes(': error: ')) }
}

/** One origin that takes everything, in the protocol that can say most of those there are. */
function plainConfig(config: Config): Config {
  const like = config.origins.find(({ message }) => message === 2) ?? config.origins[0]!
  const origin: OriginConfig = {
    ...like,
    writeRelabelConfigs: [],
    compression: 'snappy',
    sendExemplars: true,
    sendNativeHistograms: true,
    sendMetadata: false,
  }
  return { ...config, origins: [origin] }
}

interface Translated {
  readonly batch: Batch
  readonly loaded: Loaded
  readonly lines: readonly string[]
}

function translate(
  document: Uint8Array,
  proto: boolean,
  config: Config,
  kernelModule: WebAssembly.Module,
): Translated {
  const content = proto ? 'protobuf' : 'json'
  const ingress = otlpIngress({ content, encoding: 'identity', length: undefined })
  const workspace = new Workspace(kernelModule)
  const limits = workspace.limits(config)
  return workspace.enter(config, ({ kernel, table, streams }) =>
    kernel.use(() => {
      const loaded = ingress.load(kernel, document, limits)
      const options = {
        protocol: ingress.protocol,
        tenant: 0,
        latest: Number.MAX_SAFE_INTEGER,
        maxSeries: limits.series,
        subrequests: Number.POSITIVE_INFINITY,
      }
      try {
        const batch = batchUp(kernel, table, streams, workspace.pool, loaded.n, options)
        const pieces = batch.cargos.flatMap((cargo) => cargo.pieces)
        const messages = pieces.map(({ bytes }) => new Uint8Array(SnappyJS.uncompress(bytes)))
        return { batch, loaded, lines: seriesText(messages, streams[0]!.message) }
      } catch (error) {
        if (error instanceof RequestError && error.status === 400)
          throw ingress.explain(error, document)
        throw error
      }
    }),
  )
}

/** What is left out as the config says. */
function notesOn({ dropped, cargos, points }: Batch, { idsDropped }: Loaded): string[] {
  const superseded = cargos.reduce((sum, cargo) => sum + totalOf(cargo.superseded), 0)
  const unwanted = cargos.reduce((sum, cargo) => sum + totalOf(cargo.unwanted), 0)
  return [
    [totalOf(dropped), 'dropped by sluice.relabel_configs'],
    [superseded, 'left out: the same series and time came again'],
    [unwanted, 'left out: histograms with custom buckets, as the config says'],
    [points?.dropped ?? 0, 'delta points left out, as otlp.delta says'],
    [idsDropped, 'trace or span ids left out: they are not hexadecimal'],
  ].flatMap(([n, what]) => (n === 0 ? [] : [`note: ${n} ${what}`]))
}

function rejectionsOf({ points, refusals, cargos }: Batch, loaded: Loaded): string[] {
  const oversize = cargos.reduce((sum, cargo) => sum + totalOf(cargo.oversize), 0)
  const reasons = [...loaded.rejected.map(({ reason }) => reason), ...refusals]
  if (oversize > 0) reasons.push(`${oversize} items are each larger than max_bytes_per_send`)
  const unread = loaded.rejected.reduce((sum, { points }) => sum + points, 0)
  const byCode = [
    ...(unread > 0 ? [{ code: 'malformed_json', count: unread }] : []),
    ...(points?.rejected ?? []),
  ]
  const rejected = byCode.reduce((sum, { count }) => sum + count, 0)
  const all = (points?.received ?? 0) + unread
  const codes = byCode.map(({ code, count }) => `${code} ${count}`).join(', ')
  return [
    ...reasons.map((reason) => `rejected: ${reason}`),
    ...(rejected > 0 ? [`${rejected} of ${all} data points rejected: ${codes}`] : []),
  ]
}

/** All of stdin; no more than one byte over `most` is kept. */
async function readAll(stdin: CheckIo['stdin'], most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stdin) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    chunks.push(bytes)
    length += bytes.length
    if (length > most) break
  }
  return Buffer.concat(chunks).subarray(0, most + 1)
}

async function print(stream: Writable, line: string): Promise<void> {
  if (!stream.write(`${line}\n`)) await once(stream, 'drain')
}
