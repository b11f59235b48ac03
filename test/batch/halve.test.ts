import { fromBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import { describe, expect, test } from 'vitest'
import { totalOf } from '../../src/batch/counts.ts'
import type { Piece } from '../../src/batch/cut.ts'
import { halve } from '../../src/batch/halve.ts'
import type { OwnPiece } from '../../src/batch/resolve-own.ts'
import { addCounts, NO_COUNTS } from '../../src/deliver/payload.ts'
import { WriteRequestSchema } from '../../src/wire/gen/prometheus_pb.js'
import { Workspace } from '../../src/workspace.ts'
import { kernelModule } from '../kernel/load.ts'
import { configWith, NOW, Sluice, seriesText } from './harness.ts'
import {
  type Bytes,
  exemplar,
  histogram,
  label,
  message,
  metadata,
  sample,
  series,
} from './message.ts'

const T = NOW - 60_000
const named = (name: string, ...points: Bytes[]) => series(label('__name__', name), ...points)
const many = (n: number) => Array.from({ length: n }, (_, i) => named(`m${i}`, sample(i + 1, T)))
const long = (n: number) =>
  named('long', ...Array.from({ length: n }, (_, i) => sample(i + 1, T + i)))

/** The pieces of a message, which are kept. */
function piecesOf(sluice: Sluice, bytes: Uint8Array): Piece[] {
  const { pool } = sluice.workspace
  const { give } = pool
  pool.give = () => undefined
  try {
    return [...sluice.run(bytes).batch.cargos[0]!.pieces]
  } finally {
    pool.give = give
  }
}

/** With a workspace of its own choice. */
class SluiceOf extends Sluice {
  override readonly workspace: Workspace
  constructor({ workspace, config }: Pick<Sluice, 'workspace' | 'config'>) {
    super(config)
    this.workspace = workspace
  }
}

function halvesOf({ workspace, config }: Sluice, piece: OwnPiece): Piece[] {
  return workspace.enter(config, ({ kernel, table }) => halve(kernel, table, workspace.pool, piece))
}

const decoded = ({ bytes }: Pick<Piece, 'bytes'>) =>
  fromBinary(WriteRequestSchema, new Uint8Array(SnappyJS.uncompress(bytes)))

/** Each point on a line of its own, in order. */
function linesOf(piece: Pick<Piece, 'bytes'>): string[] {
  const { timeseries, metadata } = decoded(piece)
  return [
    ...timeseries.flatMap(({ labels, samples, histograms, exemplars }) => [
      ...samples.map((s) => `${seriesText(labels)} ${s.value}@${Number(s.timestamp) - T}`),
      ...histograms.map((h) => `${seriesText(labels)} h${h.sum}@${Number(h.timestamp) - T}`),
      ...exemplars.map((e) => `${seriesText(labels)} x${e.value}@${Number(e.timestamp) - T}`),
    ]),
    ...metadata.map((m) => `${m.metricFamilyName} ${m.help}`),
  ]
}

describe('a piece is cut in two of half as many points', () => {
  const all = [sample(1, T), sample(2, T + 1), histogram(3, T), exemplar({ a: 'b' }, 4, T)]
  test.each<[string, Bytes[], number[], boolean]>([
    ['two series', many(2), [1, 1], false],
    ['many series', many(10), [5, 5], false],
    ['an odd number', many(7), [4, 3], false],
    ['one series of many points', [long(9)], [5, 4], true],
    ['a long series among others', [...many(2), long(6), named('z', sample(1, T))], [5, 4], true],
    ['all kinds', [named('all', ...all), ...many(1)], [3, 2], true],
    [
      'metadata alone',
      [metadata(1, 'a', 'A.'), metadata(2, 'b', 'B.'), metadata(3, 'c', 'C.')],
      [2, 1],
      true,
    ],
    [
      'metadata behind series',
      [...many(2), metadata(1, 'a', 'A.'), metadata(2, 'b', 'B.')],
      [2, 2],
      false,
    ],
  ])('%s', (_, fields, want, after) => {
    const sluice = new Sluice(configWith())
    const [piece] = piecesOf(sluice, message(...fields))
    const before = linesOf(piece!)
    const halves = halvesOf(sluice, piece!)
    expect(halves.map(({ counts }) => totalOf(counts))).toEqual(want)
    expect(halves.flatMap(linesOf)).toEqual(before)
    expect(halves.map(({ counts }) => counts).reduce(addCounts, NO_COUNTS)).toEqual(piece!.counts)
    expect(halves.map((half) => half.after)).toEqual([false, after])
    for (const half of halves)
      expect(half.uncompressed).toBe(new Uint8Array(SnappyJS.uncompress(half.bytes)).length)
    // The whole is still what it was.
    expect(linesOf(piece!)).toEqual(before)
  })

  test('with every point, also where a series was too long to be merged', () => {
    const origin = 'queue_config: {max_samples_per_send: 50000}'
    const sluice = new Sluice(configWith('[]', { origin }))
    const half = named('m', ...Array.from({ length: 40_000 }, (_, i) => sample(1, T + (i % 1000))))
    const pieces = piecesOf(sluice, message(half, half))
    expect(pieces.map(({ counts }) => counts.samples)).toEqual([50_000, 30_000])
    for (const piece of pieces) {
      const halves = halvesOf(sluice, piece)
      expect(halves.map(({ counts }) => counts.samples)).toEqual(
        [piece, piece].map(({ counts }) => counts.samples / 2),
      )
    }
  })

  test('down to one point each', () => {
    const sluice = new Sluice(configWith())
    const [piece] = piecesOf(sluice, message(...many(5), long(6)))
    const want = linesOf(piece!)
    const done: Piece[] = []
    const rest = [piece!]
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      const halves = halvesOf(sluice, next)
      if (halves.length === 0) done.push(next)
      rest.unshift(...halves)
    }
    expect(done.map(({ counts }) => totalOf(counts))).toEqual(Array(11).fill(1))
    expect(done.flatMap(linesOf)).toEqual(want)
  })
})

test('one point alone is not cut', () => {
  const sluice = new Sluice(configWith())
  const [piece] = piecesOf(sluice, message(...many(1)))
  expect(halvesOf(sluice, piece!)).toEqual([])
})

test('rules and external labels are not applied again, and limits do not count', () => {
  const rules =
    '[{source_labels: [a], target_label: a, replacement: "$1!"}, {regex: drop_later, action: labeldrop}]'
  const sluice = new Sluice(configWith(rules, { global: 'external_labels: {edge: fra}' }))
  const late = [label('a', '1'), sample(1, T)]
  const [piece] = piecesOf(sluice, message(named('m', ...late), named('n', ...late)))
  const stricter = configWith('[{source_labels: [a], regex: ".*", action: drop}]', {
    sluice: 'limits: {labels: 1, future: 1ms, series: 1}',
  })
  const other = new SluiceOf({ workspace: sluice.workspace, config: stricter })
  expect(halvesOf(other, piece!).flatMap(linesOf)).toEqual([
    '__name__="m",a="1!",edge="fra" 1@0',
    '__name__="n",a="1!",edge="fra" 1@0',
  ])
})

test('what tenants sent has no part in it, and it has none in what they send', () => {
  const sluice = new Sluice(configWith('[{target_label: made, replacement: x}]'))
  const body = message(...many(4))
  const [piece] = piecesOf(sluice, body)
  const bare = new Sluice(configWith())
  const [unmade] = piecesOf(bare, body)
  // The same label bytes, but ours: no rule adds a label to them.
  const halves = halvesOf(sluice, unmade!)
  expect(halves.flatMap(linesOf)).toEqual(many(4).map((_, i) => `__name__="m${i}" ${i + 1}@0`))
  expect(linesOf(piecesOf(sluice, body)[0]!)).toEqual(linesOf(piece!))
})

test('a table that is full is turned over for it', () => {
  const workspace = new Workspace(kernelModule, { table: 64 * 1024 })
  const config = configWith()
  const sluice = new SluiceOf({ workspace, config })
  for (let round = 0; round < 20; round++) {
    const fields = Array.from({ length: 50 }, (_, i) => named(`m${round}_${i}`, sample(i, T)))
    for (const piece of piecesOf(sluice, message(...fields))) {
      const halves = halvesOf(sluice, piece)
      expect(halves.flatMap(linesOf)).toEqual(linesOf(piece))
    }
  }
})

test('what no generation of the table can hold stays whole', () => {
  const config = configWith()
  const [piece] = piecesOf(new Sluice(config), message(...many(1000)))
  const workspace = new Workspace(kernelModule, { table: 16 * 1024 })
  const small = new SluiceOf({ workspace, config })
  expect(halvesOf(small, piece!)).toEqual([])
  expect(small.run(message(...many(3))).batch.received.samples).toBe(3)
})

test('a series that rules made longer than any key may be stays whole', () => {
  const copies = '[{action: labelmap, regex: "x(.*)", replacement: "y$1"}]'
  const config = configWith(copies, {
    sluice: 'limits: {labels: 127, label_value: 60000B}',
    origin: 'max_bytes_per_send: 8MB',
  })
  const sluice = new Sluice(config)
  const labels = Array.from({ length: 30 }, (_, i) => label(`x${i}`, `${i}`.repeat(30_000)))
  const [piece] = piecesOf(sluice, message(named('m', ...labels, sample(1, T), sample(2, T + 1))))
  expect([piece!.counts.samples, piece!.uncompressed > 3e6]).toEqual([2, true])
  expect(halvesOf(sluice, piece!)).toEqual([])
})

test('a piece that grew larger than any body may be is cut all the same', () => {
  const config = configWith('[]', {
    global: `external_labels: {z: ${'e'.repeat(2000)}}`,
    sluice: 'limits: {body: 2KB, decoded: 4KB}',
  })
  const sluice = new Sluice(config)
  const [piece] = piecesOf(sluice, message(...many(50)))
  expect(piece!.bytes.length).toBeGreaterThan(2048)
  expect(halvesOf(sluice, piece!).map(({ counts }) => counts.samples)).toEqual([25, 25])
})

test('bytes that are no piece of ours are a bug', () => {
  const sluice = new Sluice(configWith())
  const counts = { ...NO_COUNTS, samples: 2 }
  const form = { counts, message: 1, compression: 'snappy' } as const
  expect(() => halvesOf(sluice, { bytes: Uint8Array.of(9, 9), ...form })).toThrow(/^BUG: /)
  const bytes = new Uint8Array(SnappyJS.compress(Uint8Array.of(0xff, 1)))
  expect(() => halvesOf(sluice, { bytes, ...form })).toThrow(/^BUG: /)
})
