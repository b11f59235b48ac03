import { toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { totalOf } from '../../src/batch/counts.ts'
import type { Config } from '../../src/config/types.ts'
import { ExportMetricsServiceRequestSchema } from '../../src/wire/gen/opentelemetry_pb.js'
import { Workspace } from '../../src/workspace.ts'
import { kernelModule } from '../kernel/load.ts'
import { seeded } from '../kernel/raw.ts'
import { configWith, NOW, type Outcome, Sluice } from './harness.ts'
import { expected, withoutEndings } from './otlp-model.ts'
import { readOutput } from './otlp-output.ts'
import { anyRequest } from './otlp-request.ts'
import { scramble } from './otlp-scramble.ts'

// Requests by chance, in strange forms, through tables that turn over and pieces of few points: what comes out is what the model says.

class Small extends Sluice {
  override readonly workspace: Workspace

  constructor(config: Config, table: number) {
    super(config)
    this.workspace = new Workspace(kernelModule, { table })
  }
}

const rejectedBy = ({ batch }: Outcome) =>
  Object.fromEntries(batch.points!.rejected.map(({ code, count }) => [code, count]))

function checkSums({ batch, raw }: Outcome): void {
  for (const [i, cargo] of batch.cargos.entries()) {
    const { dropped, unwanted, superseded, oversize, pieces, expanded, made } = cargo
    expect(raw[i]).toHaveLength(pieces.length)
    if (expanded > 0) {
      const sums = [dropped, unwanted, superseded, oversize, ...pieces.map((one) => one.counts)]
      const all = [batch.dropped, ...batch.rejected.map(({ counts }) => counts), ...sums]
      const total = all.reduce((n, counts) => n + totalOf(counts), 0)
      expect(total).toBe(totalOf(batch.received) - expanded + made)
      continue
    }
    for (const kind of ['samples', 'histograms', 'exemplars', 'metadata'] as const) {
      const rejected = batch.rejected.map(({ counts }) => counts)
      const ends = [batch.dropped, ...rejected, dropped, unwanted, superseded, oversize]
      const sent = pieces.map(({ counts }) => counts)
      const sum = [...ends, ...sent].reduce((n, counts) => n + counts[kind], 0)
      expect(sum, kind).toBe(batch.received[kind])
    }
  }
}

const RANDOM = 60

describe('requests by chance', () => {
  test.each([
    ['as they are by default', '', 3e7, 2000],
    ['with scopes', 'promote_scope_metadata: true', 3e7, 2000],
    ['with all resource attributes', 'promote_all_resource_attributes: true', 3e7, 2000],
    ['without escaping', 'translation_strategy: NoTranslation', 3e7, 2000],
    ['without target_info', 'target_info: false, exemplar_max_length: 60', 3e7, 2000],
    ['through a table that turns over', 'promote_scope_metadata: true', 3e4, 2000],
    ['through a table that has room for a few points', '', 9000, 3],
    ['as classic series in place of native ones', 'convert_histograms_to_nhcb: true', 3e7, 2000],
    ['so through a table that turns over', 'convert_histograms_to_nhcb: true', 3e4, 3],
    ['in pieces of one point', '', 3e7, 1],
    ['in pieces of three points', 'keep_identifying_resource_attributes: true', 3e4, 3],
  ])(
    'come out %s',
    (_, otlp, table, points) => {
      const next = seeded(points + otlp.length)
      const origin = `queue_config: {max_samples_per_send: ${points}}, send_exemplars: true`
      const names = otlp.includes('NoTranslation')
        ? { global: 'metric_name_validation_scheme: utf8' }
        : {}
      const limits = 'limits: {subrequests: 10000}'
      const config = configWith('[]', { otlp, origin, sluice: limits, ...names })
      const sluice = new Small(config, table)
      const latest = NOW + config.limits.future
      let turnOvers = 0
      for (let round = 0; round < RANDOM; round++) {
        const request = anyRequest(next)
        const plain = toBinary(ExportMetricsServiceRequestSchema, request)
        const want = expected(request, config, latest)
        const tenant = next(2)
        // The last one is as the first: its points are all known by then.
        for (const body of [plain, scramble(plain, next), plain]) {
          const outcome = sluice.run(body, tenant, 'otlp')
          const { batch, raw } = outcome
          const output = withoutEndings(readOutput(raw[0]!), want)
          expect(output, `round ${round}`).toEqual(want.output)
          expect(rejectedBy(outcome), `round ${round}`).toEqual(want.rejected)
          expect(batch.points!.received).toBe(want.points)
          checkSums(outcome)
          turnOvers += batch.turnOvers
        }
        const again = sluice.run(plain, tenant, 'otlp').batch
        if (table > 1e6) expect(again.missed).toBe(0)
      }
      if (table < 1e6) expect(turnOvers).toBeGreaterThan(30)
    },
    60_000,
  )
})
