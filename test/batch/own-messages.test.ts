import { expect, test } from 'vitest'
import { batchUp } from '../../src/batch/batch.ts'
import { totalOf } from '../../src/batch/counts.ts'
import type { Piece } from '../../src/batch/cut.ts'
import { halve } from '../../src/batch/halve.ts'
import type { Protocol } from '../../src/batch/protocol.ts'
import { repack } from '../../src/batch/repack.ts'
import { decompress } from '../../src/compress/decompress.ts'
import { configWith, NOW, Sluice } from './harness.ts'
import { type Bytes, label, message, metadata, sample, series } from './message.ts'
import { request, Symbols, sample2 } from './message2.ts'
import { lines2 } from './request2.ts'

// Payloads of our own that are read again, to be cut or made anew: they are of any tenant, and were paid for when they came.

const T = NOW - 60_000
const V2 = 'protobuf_message: io.prometheus.write.v2.Request'
const FORM = { kinds: 15, expand: true, points: 1e6, bytes: 1e6 }

type Section = Parameters<Parameters<Sluice['workspace']['enter']>[1]>[0]
const inSection = <R>({ workspace, config }: Sluice, work: (section: Section) => R): R =>
  workspace.enter(config, work)

/** Pieces of the first origin, which are kept. */
function piecesOf(sluice: Sluice, body: Uint8Array, protocol: Protocol, tenant = 0): Piece[] {
  return inSection(sluice, ({ kernel, table, streams }) =>
    kernel.use(() => {
      const { pool } = sluice.workspace
      const batch = batchUp(kernel, table, streams, pool, kernel.load(body), {
        ...{ protocol, tenant, latest: NOW, maxSeries: 1e6, subrequests: 50 },
      })
      return batch.cargos[0]!.pieces
    }),
  )
}

const halvesOf = (sluice: Sluice, piece: Piece) =>
  inSection(sluice, ({ kernel, table }) => halve(kernel, table, sluice.workspace.pool, piece))

const decoded = (sluice: Sluice, { bytes }: Piece) =>
  inSection(sluice, ({ kernel }) =>
    kernel.message(decompress(kernel, bytes, 'snappy', kernel.sizes.decoded)),
  )

const named = (symbols: Symbols, ...names: string[]) =>
  names.map((name) => [...symbols.labels([['__name__', name]]), ...sample2(1, T)])

test.each(['halved', 'made anew'])(
  'metadata in a payload that is %s is in no other payload, of whatever tenant',
  (how) => {
    const sluice = new Sluice(configWith('[]', { origin: V2 }))
    const families = message(metadata(1, 'a', 'A secret.'), metadata(1, 'b', 'Another.'))
    const [theirs] = piecesOf(new Sluice(configWith()), families, 'remotewrite1', 1)
    const symbols = new Symbols()
    const body = request(symbols, named(symbols, 'a', 'b'))
    const [ours] = piecesOf(sluice, body, 'remotewrite2', 2)
    if (how === 'halved') expect(halvesOf(sluice, theirs!)).toHaveLength(2)
    else {
      inSection(sluice, ({ kernel, table }) =>
        repack(kernel, table, sluice.workspace.pool, theirs!, FORM),
      )
    }
    const halves = halvesOf(sluice, ours!)
    expect(halves.map((half) => lines2([decoded(sluice, half)], T))).toEqual([['a 1@0'], ['b 1@0']])
    expect(
      piecesOf(sluice, body, 'remotewrite2', 2).map((p) => lines2([decoded(sluice, p)], T)),
    ).toEqual([['a 1@0', 'b 1@0']])
  },
)

test('a payload that is much shorter than its body was is halved and made anew, however often it names its labels', () => {
  const limits = 'limits: {labels: 127, label_value: 60000B}'
  const sluice = new Sluice(configWith('[]', { origin: V2, sluice: limits }))
  const symbols = new Symbols()
  const long = Array.from({ length: 100 }, (_, i) => [`l${i}`, 'v'.repeat(3000)] as const)
  const fields: Bytes[] = Array.from({ length: 200 }, (_, i) => [
    ...symbols.labels([['__name__', `m${i}`], ...long]),
    ...sample2(1, T),
  ])
  const padding = new Uint8Array(2 << 20).map((_, i) => (i % 2 ? 0 : 0x3a))
  const body = Buffer.concat([request(symbols, fields), padding])
  const [piece] = piecesOf(sluice, body, 'remotewrite2')
  expect(piece!.uncompressed).toBeLessThan(60_000)
  expect(halvesOf(sluice, piece!).map(({ counts }) => counts.samples)).toEqual([100, 100])
  const form = { ...FORM, bytes: 3e6 }
  const repacked = inSection(sluice, ({ kernel, table }) =>
    repack(kernel, table, sluice.workspace.pool, piece!, form),
  )
  expect(repacked!.pieces.reduce((sum, { counts }) => sum + totalOf(counts), 0)).toBe(200)
})

test('what is too large for a request in the other form is counted as that', () => {
  const sluice = new Sluice(configWith('[]', { origin: V2, sluice: 'limits: {labels: 100}' }))
  const symbols = new Symbols()
  const same = Array.from({ length: 60 }, (_, i) => [`l${i}`, 'v'.repeat(200)] as const)
  const fields = [
    ...named(symbols, 'a', 'b'),
    [...symbols.labels([['__name__', 'c'], ...same]), ...sample2(1, T)],
  ]
  const [piece] = piecesOf(sluice, request(symbols, fields), 'remotewrite2')
  expect(piece!.uncompressed).toBeLessThan(3000)
  const repacked = inSection(sluice, ({ kernel, table }) =>
    repack(kernel, table, sluice.workspace.pool, piece!, { ...FORM, bytes: 3000 }),
  )!
  expect(repacked).toMatchObject({ lost: { samples: 0 }, oversize: { samples: 1 } })
  expect(repacked.pieces.map(({ counts }) => counts.samples)).toEqual([2])
})

test('a payload that was cut by bytes alone is not made into more than it was', () => {
  const origin = `${V2}, queue_config: {max_samples_per_send: 2}`
  const sluice = new Sluice(configWith('[]', { origin, sluice: 'limits: {subrequests: 4}' }))
  const fields = Array.from({ length: 100 }, (_, i) =>
    series(label('__name__', `m${i}`), sample(i, T)),
  )
  const { batch } = sluice.run(message(...fields))
  expect(batch.cargos[0]!.pieces).toHaveLength(1)
  const [piece] = piecesOf(
    new Sluice(configWith('[]', { origin: V2 })),
    message(...fields),
    'remotewrite1',
  )
  const repackedTo = (points: number) =>
    inSection(sluice, ({ kernel, table }) =>
      repack(kernel, table, sluice.workspace.pool, piece!, { ...FORM, points }),
    )!.pieces.length
  expect([repackedTo(2), repackedTo(1000)]).toEqual([1, 1])
})
