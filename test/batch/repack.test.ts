import SnappyJS from 'snappyjs'
import { describe, expect, test } from 'vitest'
import { batchUp } from '../../src/batch/batch.ts'
import { totalOf } from '../../src/batch/counts.ts'
import type { Piece } from '../../src/batch/cut.ts'
import { halve } from '../../src/batch/halve.ts'
import { repack } from '../../src/batch/repack.ts'
import { unpack } from '../../src/compress/unpack.ts'
import { Workspace } from '../../src/workspace.ts'
import { kernelModule } from '../kernel/load.ts'
import { seeded } from '../kernel/raw.ts'
import { linesOf, linesOfModel, randomSeries, writeVersion2 } from '../kernel/round-trip.ts'
import { configWith, NOW, Sluice } from './harness.ts'
import { field, number } from './message.ts'
import { request, Symbols, sample2 } from './message2.ts'

// Pieces of 2.0 that are made anew, as smaller ones or as 1.0.

const V2 = 'protobuf_message: io.prometheus.write.v2.Request'
const FORM = { kinds: 15, expand: true, points: 1e6, bytes: 1e6 }

function sluiceOf(origin = V2, table?: number): Sluice {
  const sluice = new Sluice(configWith('[]', { origin }))
  if (table === undefined) return sluice
  return Object.assign(sluice, { workspace: new Workspace(kernelModule, { table }) })
}

type Section = Parameters<Parameters<Workspace['enter']>[1]>[0]

const inSection = <T>({ workspace, config }: Sluice, work: (section: Section) => T): T =>
  workspace.enter(config, work)

/** The pieces of a message of 2.0. */
function piecesOf(sluice: Sluice, body: Uint8Array): Piece[] {
  return inSection(sluice, ({ kernel, table, streams }) =>
    kernel.use(() => {
      const batch = batchUp(kernel, table, streams, sluice.workspace.pool, kernel.load(body), {
        protocol: 'remotewrite2',
        tenant: 0,
        latest: NOW,
        maxSeries: 1e6,
        subrequests: 1000,
      })
      return batch.cargos[0]!.pieces
    }),
  )
}

const halvesOf = (sluice: Sluice, piece: Piece) =>
  inSection(sluice, ({ kernel, table }) => halve(kernel, table, sluice.workspace.pool, piece))

const repackedOf = (sluice: Sluice, piece: Piece, form = FORM) =>
  inSection(sluice, ({ kernel, table }) =>
    repack(kernel, table, sluice.workspace.pool, piece, form),
  )

const decoded = ({ bytes, compression }: Pick<Piece, 'bytes' | 'compression'>) =>
  compression === 'zstd' ? unpack(bytes, 'zstd', 1e7) : new Uint8Array(SnappyJS.uncompress(bytes))
const lines = (pieces: readonly Piece[]) =>
  pieces.flatMap((piece) => linesOf([decoded(piece)], piece.message)).toSorted()

describe('random pieces of 2.0', () => {
  const next = seeded(11)
  const bodies = Array.from({ length: 120 }, () =>
    writeVersion2(
      Array.from({ length: 1 + next(8) }, () => randomSeries(next, true)),
      next,
    ),
  )

  test('are halved without loss, down to what can be', () => {
    const sluice = sluiceOf()
    let halved = 0
    for (const body of bodies) {
      for (const piece of piecesOf(sluice, body)) {
        const want = lines([piece])
        const done: Piece[] = []
        const rest = [piece]
        for (let whole = rest.shift(); whole !== undefined; whole = rest.shift()) {
          const halves = halvesOf(sluice, whole)
          if (halves.length === 0) {
            done.push(whole)
            // One point, or one with exemplars that can't travel alone.
            expect(whole.counts.samples + whole.counts.histograms).toBe(1)
            continue
          }
          halved++
          for (const half of halves) {
            expect(half.message).toBe(2)
            expect(totalOf(half.counts)).toBeLessThan(totalOf(whole.counts))
          }
          expect(halves.reduce((sum, { counts }) => sum + totalOf(counts), 0)).toBe(
            totalOf(whole.counts),
          )
          rest.unshift(...halves)
        }
        expect(lines(done)).toEqual(want)
      }
    }
    expect(halved).toBeGreaterThan(300)
  })

  test.each([
    ['in snappy', V2, undefined],
    ['through a table that turns over', V2, 16_384],
  ])('become 1.0 with every point, %s', (_, origin, table) => {
    const sluice = sluiceOf(origin)
    const other = table === undefined ? sluice : sluiceOf(origin, table)
    for (const body of bodies) {
      for (const piece of piecesOf(sluice, body)) {
        const { pieces, lost, expanded, made } = repackedOf(other, piece)!
        expect([totalOf(lost), expanded, made]).toEqual([0, 0, 0])
        expect(pieces.every(({ message }) => message === 1)).toBe(true)
        expect(lines(pieces)).toEqual(lines([piece]))
      }
    }
  })

  test('come out of the model they were made of', () => {
    const random = seeded(12)
    const model = [randomSeries(random, false), randomSeries(random, false)]
    const out = lines(piecesOf(sluiceOf(), writeVersion2(model, random)))
    for (const line of out) expect(linesOfModel(model)).toContain(line)
  })
})

test('a piece of 1.0 in zstd becomes one in snappy, or halves in zstd', () => {
  const sluice = sluiceOf('compression: zstd')
  const random = seeded(13)
  const body = writeVersion2(
    Array.from({ length: 40 }, () => randomSeries(random, true)),
    random,
  )
  const [piece] = piecesOf(sluice, body)
  expect(piece).toMatchObject({ message: 1, compression: 'zstd' })
  const { pieces } = repackedOf(sluice, piece!)!
  expect(pieces).toMatchObject([{ message: 1, compression: 'snappy' }])
  expect(lines(pieces)).toEqual(lines([piece!]))
  const halves = halvesOf(sluice, piece!)
  expect(halves).toMatchObject([{ compression: 'zstd' }, { compression: 'zstd' }])
  expect(lines(halves)).toEqual(lines([piece!]))
})

describe('histograms with custom buckets', () => {
  const symbols = new Symbols()
  const bounds = [...new Uint8Array(Float64Array.of(0.5, 1).buffer)]
  const body = request(symbols, [
    [
      ...symbols.labels([['__name__', 'h']]),
      ...field(3, [
        ...number(1, 3),
        ...number(4, 105),
        ...field(11, number(2, 2)),
        ...field(12, [2, 2]),
        ...number(15, NOW),
        ...field(16, bounds),
      ]),
    ],
    [...symbols.labels([['__name__', 's']]), ...sample2(1, NOW)],
  ])

  test('become classic series, whatever the rules, or are dropped and counted', () => {
    const sluice = sluiceOf()
    const [piece] = piecesOf(sluice, body)
    const expanded = repackedOf(sluice, piece!)!
    expect(expanded).toMatchObject({ expanded: 1, made: 5, lost: { histograms: 0 } })
    expect(lines(expanded.pieces).map((line) => line.split('@')[0])).toEqual([
      '__name__=h_bucket,le=+Inf s 3',
      '__name__=h_bucket,le=0.5 s 1',
      '__name__=h_bucket,le=1.0 s 3',
      '__name__=h_count s 3',
      '__name__=h_sum s 0',
      '__name__=s s 1',
    ])
    const dropped = repackedOf(sluice, piece!, { ...FORM, expand: false })!
    expect(dropped).toMatchObject({ expanded: 0, made: 0, lost: { histograms: 1 } })
    expect(lines(dropped.pieces)).toHaveLength(1)
  })
})

test('a histogram whose series has no room for le is left out and counted, the rest is made anew', () => {
  const symbols = new Symbols()
  const many = Array.from(
    { length: 126 },
    (_, i) => [`l${String(i).padStart(3, '0')}`, 'v'] as const,
  )
  const buckets = [
    ...number(1, 3),
    ...number(4, 105),
    ...field(11, number(2, 1)),
    ...field(12, [6]),
    ...number(15, NOW),
    ...field(16, [...new Uint8Array(Float64Array.of(0.5).buffer)]),
  ]
  const body = request(symbols, [
    [...symbols.labels([['__name__', 'h'], ...many]), ...field(3, buckets)],
    [...symbols.labels([['__name__', 's']]), ...sample2(1, NOW)],
  ])
  const sluice = new Sluice(configWith('[]', { origin: V2, sluice: 'limits: {labels: 127}' }))
  const [piece] = piecesOf(sluice, body)
  const { lost, pieces, expanded } = repackedOf(sluice, piece!)!
  expect({ ...lost, expanded }).toEqual({
    samples: 0,
    histograms: 1,
    exemplars: 0,
    metadata: 0,
    expanded: 0,
  })
  expect(lines(pieces)).toEqual([expect.stringMatching(/^__name__=s s 1@/)])
})

test('what no generation of the table can hold is not made anew', () => {
  const symbols = new Symbols()
  const long = Array.from({ length: 9 }, (_, i) => [`l${i}`, 'v'.repeat(2000)] as const)
  const body = request(symbols, [
    [...symbols.labels([['__name__', 'm'], ...long]), ...sample2(1, NOW)],
  ])
  const [piece] = piecesOf(sluiceOf(), body)
  const small = sluiceOf(V2, 16_384)
  expect(repackedOf(small, piece!)).toBeUndefined()
})
