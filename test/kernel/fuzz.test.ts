import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { type TimeSeries, WriteRequestSchema } from '../../src/wire/gen/prometheus_pb.js'
import {
  E_PROTO,
  E_RUNS,
  MISS,
  PART_ROWS,
  PART_TABLE,
  R_KEY_LABELS,
  R_PIECE,
  R_RECEIVED,
  R_SUPERSEDED,
  REPORT_WORDS,
  RESOLVE_BEGIN,
  RESOLVE_ON,
  RESOLVE_REFUSE,
  ROW,
} from '../../src/wire/layout.ts'
import {
  type Bytes,
  exemplar,
  histogram,
  label,
  message,
  metadata,
  sample,
  series,
} from '../batch/message.ts'
import { Guarded, rawKernel, seeded } from './raw.ts'

// The kernel alone, every region between canaries, the body flush against the end of memory. What it makes of a body is compared with protobuf-es.

const PAGES = 64
const END = PAGES * 65536
/** Wide loads may see that much behind a body; the walk's contract. */
const PAD = 64

interface Sizes {
  readonly rows: number
  readonly generation: number
  readonly piece: number
}

/** A kernel whose series come out as they came in. */
function identityKernel({ rows, generation, piece }: Sizes) {
  const { call, bytes } = rawKernel(PAGES)
  const words = new Uint32Array(bytes.buffer)
  const guarded = new Guarded(bytes)
  let at = 65536 + 128
  const take = (size: number) => {
    const start = guarded.region(at, size)
    at = (at + size + 255) & ~63
    return start
  }
  const keyCap = 4096
  const report = take(REPORT_WORDS * 4)
  const keys = take(call.keysSize!())
  const lists = take(call.listsSize!())
  const walk = take(call.walkSize!() + keyCap)
  const out = take(1024)
  const rowsAt = take(rows * ROW)
  const pieceAt = take(piece)
  const merge = take(call.mergeSize!())
  const table = take(generation * 2)
  const next = seeded(99)
  for (let i = 0; i < call.keysSize!(); i++) bytes[keys + i] = next(256)
  call.init!(report, keys, lists, walk, keyCap, merge, rowsAt, rows * ROW, table, generation)

  const emitted: Uint8Array[] = []
  const read = (word: number) => words[(report >>> 2) + word]!

  function emit(points: number) {
    call.emitBegin!(0, 15, 0)
    let superseded = read(R_SUPERSEDED) + read(R_SUPERSEDED + 1)
    for (
      let n = call.emit1!(pieceAt, piece, points);
      n > 0;
      n = call.emit1!(pieceAt, piece, points)
    ) {
      expect(n).toBeLessThanOrEqual(piece)
      const total = [0, 1, 2, 3].reduce((sum, kind) => sum + read(R_PIECE + kind), 0)
      expect(total).toBeGreaterThan(0)
      expect(total).toBeLessThanOrEqual(points)
      emitted.push(bytes.slice(pieceAt, pieceAt + n))
      superseded = read(R_SUPERSEDED) + read(R_SUPERSEDED + 1)
    }
    return superseded
  }

  /** Pieces, or the error. */
  return function run(body: Uint8Array, points: number) {
    emitted.length = 0
    let superseded = 0
    let parts = 0
    const src = guarded.region(END - PAD - body.length, body.length)
    bytes.set(body, src)
    try {
      for (let how = RESOLVE_BEGIN; ; ) {
        const result = call.resolve1!(src, body.length, how, 0, 8e15, 1e6)
        how = RESOLVE_ON
        if (result === 0) break
        if (result === MISS) {
          const n = read(R_KEY_LABELS)
          if (n === 0 || n > 127) {
            how = RESOLVE_REFUSE + 2
            continue
          }
          words[out >>> 2] = n
          words.copyWithin((out >>> 2) + 1, lists >>> 2, (lists >>> 2) + n)
          if (call.insert!(0, out) === 0) continue
        } else if (result !== PART_TABLE && result !== PART_ROWS) return result
        superseded += emit(points)
        call.nextPart!(result === PART_ROWS ? 0 : 1)
        if (++parts > 10_000) throw new Error('no progress')
      }
      superseded += emit(points)
      return { pieces: emitted.slice(), superseded, parts, received: read(R_RECEIVED) }
    } finally {
      call.reset!()
      expect(guarded.damage()).toBe(-1)
      bytes.fill(0xa5, src, src + body.length)
      guarded.forget(src)
    }
  }
}

const fields: ((next: (n: number) => number) => Bytes)[] = [
  (next) => sample(next(5), 1.7e12 + next(6), next(3)),
  (next) => sample(next(5), 1.7e12 + next(6)),
  (next) => sample(0, 1.7e12 + next(6)),
  (next) => histogram(1 + next(5), 1.7e12 + next(4)),
  (next) => exemplar({ trace_id: `t${next(3)}` }, next(9), 1.7e12 + next(4)),
  (next) => label(`l${next(6)}`, `v${next(4)}`),
  () => [0x38, 0x07],
]

function randomMessage(next: (n: number) => number): Uint8Array {
  const parts = Array.from({ length: 1 + next(8) }, () => {
    if (next(9) === 0) return metadata(next(8), `m${next(5)}`, 'help')
    const labels = [
      label('__name__', `m${next(4)}`),
      ...Array.from({ length: next(4) }, (_, i) => label(`l${i}`, `v${next(3)}`)),
    ]
    const points = Array.from({ length: next(6) }, () => fields[next(fields.length)]!(next))
    return series(...labels, ...points)
  })
  return message(...parts)
}

/** Every point of a request as text, with its series' labels as sent. */
function pointsOf(requests: readonly Uint8Array[]): string[] {
  const points: string[] = []
  for (const request of requests) {
    const { timeseries, metadata } = fromBinary(WriteRequestSchema, request)
    for (const series of timeseries) points.push(...seriesPoints(series))
    for (const { metricFamilyName, type, help } of metadata)
      points.push(`${metricFamilyName} ${type} ${help}`)
  }
  return points.sort()
}

function seriesPoints({ labels, samples, histograms, exemplars }: TimeSeries): string[] {
  const name = labels.map(({ name, value }) => `${name}=${value}`).join()
  return [
    ...samples.map((s) => `${name} s ${s.value} ${s.timestamp}`),
    ...histograms.map((h) => `${name} h ${h.sum} ${h.timestamp} ${h.positiveDeltas}`),
    ...exemplars.map((e) => `${name} x ${e.value} ${e.timestamp} ${e.labels.map((l) => l.value)}`),
  ]
}

describe('random messages', () => {
  test.each([
    ['in one piece', { rows: 500, generation: 1 << 18, piece: 1 << 16 }, 1e6],
    ['in small pieces', { rows: 500, generation: 1 << 18, piece: 300 }, 3],
    [
      'with a table that turns over all the time',
      { rows: 500, generation: 1 << 13, piece: 1 << 16 },
      1e6,
    ],
    ['with few rows', { rows: 6, generation: 1 << 18, piece: 1 << 16 }, 1e6],
  ])('%s come out with every point', (_, sizes, points) => {
    const next = seeded(5)
    const run = identityKernel(sizes)
    let turned = 0
    for (let round = 0; round < 600; round++) {
      const body = randomMessage(next)
      const got = run(body, points)
      if (typeof got === 'number') {
        expect(got).toBe(E_RUNS)
        continue
      }
      turned += got.parts
      const want = pointsOf([body])
      const out = pointsOf(got.pieces)
      // What is superseded is gone from `out`; all else is there, and nothing that was not sent.
      expect(out.length + got.superseded).toBe(want.length)
      const left = [...want]
      for (const point of out) {
        const i = left.indexOf(point)
        expect(i, point).toBeGreaterThanOrEqual(0)
        left.splice(i, 1)
      }
    }
    if (sizes.rows === 6 || sizes.generation < 1 << 18) expect(turned).toBeGreaterThan(10)
  })

  test('merged series are in time order', () => {
    const next = seeded(6)
    const run = identityKernel({ rows: 500, generation: 1 << 18, piece: 1 << 16 })
    for (let round = 0; round < 300; round++) {
      const body = message(
        ...Array.from({ length: 2 + next(4) }, () =>
          series(label('__name__', 'm'), sample(next(9), 1.7e12 + next(9))),
        ),
      )
      const got = run(body, 1e6)
      if (typeof got === 'number') throw new Error(`refused: ${got}`)
      const times = fromBinary(WriteRequestSchema, got.pieces[0]!).timeseries[0]!.samples.map(
        (s) => s.timestamp,
      )
      expect(times).toEqual([...new Set(times)].sort())
    }
  })
})

describe('mutated messages', () => {
  test('are refused or come out as protobuf-es reads them, and never stray', () => {
    const next = seeded(7)
    const run = identityKernel({ rows: 300, generation: 1 << 14, piece: 2000 })
    const verdicts = { both: 0, stricter: 0 }
    for (let round = 0; round < 6000; round++) {
      const body = randomMessage(next)
      for (let i = next(4); i >= 0; i--) body[next(body.length)] = next(4) ? next(256) : 0x80
      const cut = next(6) === 0 ? body.slice(0, next(body.length + 1)) : body
      const got = run(cut, 1 + next(20))
      const oracle = read(cut)
      if (typeof got === 'number') {
        expect([E_PROTO, E_RUNS]).toContain(got)
        if (oracle === 'sound') verdicts.stricter++ // wire types of known fields, which protobuf-es does not look at
        continue
      }
      // Nothing that is no protobuf passes, and what passes is protobuf again.
      expect(oracle, Buffer.from(cut).toString('hex')).not.toBe('unsound')
      for (const piece of got.pieces) expect(read(piece)).not.toBe('unsound')
      if (oracle !== 'sound') continue
      verdicts.both++
      const want = pointsOf([cut])
      const out = pointsOf(got.pieces)
      expect(out.length).toBeLessThanOrEqual(want.length)
      expect(out.filter((point) => !want.includes(point))).toEqual([])
    }
    expect(verdicts.both).toBeGreaterThan(500)
    expect(verdicts.stricter).toBeLessThan(verdicts.both)
  })

  test('of random bytes are refused or empty', () => {
    const next = seeded(8)
    const run = identityKernel({ rows: 300, generation: 1 << 14, piece: 2000 })
    for (let round = 0; round < 3000; round++)
      run(
        Uint8Array.from({ length: next(60) }, () => next(256)),
        10,
      )
  })
})

/** What protobuf-es says: a request, no protobuf, or protobuf with a string that is no UTF-8 (which is the host's to judge). */
function read(body: Uint8Array): 'sound' | 'unsound' | 'no text' {
  try {
    fromBinary(WriteRequestSchema, body)
    return 'sound'
  } catch (error) {
    return /utf/i.test(String(error)) ? 'no text' : 'unsound'
  }
}
