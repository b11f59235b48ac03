import { toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { ExportMetricsServiceRequestSchema } from '../../src/wire/gen/opentelemetry_pb.js'
import {
  E_PROTO,
  E_RUNS,
  MAX_GROUP,
  MISS,
  MISS_POINT,
  OTLP_EXEMPLAR,
  OTLP_HISTOGRAM,
  OTLP_SUMMARY,
  OTLP_TARGET,
  PART_ROWS,
  PART_TABLE,
  R_KEY_LABELS,
  R_MISS,
  R_PIECE,
  REPORT_WORDS,
  RESOLVE_BEGIN,
  RESOLVE_ON,
  ROW,
  STATUS_GROUP,
} from '../../src/wire/layout.ts'
import { anyRequest } from '../batch/otlp-request.ts'
import { fieldsOf, scramble } from '../batch/otlp-scramble.ts'
import { Guarded, rawKernel, seeded } from './raw.ts'

// The kernel's walk of OTLP alone, every region between canaries, bodies flush against the end of memory.

const PAGES = 128
const END = PAGES * 65536
const PAD = 64
const KEY = 4096
const PIECE = 8192

interface Sizes {
  readonly rows: number
  readonly made: number
  readonly generation: number
}

/** Runs bodies; the host makes of every point what its kind needs, its series numbered. */
function otlpKernel({ rows, made, generation }: Sizes, native: boolean) {
  const { call, bytes } = rawKernel(PAGES)
  const words = new Uint32Array(bytes.buffer)
  const guarded = new Guarded(bytes)
  let at = 65536 + 128
  const take = (size: number) => {
    const start = guarded.region(at, size)
    at = (at + size + 255) & ~63
    return start
  }
  const report = take(REPORT_WORDS * 4)
  const keys = take(call.keysSize!())
  const lists = take(call.listsSize!())
  const walk = take(call.walkSize!() + KEY)
  const otlp = take(call.otlpSize!())
  const out = take(64)
  const label = take(256)
  const rowsAt = take(rows * ROW)
  const madeAt = take(made)
  const piece = take(PIECE)
  const merge = take(call.mergeSize!())
  const table = take(generation * 2)
  const next = seeded(99)
  for (let i = 0; i < call.keysSize!(); i++) bytes[keys + i] = next(256)
  const sizes = [rowsAt, rows * ROW, madeAt, made, otlp, table, generation]
  call.init!(report, keys, lists, walk, KEY, merge, ...sizes)
  // classic, native, starts, scopes, targets, delta in silence, exemplars, records, families
  call.configureOtlp!(1, Number(native), 1, 1, 1, 0, 128, 0, 1)
  const read = (word: number) => words[(report >>> 2) + word]!
  let named = 0

  /** A member with one label, of its own. False when the generation is full. */
  function member(): boolean {
    const name = Buffer.from(`m${named++ % 900}`)
    bytes.set([10, name.length + 4, 10, 0, 18, name.length, ...name], label)
    const pair = call.intern!(label, name.length + 6)
    if (pair === 0) return false
    words.set([1, pair, 1, pair], out >>> 2)
    return call.addMember!(0, out) !== 0
  }

  /** What the host does with a miss. False when the generation is full. */
  function insert(): boolean {
    expect(read(R_MISS)).toBe(MISS_POINT)
    expect(read(R_KEY_LABELS)).toBeLessThan(128)
    const pairs = Array.from(words.subarray(lists >>> 2, (lists >>> 2) + read(R_KEY_LABELS)))
    const [, , metric, bounds] = pairs as [number, number, number, number]
    const kind = bytes[metric + 8]!
    call.beginGroup!()
    if (kind === OTLP_EXEMPLAR) {
      bytes.set([5, 0, 0, 0, 10, 4, 10, 0, 18, 0], label)
      const meta = call.intern!(label, 10)
      return meta !== 0 && call.insertPoint!(STATUS_GROUP, next(3) ? meta : 0) !== 0
    }
    if (next(12) === 0) return call.insertPoint!(5, 0) !== 0
    const size = words[bounds >>> 2]! / 8
    const last = size > 0 && Buffer.from(bytes.buffer, bounds + 8 + size * 8 - 8).readDoubleLE(0)
    let n = 1
    if (kind === OTLP_HISTOGRAM) n = size - Number(last === Infinity) + 3 + Number(native)
    if (kind === OTLP_SUMMARY) n = size + 2
    if (kind === OTLP_TARGET) n = next(2)
    if (n > MAX_GROUP) return call.insertPoint!(20, 0) !== 0
    while (n-- > 0) if (!member()) return false
    bytes.set([8, 1, 18, 1, 120], label)
    const meta = call.intern!(label, 5)
    return meta !== 0 && call.insertPoint!(STATUS_GROUP, kind === OTLP_TARGET ? 0 : meta) !== 0
  }

  function emit(points: number): number {
    call.emitBegin!(0, 15, 0, 1, 0)
    let all = 0
    for (let n = call.emit1!(piece, PIECE, points); n > 0; n = call.emit1!(piece, PIECE, points)) {
      expect(n).toBeLessThanOrEqual(PIECE - 32)
      // It is protobuf, each series with something in it.
      for (const { number, payload } of fieldsOf(bytes.slice(piece, piece + n))) {
        if (number === 1) expect(fieldsOf(payload).length).toBeGreaterThan(1)
      }
      for (let kind = 0; kind < 4; kind++) all += read(R_PIECE + kind)
    }
    return all
  }

  return function run(body: Uint8Array, points: number): { error?: number; sent: number } {
    const src = guarded.region(END - PAD - body.length, body.length)
    bytes.set(body, src)
    let sent = 0
    let parts = 0
    try {
      for (let how = RESOLVE_BEGIN; ; how = RESOLVE_ON) {
        const result = call.resolveOtlp!(src, body.length, how, 0, 8e15, 1e6)
        if (result === 0) break
        if (result === MISS && insert()) continue
        if (result !== MISS && result !== PART_TABLE && result !== PART_ROWS)
          return { error: result, sent }
        sent += emit(points)
        call.nextPart!(result === PART_ROWS ? 0 : 1)
        if (++parts > 1000) throw new Error('no progress')
      }
      return { sent: sent + emit(points) }
    } finally {
      call.reset!()
      expect(guarded.damage()).toBe(-1)
      bytes.fill(0xa5, src, src + body.length)
      guarded.forget(src)
    }
  }
}

const SIZES: [string, Sizes][] = [
  ['', { rows: 2000, made: 65536, generation: 1 << 19 }],
  [' with few rows', { rows: 40, made: 65536, generation: 1 << 19 }],
  [' with little room for points', { rows: 2000, made: 1500, generation: 1 << 19 }],
  [' with a table that turns over', { rows: 2000, made: 65536, generation: 12_000 }],
]

describe('bodies of OTLP', () => {
  test.each(SIZES)(
    'as SDKs and strangers write them stay inside of their regions%s',
    (_, sizes) => {
      for (const native of [false, true]) {
        const next = seeded(31)
        const run = otlpKernel(sizes, native)
        let sent = 0
        for (let round = 0; round < 100; round++) {
          const plain = toBinary(ExportMetricsServiceRequestSchema, anyRequest(next))
          const { error, sent: more } = run(round % 2 ? scramble(plain, next) : plain, 1 + next(50))
          if (error !== undefined) expect(error).toBe(E_RUNS)
          sent += more
        }
        expect(sent).toBeGreaterThan(600)
      }
    },
  )

  test.each(SIZES)(
    'that are damaged are refused or walked, and never strayed from%s',
    (_, sizes) => {
      const next = seeded(32)
      const run = otlpKernel(sizes, true)
      const verdicts = { sound: 0, refused: 0 }
      for (let round = 0; round < 700; round++) {
        const plain = toBinary(ExportMetricsServiceRequestSchema, anyRequest(next))
        const body = next(2) ? scramble(plain, next) : plain
        if (body.length === 0) continue
        for (let i = next(5); i > 0; i--) body[next(body.length)] = next(3) ? next(256) : 0xff
        const cut = next(3) ? body : body.slice(0, next(body.length))
        const { error } = run(cut, 1 + next(50))
        if (error !== undefined) expect([E_PROTO, E_RUNS]).toContain(error)
        verdicts[error === undefined ? 'sound' : 'refused']++
      }
      expect(verdicts.sound).toBeGreaterThan(150)
      expect(verdicts.refused).toBeGreaterThan(150)
    },
  )

  test('of random bytes are refused or empty', () => {
    const next = seeded(33)
    const run = otlpKernel({ rows: 100, made: 4096, generation: 1 << 14 }, false)
    for (let round = 0; round < 3000; round++) {
      run(
        Uint8Array.from({ length: next(80) }, () => (next(3) ? next(256) : 10 + 8 * next(3))),
        10,
      )
    }
  })
})
