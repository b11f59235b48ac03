import { describe, expect, test } from 'vitest'
import { Workspace } from '../../src/workspace.ts'
import { kernelModule } from '../kernel/load.ts'
import { seeded } from '../kernel/raw.ts'
import { config, NOW, type Outcome, Sluice } from './harness.ts'
import {
  type Bytes,
  double,
  field,
  label,
  message,
  number,
  sample,
  series,
  varint,
} from './message.ts'
import { request, Symbols } from './message2.ts'
import { lines1, lines2 } from './request2.ts'

// Native histograms with custom buckets: as they are for 2.0, as classic series or not at all for 1.0.

const T = NOW - 60_000
const STALE = [2, 0, 0, 0, 0, 0, 0xf0, 0x7f]

/** Counts of the buckets, one more than bounds. */
function custom(
  tag: 3 | 4,
  bounds: readonly number[],
  counts: readonly number[],
  time = T,
  sum: number | Bytes = 7.5,
): Bytes {
  const deltas = counts.map((n, i) => n - (counts[i - 1] ?? 0))
  const zigzag = (n: number) => (n < 0 ? -2 * n - 1 : 2 * n)
  return field(tag, [
    ...number(
      1,
      counts.reduce((a, b) => a + b, 0),
    ),
    ...double(3, sum),
    ...number(4, 105),
    ...(counts.length ? field(11, number(2, counts.length)) : []),
    ...field(
      12,
      deltas.flatMap((n) => varint(zigzag(n))),
    ),
    ...number(15, time),
    ...field(16, [...new Uint8Array(Float64Array.from(bounds).buffer)]),
  ])
}

function sluiceOf(more: { rules?: string; a?: string; sluice?: string; table?: number } = {}) {
  const rules = `write_relabel_configs: ${more.rules ?? '[]'}`
  const sluice = new Sluice(
    config(`
remote_write:
  - {name: a, url: "http://a.test/", ${rules}${more.a ? `, ${more.a}` : ''}}
  - {name: b, url: "http://b.test/", ${rules}, protobuf_message: io.prometheus.write.v2.Request}
  - {name: c, url: "http://c.test/", ${rules}, native_histograms_with_custom_buckets: drop}
sluice: {auth: none${more.sluice ? `, ${more.sluice}` : ''}}
`),
  )
  if (more.table === undefined) return sluice
  return Object.assign(sluice, { workspace: new Workspace(kernelModule, { table: more.table }) })
}

function results(outcome: Outcome) {
  const { cargos } = outcome.batch
  const at = (message: 1 | 2, expand = true) =>
    cargos.findIndex(({ stream }) => stream.message === message && stream.expand === expand)
  for (const { unwanted, superseded, oversize, dropped, expanded, made, pieces } of cargos) {
    const sum = (kind: 'samples' | 'histograms') =>
      [unwanted, superseded, oversize, dropped, ...pieces.map(({ counts }) => counts)].reduce(
        (n, counts) => n + counts[kind],
        0,
      )
    expect(sum('histograms') + expanded).toBe(outcome.batch.received.histograms)
    expect(sum('samples') - made).toBe(outcome.batch.received.samples)
  }
  return {
    expanded: lines1(outcome, at(1), T),
    two: lines2(outcome.raw[at(2)]!, T),
    left: lines1(outcome, at(1, false), T),
    cargos: { expand: cargos[at(1)]!, drop: cargos[at(1, false)]! },
  }
}

const labels = (name: string) =>
  [
    ['__name__', name],
    ['job', 'api'],
  ] as const
const sendOne = (fields: readonly Bytes[]) =>
  message(...fields.map((points) => series(label('__name__', 'h'), label('job', 'api'), points)))

function sendTwo(fields: readonly Bytes[]) {
  const symbols = new Symbols()
  return request(
    symbols,
    fields.map((points) => [...symbols.labels(labels('h')), ...points]),
  )
}

const classic = [
  'h_bucket,job=api,le=0.5 1@0',
  'h_bucket,job=api,le=1.0 3@0',
  'h_bucket,job=api,le=+Inf 6@0',
  'h_count,job=api 6@0',
  'h_sum,job=api 7.5@0',
]

describe.each([1, 2] as const)('a histogram with custom buckets in %i.0', (version) => {
  const tag = version === 1 ? 4 : 3
  const run = (sluice: Sluice, ...fields: Bytes[]) =>
    results(
      version === 1 ? sluice.run(sendOne(fields)) : sluice.run(sendTwo(fields), 0, 'remotewrite2'),
    )

  test('is as it is for 2.0, classic series for 1.0, or dropped', () => {
    const sluice = sluiceOf()
    for (let round = 0; round < 3; round++) {
      const { expanded, two, left, cargos } = run(sluice, custom(tag, [0.5, 1], [1, 2, 3]))
      expect(expanded).toEqual(classic)
      expect(two).toEqual(['h,job=api h7.5@0'])
      expect(left).toEqual([])
      expect(cargos.expand).toMatchObject({ expanded: 1, made: 5 })
      expect(cargos.drop).toMatchObject({ expanded: 0, made: 0, unwanted: { histograms: 1 } })
    }
  })

  test('ends with stale markers in all its series', () => {
    const { expanded } = run(sluiceOf(), custom(tag, [0.5, 1], [], T, STALE))
    expect(expanded).toEqual(classic.map((line) => line.replace(/ .*/, ' NaN@0')))
  })

  test('has series for other bounds, and more points', () => {
    const { expanded, two } = run(sluiceOf(), [
      ...custom(tag, [1], [1, 1], T),
      ...custom(tag, [2], [1, 1], T + 1),
      ...custom(tag, [2], [2, 1], T + 2),
    ])
    expect(expanded.toSorted()).toEqual(
      [
        'h_bucket,job=api,le=1.0 1@0',
        'h_bucket,job=api,le=2.0 1@1',
        'h_bucket,job=api,le=2.0 2@2',
        ...[2, 2, 3].map((n, i) => `h_bucket,job=api,le=+Inf ${n}@${i}`),
        ...[2, 2, 3].map((n, i) => `h_count,job=api ${n}@${i}`),
        ...[0, 1, 2].map((i) => `h_sum,job=api 7.5@${i}`),
      ].toSorted(),
    )
    expect(two).toHaveLength(3)
  })

  test('without bounds is a count', () => {
    const { expanded } = run(sluiceOf(), custom(tag, [], [4]))
    expect(expanded).toEqual([
      'h_bucket,job=api,le=+Inf 4@0',
      'h_count,job=api 4@0',
      'h_sum,job=api 7.5@0',
    ])
  })

  test('meets rules under its own name', () => {
    const rules =
      '[{source_labels: [__name__], regex: h, target_label: __name__, replacement: g}, {regex: job, action: labeldrop}]'
    const { expanded, two } = run(sluiceOf({ rules }), custom(tag, [1], [1, 2]))
    expect(expanded).toEqual([
      'g_bucket,le=1.0 1@0',
      'g_bucket,le=+Inf 3@0',
      'g_count 3@0',
      'g_sum 7.5@0',
    ])
    expect(two).toEqual(['g h7.5@0'])
    const dropped = run(
      sluiceOf({ rules: '[{source_labels: [__name__], regex: h, action: drop}]' }),
      custom(tag, [1], [1, 2]),
    )
    expect([dropped.expanded, dropped.two]).toEqual([[], []])
  })

  test('of too many buckets is rejected', () => {
    const n = 5000
    const bounds = Array.from({ length: n }, (_, i) => i)
    const outcome =
      version === 1
        ? sluiceOf().run(sendOne([custom(4, bounds, [1])]))
        : sluiceOf().run(sendTwo([custom(3, bounds, [1])]), 0, 'remotewrite2')
    expect(outcome.batch.rejected).toHaveLength(1)
    expect(outcome.batch.received.histograms).toBe(1)
  })

  test('comes out whole from a table that turns over all the time, whoever else is in it', () => {
    const sluice = sluiceOf({ table: 65_536 })
    const next = seeded(version)
    let turnOvers = 0
    for (let round = 0; round < 60; round++) {
      const tenant = 1 + (round % 2)
      const many = Array.from({ length: 1 + next(6) }, (_, i) => ({
        name: `h${next(9)}_${i}`,
        bounds: 1 + next(8),
      }))
      const points = many.map(({ bounds }) =>
        custom(
          tag,
          Array.from({ length: bounds }, (_, i) => i + tenant),
          [1, 2],
        ),
      )
      const symbols = new Symbols()
      const body =
        version === 1
          ? message(
              ...many.map(({ name }, i) =>
                series(label('__name__', name), label('t', `${tenant}`), points[i]!),
              ),
            )
          : request(
              symbols,
              many.map(({ name }, i) => [
                ...symbols.labels([
                  ['__name__', name],
                  ['t', `${tenant}`],
                ]),
                ...points[i]!,
              ]),
            )
      const outcome = sluice.run(body, tenant, version === 1 ? 'remotewrite1' : 'remotewrite2')
      turnOvers += outcome.batch.turnOvers
      const { expanded } = results(outcome)
      const want = many.flatMap(({ name, bounds }) => [
        ...Array.from(
          { length: bounds },
          (_, i) => `${name}_bucket,le=${i + tenant}.0,t=${tenant} ${i ? 3 : 1}@0`,
        ),
        `${name}_bucket,le=+Inf,t=${tenant} 3@0`,
        `${name}_count,t=${tenant} 3@0`,
        `${name}_sum,t=${tenant} 7.5@0`,
      ])
      expect(expanded.toSorted()).toEqual(want.toSorted())
    }
    expect(turnOvers).toBeGreaterThan(3)
  })
})

test('one whose series no table can hold is rejected, and the next body is none the worse', () => {
  const sluice = sluiceOf({ table: 65_536 })
  const bounds = Array.from({ length: 1000 }, (_, i) => i)
  for (let round = 0; round < 3; round++) {
    const { batch } = sluice.run(sendOne([custom(4, bounds, [1])]))
    expect(batch.rejected).toMatchObject([{ code: 'too_many_buckets' }])
    expect(batch.refusals[0]).toContain('h{job="api"}')
    expect(results(sluice.run(sendOne([custom(4, [0.5, 1], [1, 2, 3])]))).expanded).toEqual(classic)
  }
})

test('an ordinary sample beside it goes out everywhere', () => {
  const { expanded, left, two } = results(
    sluiceOf().run(sendOne([[...custom(4, [1], [1, 2]), ...sample(9, T)]])),
  )
  expect(expanded).toContain('h,job=api 9@0')
  expect(left).toEqual(['h,job=api 9@0'])
  expect(two).toEqual(['h,job=api 9@0', 'h,job=api h7.5@0'])
})
