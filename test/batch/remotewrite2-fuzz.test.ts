import SnappyJS from 'snappyjs'
import { describe, expect, test } from 'vitest'
import { type Batch, batchUp, type Cargo } from '../../src/batch/batch.ts'
import { type MutableCounts, totalOf } from '../../src/batch/counts.ts'
import type { Piece } from '../../src/batch/cut.ts'
import { halve } from '../../src/batch/halve.ts'
import { createPayloadPool } from '../../src/batch/payload-pool.ts'
import { repack } from '../../src/batch/repack.ts'
import { planStreams } from '../../src/batch/streams.ts'
import { unpack } from '../../src/compress/unpack.ts'
import type { Config } from '../../src/config/types.ts'
import { Kernel } from '../../src/kernel/kernel.ts'
import { SeriesTable } from '../../src/series/series-table.ts'
import { compileVariants } from '../../src/series/variants.ts'
import { createTranslator } from '../../src/translate/translator.ts'
import { RequestError } from '../../src/wire/request-error.ts'
import { kernelModule } from '../kernel/load.ts'
import { seeded } from '../kernel/raw.ts'
import { faultsOf } from '../kernel/round-trip.ts'
import { config, NOW } from './harness.ts'
import {
  boundOf,
  damage,
  linesOf,
  linesOut,
  type Next,
  type Request,
  type Rules,
  randomRequest,
  readRequest,
} from './remotewrite2-model.ts'

// Requests of two tenants in both versions, some of them damaged, to origins of both versions that differ in rules, through memory of which there is too little of
// everything. What goes out is what plain TypeScript makes of them, and every piece can be cut and made anew without loss.

const T = NOW - 60_000
const KINDS = ['samples', 'histograms', 'exemplars', 'metadata'] as const
const TENANTS = ['alpha', 'omegas']
const V2 = 'protobuf_message: io.prometheus.write.v2.Request'

function configOf(next: Next): Config {
  const points = () => [1, 3, 20, 2000][next(4)]
  const origin = (name: string, rules: string, more: string) =>
    `  - {name: ${name}, url: "http://${name}.test/", queue_config: {max_samples_per_send: ${points()}}, write_relabel_configs: [${rules}], ${more}}`
  const pods = '{regex: pod, action: labeldrop}'
  const yaml = config(`
remote_write:
${origin('a', '', 'send_exemplars: true')}
${origin('b', '', V2)}
${origin('c', pods, V2)}
${origin('d', pods, 'compression: zstd')}
${origin('e', pods, 'native_histograms_with_custom_buckets: drop')}
${origin('f', pods, `${V2}, send_exemplars: false`)}
sluice: {auth: none, relabel_configs: [{source_labels: [__name__], regex: "c_.*", action: drop}], limits: {labels: 40, subrequests: 10000}}`)
  const bytes = () => [150, 400, 100_000][next(3)]!
  return {
    ...yaml,
    origins: yaml.origins.map((origin) => ({ ...origin, maxBytesPerSend: bytes() })),
  }
}

/** What the rules above come to, by variant. */
const RULES: readonly Rules[] = [
  (labels) => admitted(new Map(labels)),
  (labels) => admitted(new Map(labels.filter(([name]) => name !== 'pod'))),
]

function admitted(labels: Map<string, string>): Map<string, string> | undefined {
  return labels.get('__name__')!.startsWith('c_') || labels.size > 40 ? undefined : labels
}

function sectionOf(config: Config, next: Next) {
  const kernel = new Kernel(kernelModule, {
    body: 65_536,
    decoded: 65_536,
    piece: 100_000,
    key: 2 * 65_535 + 16,
    rows: [60, 400][next(2)]!,
    made: [3000, 20_000][next(2)]!,
    stencils: 131_072,
    table: [1 << 15, 1 << 17][next(2)]!,
  })
  const variants = compileVariants(config, (value, modulus) => kernel.hashmod(value, modulus))
  kernel.setExpand(true)
  const table = new SeriesTable(kernel, variants, config.limits, {
    translator: createTranslator(config.otlp),
    classic: true,
    native: false,
  })
  return { kernel, table, streams: planStreams(config, variants.ofOrigin) }
}

const sum = (all: readonly Readonly<MutableCounts>[], kind: (typeof KINDS)[number]) =>
  all.reduce((n, counts) => n + counts[kind], 0)

function checkSums({ received, dropped, rejected }: Batch, cargo: Cargo): void {
  const { unwanted, superseded, oversize, pieces, expanded, made } = cargo
  const ends = [
    ...[dropped, cargo.dropped, unwanted, superseded, oversize],
    ...rejected.map(({ counts }) => counts),
    ...pieces.map(({ counts }) => counts),
  ]
  const due = { samples: made, histograms: -expanded, exemplars: 0, metadata: 0 }
  for (const kind of KINDS) expect(sum(ends, kind), kind).toBe(received[kind] + due[kind])
}

const decoded = ({ bytes, compression, uncompressed }: Piece) =>
  compression === 'zstd'
    ? unpack(bytes, 'zstd', uncompressed)
    : new Uint8Array(SnappyJS.uncompress(bytes))

/** Lines of the pieces, each of them sound. */
function checkPieces({ stream, pieces }: Cargo, tenant: string | undefined): string[] {
  return pieces.flatMap((piece) => {
    const { counts, uncompressed, message } = piece
    const bytes = decoded(piece)
    const request = readRequest(bytes, message)
    const lines = linesOut(bytes, message)
    expect(uncompressed).toBeLessThanOrEqual(stream.bytes)
    expect(bytes.length).toBe(uncompressed)
    const of = (kind: string) => lines.filter((line) => line.includes(` ${kind}@`)).length
    expect(counts).toEqual({
      samples: of('s'),
      histograms: of('h'),
      exemplars: of('x'),
      metadata: request.metadata.length,
    })
    for (const { labels } of request.series) {
      const names = labels.map(([name]) => name)
      expect(names).toEqual([...new Set(names)].sort())
      expect(labels.every(([name, value]) => name !== '' && value !== '')).toBe(true)
    }
    if (message === 2) expect(faultsOf(bytes)).toEqual([])
    if (tenant !== undefined) checkTenant(request, tenant)
    return lines
  })
}

/** Not a word of another one's. */
function checkTenant({ series, metadata }: Request, tenant: string): void {
  const helps = [...metadata.map(([, text]) => text), ...series.map(({ metadata }) => metadata)]
  // Families that a damaged request brought are remembered, too.
  const other = TENANTS.find((name) => name !== tenant)!
  for (const help of helps) expect(help ?? '').not.toContain(other)
  for (const { labels, points } of series) {
    expect(labels.find(([name]) => name === 'tenant')?.[1]).toBe(tenant)
    for (const { kind, text } of points) if (kind === 'x') expect(text).toContain(`of ${tenant}`)
  }
}

/** The most of each line that there may be, by number. */
function without(all: readonly string[], some: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const line of some) left.set(line, (left.get(line) ?? 0) + 1)
  return all.filter((line) => {
    const n = left.get(line) ?? 0
    left.set(line, n - 1)
    return n <= 0
  })
}

/** Series, kind and time of a line. */
const placeOf = (line: string) => line.split(' ').slice(0, 2).join(' ')

/** Whether a line that is not of the request ends a classic series of one that ends in it: which are known depends on what the table forgot. Its bound is the tenant's own. */
function isEnding(line: string, want: readonly string[], tenant: string): boolean {
  const [, bound] = /,le="([\d.]+)"/.exec(line) ?? []
  if (bound !== undefined && Number(bound) % 0.25 !== boundOf(tenant)) return false
  const ended = line.replace(/_(bucket|count|sum)"/, '"').replace(/,le="[^"]+"/, '')
  return / s@\d+ 020{10}f[08]7f$/.test(line) && want.includes(ended)
}

/** Whether the lines that went out are those of the request, but for what is counted as left out. Returns how many end classic series besides. */
function checkLines(
  request: Request,
  { stream, ...cargo }: Cargo,
  out: readonly string[],
  tenant: string,
): number {
  const expand = stream.message === 1 && stream.expand
  const want = linesOf(request, {
    rules: RULES[stream.variant]!,
    expand,
    latest: BigInt(NOW + 600_000),
  })
  const more = without(out, want)
  expect(more.filter((line) => !expand || !isEnding(line, want, tenant))).toEqual([])
  if (totalOf(cargo.oversize) > 0) return more.length
  // Of several at one time, one goes out; of exemplars all that are wanted, and can travel.
  const places = new Set(out.map(placeOf))
  const exemplars = cargo.unwanted.exemplars > 0
  const customs = stream.message === 1 && !expand
  const missing = want.filter((line) => {
    if (places.has(placeOf(line))) return false
    return !(exemplars && / x@/.test(line)) && !(customs && / h@\d+ -53 /.test(line))
  })
  expect(missing).toEqual([])
  return more.length
}

/** Pieces of each kind are cut, and made anew, without loss. */
function checkAnew(section: ReturnType<typeof sectionOf>, piece: Piece): void {
  const { kernel, table, streams } = section
  const pool = createPayloadPool()
  const lines = (pieces: readonly Piece[]) =>
    pieces.flatMap((piece) => linesOut(decoded(piece), piece.message)).toSorted()
  const whole = lines([piece])
  const halves = halve(kernel, table, pool, piece)
  if (halves.length > 0) {
    expect(halves.length).toBeGreaterThan(1)
    expect(lines(halves)).toEqual(whole)
    for (const half of halves) expect(totalOf(half.counts)).toBeLessThan(totalOf(piece.counts))
  }
  const { points, bytes } = streams[0]!
  const form = { kinds: 15, expand: true, points, bytes: Math.max(bytes, 5000) }
  const repacked = repack(kernel, table, pool, piece, form)
  if (repacked === undefined) return
  const { lost, oversize, expanded, made, pieces } = repacked
  const due = { samples: made, histograms: -expanded, exemplars: 0 }
  for (const kind of ['samples', 'histograms', 'exemplars'] as const) {
    const ends = [lost, oversize, ...pieces.map(({ counts }) => counts)]
    expect(sum(ends, kind), kind).toBe(piece.counts[kind] + due[kind])
  }
  if (expanded + totalOf(oversize) === 0) expect(lines(pieces)).toEqual(whole)
}

describe('random requests of both versions', () => {
  test.each([1, 2, 3, 4, 5, 6])('come out as the model says (%i)', (seed) => fuzz(seed, 120))
})

function fuzz(seed: number, rounds: number): void {
  const next = seeded(seed)
  const config = configOf(next)
  const section = sectionOf(config, next)
  const { kernel, table, streams } = section
  const pool = createPayloadPool()
  let [taken, turnOvers, refused, ended] = [0, 0, 0, 0]
  for (let round = 0; round < rounds; round++) {
    const number = next(2)
    const tenant = TENANTS[number]!
    const version = (1 + next(2)) as 1 | 2
    const fresh = randomRequest(next, version, tenant, T, 12)
    const damaged = next(4) === 0
    const body = damaged ? damage(next, fresh) : fresh
    let batch: Batch
    try {
      batch = kernel.use(() =>
        batchUp(kernel, table, streams, pool, kernel.load(body), {
          protocol: `remotewrite${version}`,
          tenant: number,
          latest: NOW + 600_000,
          maxSeries: 10_000,
          subrequests: 10_000,
        }),
      )
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      if (!damaged) expect(error.status).toBe(413)
      refused++
      continue
    }
    taken++
    turnOvers += batch.turnOvers
    let request: Request | undefined
    try {
      request = readRequest(body, version)
    } catch (error) {
      // A string that is no UTF-8 costs its series only.
      if (!damaged || !/utf/i.test(String(error))) throw error
    }
    for (const cargo of batch.cargos) {
      checkSums(batch, cargo)
      const lines = checkPieces(cargo, damaged ? undefined : tenant)
      if (request && !damaged) ended += checkLines(request, cargo, lines, tenant)
    }
    if (!damaged) {
      const all = batch.cargos.flatMap(({ pieces }) => pieces)
      if (all.length > 0) checkAnew(section, all[next(all.length)]!)
    }
    for (const { pieces } of batch.cargos) for (const { bytes } of pieces) pool.give(bytes)
  }
  expect(taken).toBeGreaterThan(rounds / 2)
  if (kernel.sizes.table < 1 << 16) expect(turnOvers).toBeGreaterThan(0)
  expect(ended).toBeGreaterThan(10)
  expect(refused).toBeLessThan(rounds / 2)
}
