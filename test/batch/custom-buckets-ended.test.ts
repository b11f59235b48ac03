import { describe, expect, test } from 'vitest'
import type { MutableCounts } from '../../src/batch/counts.ts'
import { repack } from '../../src/batch/repack.ts'
import { Workspace } from '../../src/workspace.ts'
import { kernelModule } from '../kernel/load.ts'
import { config, NOW, type Outcome, Sluice } from './harness.ts'
import { type Bytes, double, field, label, message, number, sample, series } from './message.ts'
import { request, Symbols, sample2 } from './message2.ts'
import { lines1, lines2 } from './request2.ts'

// How a histogram with custom buckets ends: Prometheus writes a stale sample under its own name, others a stale histogram, and neither says what the bounds were. What ends at an
// origin that has classic series instead are those of the last bounds.

const T = NOW - 60_000
const STALE = [2, 0, 0, 0, 0, 0, 0xf0, 0x7f]

type Version = 1 | 2
/** Points of one series, and under which name. */
interface Some {
  readonly name?: string
  readonly labels?: readonly (readonly [string, string])[]
  readonly points: (version: Version) => readonly Bytes[]
}

/** One observation up to each bound, and one beyond. */
const histogram =
  (bounds: readonly number[], time = 0) =>
  (version: Version): Bytes =>
    field(version === 1 ? 4 : 3, [
      ...number(1, bounds.length + 1),
      ...double(3, 7),
      ...number(4, 105),
      ...field(11, number(2, bounds.length + 1)),
      ...field(12, [2, ...bounds.map(() => 0)]),
      ...number(15, T + time),
      ...field(16, [...new Uint8Array(Float64Array.from(bounds).buffer)]),
    ])
const marker =
  (time: number, value: number | Bytes = STALE) =>
  (version: Version): Bytes =>
    version === 1 ? sample(value, T + time) : sample2(value, T + time)
/** A stale histogram without bounds. schema: as it is written, 105 for custom buckets. */
const staleHistogram =
  (time: number, schema: number) =>
  (version: Version): Bytes =>
    field(version === 1 ? 4 : 3, [
      ...number(1, 0),
      ...double(3, STALE),
      ...number(4, schema),
      ...number(15, T + time),
    ])

const h = (...points: ((version: Version) => Bytes)[]): Some => ({
  points: (version) => points.map((point) => point(version)),
})

function body(version: Version, all: readonly Some[]): Uint8Array {
  const symbols = new Symbols()
  const pairs = ({ name = 'h', labels = [] }: Some): (readonly [string, string])[] => [
    ['__name__', name],
    ...labels,
  ]
  if (version === 1) {
    return message(
      ...all.map((one) => series(...pairs(one).map(([n, v]) => label(n, v)), ...one.points(1))),
    )
  }
  return request(
    symbols,
    all.map((one) => [...symbols.labels(pairs(one)), ...one.points(2).flat()]),
  )
}

function sluiceOf(more: { rules?: string; sluice?: string; table?: number } = {}): Sluice {
  const rules = `write_relabel_configs: ${more.rules ?? '[]'}`
  const sluice = new Sluice(
    config(`
remote_write:
  - {name: a, url: "http://a.test/", ${rules}}
  - {name: b, url: "http://b.test/", ${rules}, protobuf_message: io.prometheus.write.v2.Request}
  - {name: c, url: "http://c.test/", ${rules}, native_histograms_with_custom_buckets: drop}
sluice: {auth: none${more.sluice ? `, ${more.sluice}` : ''}}
`),
  )
  if (more.table === undefined) return sluice
  return Object.assign(sluice, { workspace: new Workspace(kernelModule, { table: more.table }) })
}

/** What each origin gets; each point that came in, and was made, is counted once. */
function results(outcome: Outcome) {
  const { cargos, received } = outcome.batch
  for (const { unwanted, superseded, oversize, dropped, expanded, made, pieces } of cargos) {
    const ends = [unwanted, superseded, oversize, dropped, ...pieces.map(({ counts }) => counts)]
    const sum = (kind: keyof MutableCounts) => ends.reduce((n, counts) => n + counts[kind], 0)
    expect(sum('histograms')).toBe(received.histograms - expanded)
    expect(sum('samples')).toBe(received.samples + made)
  }
  const at = (message: Version, expand: boolean) =>
    cargos.findIndex(({ stream }) => stream.message === message && stream.expand === expand)
  return {
    expand: lines1(outcome, at(1, true), T).toSorted(),
    two: lines2(outcome.raw[at(2, true)]!, T).toSorted(),
    drop: lines1(outcome, at(1, false), T).toSorted(),
    made: cargos[at(1, true)]!.made,
  }
}

/** The end of `h` with these bounds. */
const ended = (time: number, ...bounds: readonly string[]) => [
  ...[...bounds, '+Inf'].map((le) => `h_bucket,le=${le} NaN@${time}`),
  `h_count NaN@${time}`,
  `h_sum NaN@${time}`,
]
const own = (time: number) => `h NaN@${time}`

describe.each([1, 2] as const)('in %i.0', (version) => {
  const run = (sluice: Sluice, tenant: number, ...all: Some[]) =>
    results(sluice.run(body(version, all), tenant, `remotewrite${version}`))

  test('a stale sample ends the classic series, in a later request', () => {
    const sluice = sluiceOf()
    run(sluice, 0, h(histogram([0.5, 1])))
    // Again, as a sender does that was told to.
    for (let round = 0; round < 2; round++) {
      const { expand, two, drop, made } = run(sluice, 0, h(marker(9)))
      expect(expand).toEqual([own(9), ...ended(9, '0.5', '1.0')].toSorted())
      expect([two, drop, made]).toEqual([[own(9)], [own(9)], 5])
    }
  })

  test('and in the same request, in a series of its own', () => {
    const { expand, two, drop } = run(sluiceOf(), 0, h(histogram([1])), h(marker(9)))
    expect(expand.filter((line) => line.includes('NaN'))).toEqual(
      [own(9), ...ended(9, '1.0')].toSorted(),
    )
    expect(expand).toContain('h_bucket,le=1.0 1@0')
    expect(two).toEqual(['h NaN@9', 'h h7@0'])
    expect(drop).toEqual([own(9)])
  })

  test.each([
    ['behind', [histogram([1]), histogram([2], 5), marker(-1), marker(3), marker(3.5e4)]],
    ['before', [marker(-1), marker(3), marker(3.5e4), histogram([1]), histogram([2], 5)]],
  ])(
    'and in the same series, %s the histograms: of those the last one before it in time',
    (_, all) => {
      const sluice = sluiceOf()
      run(sluice, 0, h(histogram([7], -5)))
      const { expand } = run(sluice, 0, h(...all))
      expect(expand.filter((line) => /_bucket.*NaN/.test(line))).toEqual(
        [[-1, '7.0'] as const, [3, '1.0'] as const, [3.5e4, '2.0'] as const]
          .flatMap(([time, le]) => ended(time, le).slice(0, 2))
          .toSorted(),
      )
      expect(run(sluice, 0, h(marker(9))).expand).toEqual([own(9), ...ended(9, '2.0')].toSorted())
    },
  )

  test.each([
    ['of no custom buckets', 0],
    ['of custom buckets', 105],
  ])('a stale histogram %s without bounds does too', (_, schema) => {
    const sluice = sluiceOf()
    run(sluice, 0, h(histogram([0.5, 1])))
    const { expand, two } = run(sluice, 0, h(staleHistogram(9, schema)))
    const alone = schema === 0 ? ['h hNaN@9'] : []
    expect(expand).toEqual([...alone, ...ended(9, '0.5', '1.0')].toSorted())
    expect(two).toEqual(['h hNaN@9'])
  })

  test('of custom buckets that nothing is known of, it ends what it names', () => {
    const { expand } = run(sluiceOf(), 0, h(staleHistogram(9, 105)))
    expect(expand).toEqual(ended(9).toSorted())
  })

  test('the last bounds count, also when they are as they once were', () => {
    const sluice = sluiceOf()
    const ends: string[][] = []
    for (const bounds of [[1], [2, 3], [1], [1], [2, 3]]) {
      run(sluice, 0, h(histogram(bounds)))
      ends.push(run(sluice, 0, h(marker(9))).expand)
    }
    const one = [own(9), ...ended(9, '1.0')].toSorted()
    const two = [own(9), ...ended(9, '2.0', '3.0')].toSorted()
    expect(ends).toEqual([one, two, one, one, two])
  })

  test('new bounds alone end nothing: no more does the conversion of Prometheus', () => {
    const sluice = sluiceOf()
    run(sluice, 0, h(histogram([1, 2])))
    const { expand } = run(sluice, 0, h(histogram([1], 5)))
    expect(expand.filter((line) => line.includes('NaN'))).toEqual([])
  })

  test('a series that never was a histogram ends alone, and a value is no end', () => {
    const sluice = sluiceOf()
    run(sluice, 0, h(histogram([1])))
    const up: Some = { name: 'up', points: (v) => [marker(9)(v)] }
    for (let round = 0; round < 3; round++) {
      expect(run(sluice, 0, up).expand).toEqual(['up NaN@9'])
      // Another NaN than the marker.
      const nan = [1, 0, 0, 0, 0, 0, 0xf8, 0x7f]
      expect(run(sluice, 0, h(marker(9, nan), marker(10, 0))).made).toBe(0)
      expect(run(sluice, 0, h(marker(9, nan))).made).toBe(0)
    }
  })

  test('among many that are known, each that was one ends its own', () => {
    const sluice = sluiceOf()
    const many = (points: (i: number) => (v: Version) => Bytes) =>
      Array.from(
        { length: 40 },
        (_, i): Some => ({
          name: 'h',
          labels: [['n', `${i}`]],
          points: (v) => [points(i)(v)],
        }),
      )
    const isHistogram = (i: number) => i % 9 === 4
    run(sluice, 0, ...many((i) => (isHistogram(i) ? histogram([i]) : marker(0, 1))))
    for (let round = 0; round < 3; round++) {
      const { expand, made } = run(sluice, 0, ...many(() => marker(9)))
      expect(made).toBe(4 * 4)
      expect(expand).toHaveLength(40 + made)
      for (const i of [4, 13, 22, 31]) expect(expand).toContain(`h_bucket,le=${i}.0,n=${i} NaN@9`)
    }
  })

  test("another tenant's series of the same name is another", () => {
    const sluice = sluiceOf()
    run(sluice, 1, h(histogram([1])))
    expect(run(sluice, 2, h(marker(9))).expand).toEqual([own(9)])
    run(sluice, 2, h(histogram([2])))
    expect(run(sluice, 1, h(marker(9))).expand).toEqual([own(9), ...ended(9, '1.0')].toSorted())
    expect(run(sluice, 2, h(marker(9))).expand).toEqual([own(9), ...ended(9, '2.0')].toSorted())
  })

  test('rules see its own name, and what they drop ends nowhere', () => {
    const rules = (action: string) =>
      `[{source_labels: [__name__], regex: h, ${action}}, {regex: job, action: labeldrop}]`
    const sluice = sluiceOf({ rules: rules('target_label: __name__, replacement: g') })
    run(sluice, 0, h(histogram([1])))
    expect(run(sluice, 0, h(marker(9))).expand).toEqual(
      [own(9), ...ended(9, '1.0')].map((line) => line.replace('h', 'g')).toSorted(),
    )
    const dropping = sluiceOf({ rules: rules('action: drop') })
    run(dropping, 0, h(histogram([1])))
    const { expand, two, drop } = run(dropping, 0, h(marker(9)))
    expect([expand, two, drop]).toEqual([[], [], []])
  })

  test('once the table has turned over it is found in the old half, then forgotten', () => {
    const sluice = sluiceOf({ table: 65_536 })
    const fill = (() => {
      let n = 0
      return () => {
        for (let turned = 0; turned === 0; ) {
          const some = Array.from(
            { length: 20 },
            (): Some => ({
              name: `filler_${n++}`,
              points: (v) => [marker(0, 1)(v)],
            }),
          )
          turned = sluice.run(body(version, some), 0, `remotewrite${version}`).batch.turnOvers
        }
      }
    })()
    run(sluice, 0, h(histogram([1])))
    // Each marker moves it over.
    for (let round = 0; round < 5; round++) {
      fill()
      const { expand } = run(sluice, 0, h(marker(9)))
      expect(expand, `round ${round}`).toEqual([own(9), ...ended(9, '1.0')].toSorted())
    }
    fill()
    fill()
    const { expand, made } = run(sluice, 0, h(marker(9)))
    expect([expand, made]).toEqual([[own(9)], 0])
  })

  test('what is ended counts as series: over the limit of a request it is refused like the points', () => {
    const many = (points: (v: Version) => Bytes, from: number, n: number) =>
      Array.from(
        { length: n },
        (_, i): Some => ({
          labels: [['n', `${from + i}`]],
          points: (v) => [points(v)],
        }),
      )
    const sluice = sluiceOf({ sluice: 'limits: {series: 100}' })
    for (const from of [0, 15]) run(sluice, 0, ...many(histogram([1, 2]), from, 15))
    expect(run(sluice, 0, ...many(marker(9), 0, 15)).made).toBe(75)
    expect(() => run(sluice, 0, ...many(marker(9), 0, 30))).toThrow(/limits.series/)
    expect(() => run(sluice, 0, ...many(histogram([1, 2]), 0, 30))).toThrow(/limits.series/)
    expect(run(sluice, 0, ...many(marker(9), 0, 15)).made).toBe(75)
  })

  test('markers that would come to more than a request may take end nothing, and are not refused', () => {
    const sluice = sluiceOf({ sluice: 'limits: {series: 1000000}' })
    const bounds = Array.from({ length: 4000 }, (_, i) => i)
    run(sluice, 0, h(histogram(bounds)))
    const { expand, made } = run(sluice, 0, h(marker(9)))
    expect([expand.length, made]).toEqual([4004, 4003])
    const many = h(...Array.from({ length: 300 }, (_, i) => marker(i)))
    const far = run(sluice, 0, many)
    expect([far.expand.length, far.two.length, far.made]).toEqual([300, 300, 0])
    expect(run(sluice, 0, h(marker(9))).made).toBe(4003)
  })

  test.each([
    ['stale samples', marker],
    ['stale histograms', (time: number) => staleHistogram(time, 0)],
    ['stale histograms of custom buckets', (time: number) => staleHistogram(time, 105)],
  ])('%s take nothing from what else is in the request', (_, end) => {
    const sluice = sluiceOf()
    const bounds = Array.from({ length: 1000 }, (_, i) => i)
    const long = (n: string): [string, string][] => [['n', n.repeat(4000)]]
    const many = (points: (v: Version) => Bytes) =>
      [...'abcdefghijklmn'].map((n): Some => ({ labels: long(n), points: (v) => [points(v)] }))
    for (const one of many(histogram(bounds))) run(sluice, 0, one)
    const rest = [
      { ...h(histogram(bounds)), name: 'g', labels: long('o') },
      { ...h(marker(0, 1)), name: 'up' },
    ]
    const alone = run(sluice, 0, ...rest).expand
    expect(alone).toHaveLength(1004)
    const { expand, made } = run(sluice, 0, ...many(end(9)), ...rest)
    expect(expand.filter((line) => !line.startsWith('h'))).toEqual(alone)
    // Some of them end what they can.
    expect(made / 1003).toBeGreaterThan(5)
    expect(made / 1003).toBeLessThan(12)
  })
})

test('a message of our own ends what its own histograms say, never what another tenant had', () => {
  const sluice = sluiceOf()
  const { workspace } = sluice
  const { give } = workspace.pool
  const again = (all: readonly Some[], tenant: number) => {
    workspace.pool.give = () => undefined
    const { cargos } = sluice.run(body(2, all), tenant, 'remotewrite2').batch
    workspace.pool.give = give
    const [piece] = cargos.find(({ stream }) => stream.message === 2)!.pieces
    const form = { kinds: 15, expand: true, points: 1e6, bytes: 1e6 }
    return workspace.enter(sluice.config, ({ kernel, table }) =>
      repack(kernel, table, workspace.pool, piece!, form),
    )!
  }
  expect(again([h(histogram([1]))], 1)).toMatchObject({ expanded: 1, made: 4 })
  expect(again([h(marker(9))], 2)).toMatchObject({ expanded: 0, made: 0 })
  expect(again([h(histogram([3], 0), staleHistogram(9, 105))], 2)).toMatchObject({
    expanded: 2,
    made: 8,
  })
  expect(again([h(marker(9))], 1)).toMatchObject({ expanded: 0, made: 0 })
})
