import { describe, expect, test } from 'vitest'
import type { Batch, Cargo } from '../../src/batch/batch.ts'
import type { MutableCounts } from '../../src/batch/counts.ts'
import type { TimeSeries, WriteRequest } from '../../src/wire/gen/prometheus_pb.js'
import { RequestError } from '../../src/wire/request-error.ts'
import { Workspace } from '../../src/workspace.ts'
import { kernelModule } from '../kernel/load.ts'
import { seeded } from '../kernel/raw.ts'
import { config, NOW, type Outcome, Sluice, seriesText } from './harness.ts'
import {
  type Bytes,
  exemplar,
  field,
  histogram,
  label,
  message,
  metadata,
  number,
  sample,
  series,
  text,
} from './message.ts'

// Bodies of two tenants in turn, some of them damaged, through a table that turns over all the time, to origins that differ in rules, wants and
// limits. Whatever comes in ends in exactly one sum, and pieces are what they say.

const T = NOW - 60_000
const KINDS = ['samples', 'histograms', 'exemplars', 'metadata'] as const
type Next = (n: number) => number

class SmallTable extends Sluice {
  override readonly workspace = new Workspace(kernelModule, { table: 65_536 })
}

function randomSluice(next: Next): Sluice {
  const origin = (name: string, rules: string) =>
    `{name: ${name}, url: "http://${name}.test/", queue_config: {max_samples_per_send: ${[1, 3, 20, 2000][next(4)]}}, send_exemplars: ${next(3) > 0}, send_native_histograms: ${next(3) > 0}, write_relabel_configs: [${rules}]}`
  const pods = '{regex: pod, action: labeldrop}'
  const yaml = config(`
remote_write:
  - ${origin('a', '')}
  - ${origin('b', pods)}
  - ${origin('c', pods)}
  - ${origin('d', '{source_labels: [pod], regex: "1|2", action: drop}, {target_label: made, replacement: made}')}
sluice: {auth: none, relabel_configs: [{source_labels: [__name__], regex: m3, action: drop}], limits: {labels: 5, subrequests: 1000}}`)
  const bytes = () => [100, 300, 100_000][next(3)]!
  return new SmallTable({
    ...yaml,
    origins: yaml.origins.map((origin) => ({ ...origin, maxBytesPerSend: bytes() })),
  })
}

function randomBody(next: Next, tenant: number): Uint8Array {
  const point = (): Bytes => {
    const time = T + next(5) + (next(40) ? 0 : 1e9)
    const kind = next(6)
    if (kind === 0) return histogram(1 + next(5), time)
    return kind === 1 ? exemplar({ trace_id: 't' }, next(9), time) : sample(next(5), time, next(3))
  }
  const fields = Array.from({ length: 1 + next(20) }, () => {
    if (next(9) === 0) return metadata(next(8), `m${next(5)}`, 'help')
    const labels = [
      next(40) ? label('__name__', `m${next(5)}`) : label('a', 'b'),
      next(9) ? label('pod', `${next(4)}`) : field(1, [...text(2, 'p'), ...text(1, 'pod')]),
      ...Array.from({ length: next(next(20) ? 2 : 140) }, (_, i) => label(`l${i}`, `${next(90)}`)),
      label('tenant', `t${tenant}`),
    ]
    const points = Array.from({ length: next(3) ? 1 : next(9) }, point)
    const all = [...labels, ...points, ...(next(9) ? [] : [number(9, 1)])]
    return series(...(next(9) ? all : all.reverse()))
  })
  return message(...fields)
}

function damage(next: Next, body: Uint8Array): void {
  for (let i = next(3); i >= 0; i--) body[next(body.length)] = next(3) ? next(256) : 0x80
}

const sum = (all: readonly Readonly<MutableCounts>[], kind: (typeof KINDS)[number]) =>
  all.reduce((n, counts) => n + counts[kind], 0)

function checkSums({ received, dropped, rejected }: Batch, cargo: Cargo): void {
  const { unwanted, superseded, oversize, pieces } = cargo
  const refused = rejected.map(({ counts }) => counts)
  const sent = pieces.map(({ counts }) => counts)
  for (const kind of KINDS) {
    const ends = [dropped, ...refused, cargo.dropped, unwanted, superseded, oversize, ...sent]
    expect(sum(ends, kind), kind).toBe(received[kind])
  }
}

function checkPieces({ stream, pieces }: Cargo, out: WriteRequest[], tenant?: number): void {
  /** Where each series was last, and the last piece that waits for all before it. */
  const seen = new Map<string, number>()
  let wall = 0
  for (const [i, { timeseries, metadata }] of out.entries()) {
    const { counts, uncompressed, after } = pieces[i]!
    const count = (of: (one: TimeSeries) => unknown[]) =>
      timeseries.reduce((n, one) => n + of(one).length, 0)
    expect(counts).toEqual({
      samples: count(({ samples }) => samples),
      histograms: count(({ histograms }) => histograms),
      exemplars: count(({ exemplars }) => exemplars),
      metadata: metadata.length,
    })
    expect(uncompressed).toBeLessThanOrEqual(stream.bytes)
    if (after) wall = i
    for (const { labels } of timeseries) {
      const one = seriesText(labels)
      expect(labels.map(({ name }) => name)).toEqual([...new Set(labels.map((l) => l.name))].sort())
      if (tenant !== undefined) expect(one).toContain(`tenant="t${tenant}"`)
      const before = seen.get(one) ?? i
      expect(before === i || before < wall, `${one} in pieces ${before} and ${i}`).toBe(true)
      seen.set(one, i)
    }
  }
}

/** Undefined when the body is refused, or a piece has text that is no UTF-8 where nobody looks: in exemplars and metadata. */
function attempt(run: () => Outcome): Outcome | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof RequestError || /utf/i.test(String(error))) return undefined
    throw error
  }
}

describe('random bodies', () => {
  test.each([1, 2, 3, 4, 5, 6])('add up, and go out as they say (%i)', (seed) => {
    const next = seeded(seed)
    const sluice = randomSluice(next)
    let turnOvers = 0
    for (let round = 0; round < 60; round++) {
      const tenant = next(2)
      const body = randomBody(next, tenant)
      const damaged = next(5) === 0
      if (damaged) damage(next, body)
      const outcome = attempt(() => sluice.run(body, tenant))
      if (outcome === undefined) {
        expect(damaged).toBe(true)
        continue
      }
      const { batch, out } = outcome
      turnOvers += batch.turnOvers
      for (const [i, cargo] of batch.cargos.entries()) {
        checkSums(batch, cargo)
        checkPieces(cargo, out[i]!, damaged ? undefined : tenant)
      }
    }
    expect(turnOvers).toBeGreaterThan(2)
  })
})
