import { describe, expect, test } from 'vitest'
import { accountFor, countBatch, countCargo, countResult } from '../src/accounting.ts'
import type { Batch, Cargo } from '../src/batch/batch.ts'
import type { OriginResult } from '../src/deliver/origin-result.ts'
import { NO_COUNTS } from '../src/deliver/payload.ts'
import { metrics, renderMetrics } from '../src/telemetry/metrics.ts'
import { originConfig } from './deliver/fixtures.ts'

const counts = (samples: number, histograms = 0) => ({ ...NO_COUNTS, samples, histograms })
const [a, b] = [originConfig({ name: 'a' }), originConfig({ name: 'b' })]

function cargo(origins: number[], some: Partial<Cargo>): Cargo {
  const stream = {
    variant: 0,
    kinds: 15,
    message: 1,
    compression: 'snappy',
    expand: true,
    points: 2000,
    bytes: 3e6,
    origins,
  } as const
  const none = () => counts(0)
  const empty = { dropped: none(), unwanted: none(), superseded: none(), oversize: none() }
  return { stream, pieces: [], expanded: 0, made: 0, ...empty, ...some }
}

/** 100 samples and 10 histograms came in. */
const batch: Batch = {
  received: counts(100, 10),
  dropped: counts(5),
  rejected: [
    { code: 'no_name', counts: counts(3, 1) },
    { code: 'future', counts: counts(2) },
  ],
  refusals: ['series {} has no __name__'],
  cargos: [
    cargo([0], {
      dropped: counts(4),
      unwanted: counts(0, 9),
      superseded: counts(6),
      oversize: counts(7),
    }),
    cargo([1], {}),
  ],
  series: 50,
  missed: 20,
  turnOvers: 1,
  joined: 0,
}

const requests = { delivered: 2, rejected: 1, 'too-large': 3, busy: 1, misconfigured: 0 }
const result = (origin: typeof a, some: Partial<OriginResult>): OriginResult => ({
  origin,
  delivered: NO_COUNTS,
  rejected: NO_COUNTS,
  failed: NO_COUNTS,
  requests,
  bytesOut: 0,
  worst: 'delivered',
  messages: [],
  ...some,
})
const resultOfA = result(a, {
  delivered: counts(60),
  rejected: counts(8),
  failed: counts(5),
  bytesOut: 1234,
  messages: ['one', 'two'],
})

test('metadata that goes out with the series of 2.0 is attached, not dropped, unless the origin is not to have any', () => {
  const own = originConfig({ name: 'attached' })
  const none = originConfig({ name: 'attached-not' })
  const unwanted = { ...counts(0, 3), metadata: 7 }
  const plain = cargo([0], { unwanted })
  const two = (kinds: number): Cargo => ({
    ...plain,
    stream: { ...plain.stream, message: 2, kinds },
  })
  const line = (made: Cargo, origin: typeof own) => {
    const { origins } = accountFor(
      { ...batch, cargos: [made] },
      [result(origin, {})],
      { status: 200, reason: '', tenant: '' },
      [origin],
    )
    return origins?.[0]?.dropped
  }
  countCargo(own, two(15))
  countCargo(none, two(7))
  const text = renderMetrics()
  expect(text).toContain('sluice_attached_metadata_total{origin="attached"} 7')
  expect(text).not.toContain('sluice_attached_metadata_total{origin="attached-not"}')
  expect(text).not.toContain('sluice_dropped_items_total{stage="attached",kind="metadata"} 7')
  expect(text).toContain('sluice_dropped_items_total{stage="attached-not",kind="metadata"} 7')
  expect(line(two(15), own)).toEqual(counts(0, 3))
  expect(line(two(7), none)).toEqual(unwanted)
})

test('what a payload lost when it was made anew is in the line of its origin', () => {
  const anew = new Map([[b, { dropped: counts(0, 2), oversize: counts(3) }]])
  const { origins } = accountFor(
    batch,
    [resultOfA, result(b, {})],
    { status: 200, reason: '', tenant: '' },
    [a, b],
    anew,
  )
  expect(origins?.[1]).toMatchObject({ origin: 'b', dropped: counts(0, 2), rejected: counts(3) })
})

describe('the accounting of a request', () => {
  const answer = { status: 400, reason: 'rejected', tenant: 't', message: 'm' }
  const line = accountFor(batch, [resultOfA, result(b, { delivered: counts(90, 9) })], answer, [
    a,
    b,
  ])

  test('has the sums of all reasons, and what the answer was', () => {
    expect(line).toMatchObject({
      ...answer,
      received: counts(100, 10),
      dropped: counts(5),
      rejected: counts(5, 1),
    })
  })

  test('has for each origin what became of it, adding up to what came in', () => {
    expect(line.origins).toEqual([
      {
        origin: 'a',
        delivered: counts(60),
        dropped: counts(4, 9),
        rejected: counts(15),
        superseded: counts(6),
        failed: counts(5),
        message: 'one; two',
      },
      {
        origin: 'b',
        delivered: counts(90, 9),
        dropped: counts(0),
        rejected: counts(0),
        superseded: counts(0),
        failed: counts(0),
      },
    ])
    for (const { delivered, dropped, rejected, superseded, failed } of line.origins!) {
      for (const kind of ['samples', 'histograms'] as const) {
        const parts = [
          line.dropped!,
          line.rejected!,
          delivered,
          dropped,
          rejected,
          superseded,
          failed,
        ]
        expect(parts.reduce((sum, part) => sum + part[kind], 0)).toBe(batch.received[kind])
      }
    }
  })
})

test('what is counted shows in the metrics', () => {
  countBatch(batch, { n: 5000, rejected: [], idsDropped: 0 }, 1000)
  countCargo(a, batch.cargos[0]!)
  countResult(resultOfA)
  const text = renderMetrics()
  for (const line of [
    'sluice_received_items_total{kind="samples"} 100',
    'sluice_received_items_total{kind="exemplars"} 0',
    'sluice_received_compressed_bytes_total 1000',
    'sluice_received_decoded_bytes_total 5000',
    'sluice_dropped_items_total{stage="ingress",kind="samples"} 5',
    'sluice_dropped_items_total{stage="a",kind="samples"} 4',
    'sluice_dropped_items_total{stage="a",kind="histograms"} 9',
    'sluice_rejected_items_total{stage="ingress",reason="no_name",kind="samples"} 3',
    'sluice_rejected_items_total{stage="ingress",reason="future",kind="samples"} 2',
    'sluice_rejected_items_total{stage="a",reason="too_large",kind="samples"} 7',
    'sluice_superseded_items_total{origin="a",kind="samples"} 6',
    'sluice_delivered_items_total{origin="a",kind="samples"} 60',
    'sluice_origin_rejected_items_total{origin="a",kind="samples"} 8',
    'sluice_failed_items_total{origin="a",kind="samples"} 5',
    'sluice_origin_requests_total{origin="a",outcome="delivered"} 2',
    'sluice_origin_requests_total{origin="a",outcome="too_large"} 3',
    'sluice_sent_compressed_bytes_total{origin="a"} 1234',
    'sluice_table_hits_total 30',
    'sluice_table_misses_total 20',
    'sluice_table_turn_overs_total 1',
  ]) {
    expect(text).toContain(`\n${line}\n`)
  }
  countResult(resultOfA)
  expect(metrics.delivered.with('a', 'samples').value).toBe(120)
})
