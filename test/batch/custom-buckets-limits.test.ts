import { describe, expect, test } from 'vitest'
import { repack } from '../../src/batch/repack.ts'
import { configWith, NOW, Sluice } from './harness.ts'
import { type Bytes, double, field, label, message, number, sample, series } from './message.ts'
import { lines1 } from './request2.ts'

// Classic series have a label more than the histogram that they stand in for, and a longer name.

const T = NOW - 60_000
const histogram = field(4, [
  ...number(1, 1),
  ...double(3, 1),
  ...number(4, 105),
  ...field(11, number(2, 1)),
  ...field(12, [2]),
  ...number(15, T),
  ...field(16, [...new Uint8Array(Float64Array.of(0.5).buffer)]),
])
const labels = (n: number) => Array.from({ length: n }, (_, i) => label(`l${i + 100}`, 'v'))
const body = (name: string, more: readonly Bytes[]) =>
  message(
    series(label('__name__', name), ...more, histogram),
    series(label('__name__', 'z'), sample(1, T)),
  )

describe('a histogram that keeps all limits', () => {
  test.each([
    ['with as many labels as there may be', 'limits: {labels: 10}', 'h', labels(9)],
    [
      'with a name as long as it may be',
      'limits: {label_value: 30B}',
      'h'.repeat(30),
      [label('a', 'b')],
    ],
    [
      'with as many as the kernel takes, le among them',
      'limits: {labels: 127}',
      'h',
      [label('le', 'x'), ...labels(125)],
    ],
  ])('%s loses none of its series', (_, sluice, name, more) => {
    const outcome = new Sluice(configWith('[]', { sluice })).run(body(name, more))
    expect(outcome.batch.rejected).toEqual([])
    const names = lines1(outcome, 0, T).map((line) => /^\w+/.exec(line)![0])
    // Labels that sort before the name stand before it.
    expect(names).toHaveLength(5)
    const { made, expanded, pieces } = outcome.batch.cargos[0]!
    expect([made, expanded, pieces[0]!.counts.samples]).toEqual([4, 1, 5])
  })

  test('with as many labels as the kernel takes, and no le, is rejected, the others are not', () => {
    const sluice = new Sluice(configWith('[]', { sluice: 'limits: {labels: 127}' }))
    for (let round = 0; round < 2; round++) {
      const { batch } = sluice.run(body('h', labels(126)))
      expect(batch.rejected).toMatchObject([{ code: 'too_many_labels', counts: { histograms: 1 } }])
      expect(batch.cargos[0]!.pieces[0]!.counts.samples).toBe(1)
      expect(batch.refusals).toHaveLength(1)
    }
  })

  test('has more labels before the rules of its origins than the kernel takes', () => {
    const external = Array.from({ length: 9 }, (_, i) => `x${i}: y`).join(', ')
    const rules = '[{regex: "[lx].*", action: labeldrop}]'
    const sluice = new Sluice(
      configWith(rules, {
        global: `external_labels: {${external}}`,
        sluice: 'limits: {labels: 127}',
      }),
    )
    const outcome = sluice.run(body('h', labels(126)))
    expect(lines1(outcome, 0, T)).toEqual([
      'h_bucket,le=0.5 1@0',
      'h_bucket,le=+Inf 1@0',
      'h_count 1@0',
      'h_sum 1@0',
      'z 1@0',
    ])
  })

  test('is dropped by all origins', () => {
    const rules = '[{source_labels: [__name__], regex: h, action: drop}]'
    const outcome = new Sluice(configWith(rules)).run(body('h', labels(9)))
    expect(lines1(outcome, 0, T)).toEqual(['z 1@0'])
    expect(outcome.batch.cargos[0]!.dropped.histograms).toBe(1)
  })
})

test('a histogram that has no room for le is left out of a payload that is made anew as 1.0, and counted', () => {
  const origin = 'protobuf_message: io.prometheus.write.v2.Request'
  const sluice = new Sluice(configWith('[]', { origin, sluice: 'limits: {labels: 127}' }))
  const { workspace } = sluice
  const { give } = workspace.pool
  workspace.pool.give = () => undefined
  const [piece] = sluice.run(body('h', labels(126))).batch.cargos[0]!.pieces
  workspace.pool.give = give
  const form = { kinds: 15, expand: true, points: 1e6, bytes: 1e6 }
  const repacked = workspace.enter(sluice.config, ({ kernel, table }) =>
    repack(kernel, table, workspace.pool, piece!, form),
  )
  expect(repacked).toMatchObject({
    pieces: [{ counts: { samples: 1 } }],
    lost: { histograms: 1 },
    expanded: 0,
  })
})
