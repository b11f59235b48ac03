import { describe, expect, test } from 'vitest'
import { Workspace } from '../../src/workspace.ts'
import { kernelModule } from '../kernel/load.ts'
import { configWith, type More, Sluice } from './harness.ts'
import { lines } from './otlp-lines.ts'
import { readOutput } from './otlp-output.ts'
import {
  type AnyMetric,
  attributes,
  gauge,
  type HistogramPoint,
  histogram,
  nanos,
  point,
  requestOf,
  resourceOf,
  summary,
  T,
} from './otlp-request.ts'
import { lines2 } from './request2.ts'

// Points without a recorded value. Senders leave their bounds and quantiles out, or their counts: what ends are the series of the last point.

const gone = { flags: 1 }
const of = (...explicitBounds: number[]): HistogramPoint => ({
  explicitBounds,
  bucketCounts: [...explicitBounds.map(() => 1n), 1n],
  count: BigInt(explicitBounds.length + 1),
  sum: 4,
})
const ended = (...bounds: (number | string)[]) =>
  [
    ...[...bounds, '+Inf'].map((le) => `h_bucket,le=${le} stale`),
    'h_count stale',
    'h_sum stale',
  ].toSorted()

function sender(more: More = {}, table?: number) {
  const sluice = new Sluice(configWith('[]', more))
  if (table !== undefined)
    Object.assign(sluice, { workspace: new Workspace(kernelModule, { table }) })
  const run = (body: Uint8Array, tenant = 0) => {
    const outcome = sluice.run(body, tenant, 'otlp')
    const { rejected, points, cargos, received, turnOvers } = outcome.batch
    expect([rejected, points!.rejected]).toEqual([[], []])
    const { expanded, made, pieces } = cargos[0]!
    const sent = (kind: 'samples' | 'histograms') =>
      pieces.reduce((n, { counts }) => n + counts[kind], 0)
    expect([sent('samples'), sent('histograms')]).toEqual([
      received.samples + made,
      received.histograms - expanded,
    ])
    return { lines: lines(readOutput(outcome.raw[0]!)), turnOvers, outcome }
  }
  const send = (...metrics: AnyMetric[]) => run(requestOf(...metrics)).lines
  return { run, send }
}

describe('a histogram without a value', () => {
  test('ends all series of its last point', () => {
    const { send } = sender()
    send(histogram('h', of(1, 2)))
    for (let round = 0; round < 2; round++) {
      expect(send(histogram('h', gone))).toEqual(ended(1, 2))
    }
  })

  test('of one point in the same request too, and of the last bounds that it had', () => {
    const { send } = sender()
    const times = [T - 3, T - 2].map((ms) => ({ timeUnixNano: nanos(ms) }))
    const all = send(histogram('h', { ...of(5), ...times[0] }, { ...of(1, 2), ...times[1] }, gone))
    expect(all.filter((line) => line.endsWith('stale'))).toEqual(ended(1, 2))
    send(histogram('h', of(5)))
    expect(send(histogram('h', gone))).toEqual(ended(5))
    send(histogram('h', of(1, 2)))
    expect(send(histogram('h', gone))).toEqual(ended(1, 2))
  })

  test('of which nothing is known ends what it names', () => {
    const { send } = sender()
    expect(send(histogram('h', gone))).toEqual(['h_bucket,le=+Inf stale', 'h_count stale'])
    send(histogram('h', of(1)))
    expect(send(histogram('h', gone))).toEqual(ended(1))
  })

  test('that names bounds, but has no counts, ends those', () => {
    const { send } = sender()
    send(histogram('h', of(9)))
    expect(send(histogram('h', { ...gone, explicitBounds: [1, 2] }))).toEqual(
      ended(1, 2).filter((line) => !line.startsWith('h_sum')),
    )
  })

  test('ends no series of other attributes, resources, names or tenants', () => {
    const { run, send } = sender()
    const one = (more = {}, name = 'h') => histogram(name, { ...gone, ...more })
    const alone = ['h_bucket,le=+Inf stale', 'h_count stale']
    send(histogram('h', of(1)))
    const a = attributes({ a: 'b' })
    expect(send(one({ attributes: a }))).toEqual([
      'h_bucket,a=b,le=+Inf stale',
      'h_count,a=b stale',
    ])
    expect(send(one({}, 'g'))).toEqual(['g_bucket,le=+Inf stale', 'g_count stale'])
    const ofJob = run(resourceOf({ 'service.name': 'j' }, one())).lines
    expect(ofJob.filter((line) => line.endsWith('stale'))).toHaveLength(2)
    expect(run(requestOf(one()), 1).lines).toEqual(alone)
    expect(send(one())).toEqual(ended(1))
  })

  test('keeps its exemplars, in the bucket up to +Inf', () => {
    const { send } = sender({ origin: 'send_exemplars: true' })
    send(histogram('h', of(1, 2)))
    const exemplars = [{ timeUnixNano: nanos(T), value: { case: 'asDouble' as const, value: 0.5 } }]
    const sent = send(histogram('h', { ...gone, bucketCounts: [0n], exemplars }))
    expect(sent.filter((line) => line.includes(' x '))).toEqual([
      expect.stringMatching(/^h_bucket,le=\+Inf x/),
    ])
  })

  test('is found while its last point is in the old half of the table, then forgotten', () => {
    const { run, send } = sender({}, 40_000)
    let n = 0
    const fill = () => {
      for (let turned = 0; turned === 0; ) {
        const some = Array.from({ length: 20 }, () => gauge(`filler_${n++}`, point(1)))
        turned = run(requestOf(...some)).turnOvers
      }
    }
    send(histogram('h', of(1, 2)))
    for (let round = 0; round < 5; round++) {
      fill()
      expect(send(histogram('h', gone)), `round ${round}`).toEqual(ended(1, 2))
    }
    fill()
    fill()
    expect(send(histogram('h', gone))).toEqual(['h_bucket,le=+Inf stale', 'h_count stale'])
  })

  test('made native is one marker, and at origins of 1.0 all classic series end', () => {
    const otlp = 'convert_histograms_to_nhcb: true'
    const one = sender({ otlp })
    one.send(histogram('h', of(1, 2)))
    expect(one.send(histogram('h', gone))).toEqual(ended(1, 2))
    const drop = 'native_histograms_with_custom_buckets: drop'
    const dropping = new Sluice(configWith('[]', { otlp, origin: drop }))
    dropping.run(requestOf(histogram('h', of(1))), 0, 'otlp')
    const { batch } = dropping.run(requestOf(histogram('h', gone)), 0, 'otlp')
    expect(batch.cargos[0]).toMatchObject({ pieces: [], unwanted: { histograms: 1 } })
    const two = sender({ otlp, origin: 'protobuf_message: io.prometheus.write.v2.Request' })
    two.run(requestOf(histogram('h', of(1, 2))))
    const { outcome } = two.run(requestOf(histogram('h', gone)))
    expect(lines2(outcome.raw[0]!, T)).toEqual(['# 3 /', 'h hNaN@0'])
  })
})

test('a summary without a value ends the quantiles of its last point', () => {
  const { send } = sender()
  const quantileValues = [0.5, 0.9].map((quantile) => ({ quantile, value: 1 }))
  expect(send(summary('s', gone))).toEqual(['s_count stale', 's_sum stale'])
  send(summary('s', { quantileValues, count: 2n, sum: 3 }))
  for (let round = 0; round < 2; round++) {
    expect(send(summary('s', gone))).toEqual([
      's,quantile=0.5 stale',
      's,quantile=0.9 stale',
      's_count stale',
      's_sum stale',
    ])
  }
})
