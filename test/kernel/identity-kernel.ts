import SnappyJS from 'snappyjs'
import { expect } from 'vitest'
import { readLabel, writeLabel } from '../../src/wire/label.ts'
import {
  E_SPACE,
  KINDS,
  MAX_LABELS,
  MISS,
  MISS_CUSTOM,
  PART_ROWS,
  PART_TABLE,
  R_EXPANDED,
  R_KEY,
  R_KEY_LABELS,
  R_MADE,
  R_MISS,
  R_OVERSIZE,
  R_PIECE,
  R_RECEIVED,
  R_REJECTED,
  R_SERIES,
  R_SUPERSEDED,
  R_UNWANTED,
  R_YOUNG,
  REASON_TOO_MANY_BUCKETS,
  REASON_TOO_MANY_LABELS,
  REASONS,
  REPORT_WORDS,
  RESOLVE_BEGIN,
  RESOLVE_ON,
  RESOLVE_REFUSE,
  ROW,
  STATUS_GROUP,
} from '../../src/wire/layout.ts'
import { Guarded, rawKernel, seeded } from './raw.ts'

const PAGES = 128
const END = PAGES * 65536
/** Wide loads may see that much behind a body; the walk's contract. */
const PAD = 64

export interface Sizes {
  readonly rows: number
  readonly generation: number
  readonly piece: number
  /** Points that are written anew. Bytes. */
  readonly made?: number
  /** Of the region in which blocks are remembered. Bytes. */
  readonly stencils?: number
  /** Classic series stand in for histograms with custom buckets where 1.0 goes out. */
  readonly expand?: boolean
}

/** What a body became: its pieces, or the kernel's error; E_SPACE when the table can't hold one of its series. */
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
      /** Histograms with custom buckets that went out as classic series, and samples of those. */
      readonly expanded: number
      readonly made: number
    }

/**
 * The kernel alone, every region between canaries, the body flush against the end of memory; series come out as they came in. Returns what runs a body of remote
 * write `input` into pieces of remote write `output`.
 */
export function identityKernel({
  rows,
  generation,
  piece,
  made = 16384,
  stencils = 49_152,
  expand = false,
}: Sizes) {
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
  const out = take(2048)
  const label = take(3 * keyCap + 64) // what is no UTF-8 is read as longer text
  const rowsAt = take(rows * ROW)
  const madeAt = take(made)
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
    madeAt,
    made,
    otlp,
    table,
    generation,
  )
  const memo = take(call.memoSize!())
  const symbolTable = take(call.symbolTableSize!())
  const families = take(call.familiesSize!())
  const series = take(piece)
  const blockRoom = call.maxEncoded!(piece)
  const blockAt = take(blockRoom)
  const scratch = take(call.encodeScratchSize!())
  call.init2!(merge, memo, symbolTable, families, series, piece)
  call.initStencils!(take(stencils), stencils)

  call.setExpand!(Number(expand))

  const read = (word: number) => words[(report >>> 2) + word]!
  const kinds = (word: number) => [0, 1, 2, 3].map((kind) => read(word + kind))
  const add = (sum: number[], more: readonly number[]) =>
    more.forEach((n, i) => {
      sum[i]! += n
    })

  const labelOf = (pair: number) =>
    readLabel(bytes, pair + 8, pair + 8 + words[pair >>> 2]!) as { name: string; value: string }

  /** Adds the classic series of the last MISS_CUSTOM, as the host does. Returns whether there was room. */
  function addClassic(): boolean {
    const n = read(R_KEY_LABELS)
    const labels = Array.from(words.subarray(read(R_KEY) >>> 2, (read(R_KEY) >>> 2) + n), labelOf)
    const pair = words[(lists >>> 2) + n]!
    const view = new DataView(bytes.buffer, pair + 8, words[pair >>> 2])
    const bounds = Array.from({ length: view.byteLength / 8 }, (_, i) =>
      view.getFloat64(i * 8, true),
    )
    call.beginGroup!()
    const add = (suffix: string, le?: string) => {
      const member = labels.map(({ name, value }) => ({
        name,
        value: name === '__name__' ? value + suffix : value,
      }))
      if (le !== undefined) member.push({ name: 'le', value: le })
      member.sort((a, b) => (a.name < b.name ? -1 : 1))
      let at = out >>> 2
      const list = at + 1
      words[at++] = member.length
      for (const { name, value } of member) {
        const id = call.intern!(label, writeLabel(bytes, label, name, value) - label)
        if (id === 0) return false
        words[at++] = id
      }
      words[at] = member.length
      words.copyWithin(at + 1, list, list + member.length)
      return call.addMember!(0, out) !== 0
    }
    return (
      [...bounds, Infinity].every((bound) => add('_bucket', String(bound))) &&
      add('_count') &&
      add('_sum') &&
      call.addCustom!(STATUS_GROUP) === 0
    )
  }

  return function run(body: Uint8Array, points: number, input: 1 | 2 = 1, output: 1 | 2 = 1): Ran {
    const pieces: Uint8Array[] = []
    const sums = [0, 0, 0, 0].map(() => [0, 0, 0, 0])
    const [superseded, unwanted, oversize, sent] = sums as [number[], number[], number[], number[]]
    let [expanded, replaced] = [0, 0]
    /** The next piece, undefined when there is none; of 1.0 every other one out of its snappy block. */
    function emitNext(): Uint8Array | undefined {
      if (output === 1 && pieces.length % 2 === 0) return emitBlock()
      const n = (output === 1 ? call.emit1! : call.emit2!)(pieceAt, piece, points)
      return n > 0 ? bytes.slice(pieceAt, pieceAt + n) : undefined
    }

    function emitBlock(): Uint8Array | undefined {
      const n = call.emitBlock1!(pieceAt, piece, points, blockAt, blockRoom, scratch)
      if (n === 0) return undefined
      const [start, stop] = [call.blockStart!(), call.blockStop!()]
      expect(start).toBeGreaterThanOrEqual(blockAt)
      expect(stop).toBeLessThanOrEqual(blockAt + blockRoom)
      const message = new Uint8Array(SnappyJS.uncompress(bytes.slice(start, stop)))
      expect(message).toHaveLength(n)
      return message
    }
    const resolve = input === 2 ? call.resolve2! : call.resolve1!

    function emit() {
      call.emitBegin!(0, 15, 0, output, Number(expand))
      for (let message = emitNext(); message; message = emitNext()) {
        expect(message.length).toBeLessThanOrEqual(piece - 32)
        const total = kinds(R_PIECE).reduce((sum, count) => sum + count, 0)
        expect(total).toBeGreaterThan(0)
        expect(total).toBeLessThanOrEqual(points)
        add(sent, kinds(R_PIECE))
        pieces.push(message)
      }
      add(superseded, kinds(R_SUPERSEDED))
      add(unwanted, kinds(R_UNWANTED))
      add(oversize, kinds(R_OVERSIZE))
      expanded += read(R_EXPANDED)
      replaced += read(R_MADE)
    }

    let parts = 0
    /** Series that were settled when the table last turned over. */
    let settled = -1
    /** The rows there are go out. False when an empty generation has no room for one series. */
    function part(turn: boolean): boolean {
      const stuck = turn && settled === read(R_SERIES)
      if (turn) settled = read(R_SERIES)
      emit()
      call.nextPart!(Number(turn))
      if (++parts > 10_000) throw new Error('no progress')
      return !stuck
    }

    const src = guarded.region(END - PAD - body.length, body.length)
    bytes.set(body, src)
    try {
      for (let how = RESOLVE_BEGIN; ; ) {
        const result = resolve(src, body.length, how, 0, 8e15, 1e6)
        how = RESOLVE_ON
        if (result === 0) break
        if (result === MISS) {
          if (read(R_MISS) === MISS_CUSTOM) {
            expect(expand).toBe(true)
            if (read(R_KEY_LABELS) >= MAX_LABELS) {
              how = RESOLVE_REFUSE + REASON_TOO_MANY_LABELS
              continue
            }
            if (addClassic()) continue
            // The histogram's own series is there already.
            call.reportTable!()
            if (read(R_YOUNG) <= 1) {
              how = RESOLVE_REFUSE + REASON_TOO_MANY_BUCKETS
              continue
            }
            if (!part(true)) return E_SPACE
            continue
          }
          const n = read(R_KEY_LABELS)
          if (n === 0 || n > 127) {
            how = RESOLVE_REFUSE + 2
            continue
          }
          words[out >>> 2] = n
          words.copyWithin((out >>> 2) + 1, lists >>> 2, (lists >>> 2) + n)
          if (call.insert!(0, out) === 0) continue
        } else if (result !== PART_TABLE && result !== PART_ROWS) return result
        if (!part(result !== PART_ROWS)) return E_SPACE
      }
      emit()
      const rejected = [0, 0, 0, 0]
      for (let reason = 0; reason < REASONS; reason++)
        add(rejected, kinds(R_REJECTED + reason * KINDS))
      const received = kinds(R_RECEIVED)
      const sums = { received, rejected, superseded, unwanted, oversize, sent }
      return { pieces, parts, ...sums, expanded, made: replaced }
    } finally {
      call.reset!()
      expect(guarded.damage()).toBe(-1)
      bytes.fill(0xa5, src, src + body.length)
      guarded.forget(src)
    }
  }
}
