import { expect } from 'vitest'
import {
  KINDS,
  MISS,
  MISS_CUSTOM,
  PART_ROWS,
  PART_TABLE,
  R_KEY_LABELS,
  R_MISS,
  R_OVERSIZE,
  R_PIECE,
  R_RECEIVED,
  R_REJECTED,
  R_SUPERSEDED,
  R_UNWANTED,
  REASONS,
  REPORT_WORDS,
  RESOLVE_BEGIN,
  RESOLVE_ON,
  RESOLVE_REFUSE,
  ROW,
} from '../../src/wire/layout.ts'
import { Guarded, rawKernel, seeded } from './raw.ts'

const PAGES = 128
const END = PAGES * 65536
/** Wide loads may see that much behind a body; the walk's contract. */
const PAD = 64
const MADE = 16384

export interface Sizes {
  readonly rows: number
  readonly generation: number
  readonly piece: number
}

/** What a body became: its pieces, or the kernel's error. */
export type Ran =
  | number
  | {
      readonly pieces: readonly Uint8Array[]
      readonly parts: number
      /** By kind: SAMPLES, HISTOGRAMS, EXEMPLARS, METADATA. */
      readonly received: readonly number[]
      readonly rejected: readonly number[]
      readonly superseded: readonly number[]
      readonly unwanted: readonly number[]
      readonly oversize: readonly number[]
      readonly sent: readonly number[]
    }

/**
 * The kernel alone, every region between canaries, the body flush against the end of memory; series come out as they came in. Returns what runs a body of remote
 * write `input` into pieces of remote write `output`.
 */
export function identityKernel({ rows, generation, piece }: Sizes) {
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
  const otlp = take(call.otlpSize!())
  const out = take(1024)
  const rowsAt = take(rows * ROW)
  const made = take(MADE)
  const pieceAt = take(piece)
  const merge = take(call.mergeSize!())
  const table = take(generation * 2)
  const next = seeded(99)
  for (let i = 0; i < call.keysSize!(); i++) bytes[keys + i] = next(256)
  call.init!(
    report,
    keys,
    lists,
    walk,
    keyCap,
    merge,
    rowsAt,
    rows * ROW,
    made,
    MADE,
    otlp,
    table,
    generation,
  )
  const memo = take(call.memoSize!())
  const symbolTable = take(call.symbolTableSize!())
  const families = take(call.familiesSize!())
  const series = take(piece)
  call.init2!(merge, memo, symbolTable, families, series, piece)

  const read = (word: number) => words[(report >>> 2) + word]!
  const kinds = (word: number) => [0, 1, 2, 3].map((kind) => read(word + kind))
  const add = (sum: number[], more: readonly number[]) =>
    more.forEach((n, i) => {
      sum[i]! += n
    })

  return function run(body: Uint8Array, points: number, input: 1 | 2 = 1, output: 1 | 2 = 1): Ran {
    const pieces: Uint8Array[] = []
    const sums = [0, 0, 0, 0].map(() => [0, 0, 0, 0])
    const [superseded, unwanted, oversize, sent] = sums as [number[], number[], number[], number[]]
    const emitTo = output === 2 ? call.emit2! : call.emit1!
    const resolve = input === 2 ? call.resolve2! : call.resolve1!

    function emit() {
      call.emitBegin!(0, 15, 0, output, 0)
      for (let n = emitTo(pieceAt, piece, points); n > 0; n = emitTo(pieceAt, piece, points)) {
        expect(n).toBeLessThanOrEqual(piece - 32)
        const total = kinds(R_PIECE).reduce((sum, count) => sum + count, 0)
        expect(total).toBeGreaterThan(0)
        expect(total).toBeLessThanOrEqual(points)
        add(sent, kinds(R_PIECE))
        pieces.push(bytes.slice(pieceAt, pieceAt + n))
      }
      add(superseded, kinds(R_SUPERSEDED))
      add(unwanted, kinds(R_UNWANTED))
      add(oversize, kinds(R_OVERSIZE))
    }

    let parts = 0
    const src = guarded.region(END - PAD - body.length, body.length)
    bytes.set(body, src)
    try {
      for (let how = RESOLVE_BEGIN; ; ) {
        const result = resolve(src, body.length, how, 0, 8e15, 1e6)
        how = RESOLVE_ON
        if (result === 0) break
        if (result === MISS) {
          expect(read(R_MISS)).not.toBe(MISS_CUSTOM)
          const n = read(R_KEY_LABELS)
          if (n === 0 || n > 127) {
            how = RESOLVE_REFUSE + 2
            continue
          }
          words[out >>> 2] = n
          words.copyWithin((out >>> 2) + 1, lists >>> 2, (lists >>> 2) + n)
          if (call.insert!(0, out) === 0) continue
        } else if (result !== PART_TABLE && result !== PART_ROWS) return result
        emit()
        call.nextPart!(result === PART_ROWS ? 0 : 1)
        if (++parts > 10_000) throw new Error('no progress')
      }
      emit()
      const rejected = [0, 0, 0, 0]
      for (let reason = 0; reason < REASONS; reason++)
        add(rejected, kinds(R_REJECTED + reason * KINDS))
      const received = kinds(R_RECEIVED)
      return { pieces, parts, received, rejected, superseded, unwanted, oversize, sent }
    } finally {
      call.reset!()
      expect(guarded.damage()).toBe(-1)
      bytes.fill(0xa5, src, src + body.length)
      guarded.forget(src)
    }
  }
}
