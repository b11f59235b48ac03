import type { Kernel } from '../kernel/kernel.ts'
import type { SeriesTable } from '../series/series-table.ts'
import {
  E_EXPANDS,
  E_RUNS,
  KINDS,
  MAX_LABELS,
  MISS,
  PART_ROWS,
  PART_TABLE,
  R_EXPANDED,
  R_MADE,
  R_OVERSIZE,
  R_REJECTED,
  R_SERIES,
  R_UNWANTED,
  REASONS,
  RESOLVE_BEGIN,
  RESOLVE_ON,
  RESOLVE_REFUSE,
} from '../wire/layout.ts'
import { addReport, type MutableCounts, totalOf, zeroCounts } from './counts.ts'
import { cut, type Piece } from './cut.ts'
import type { PayloadPool } from './payload-pool.ts'
import { decodeOwn, type OwnPiece, resolveOwn } from './resolve-own.ts'
import type { Stream } from './streams.ts'

/** A payload in another form. Its own counts = lost + oversize + expanded (histograms) + what the pieces carry, but for `made` samples and metadata, which are new. */
export interface Repacked {
  readonly pieces: readonly Piece[]
  /** What 1.0 can't carry, custom buckets that can't be expanded among it. */
  readonly lost: Readonly<MutableCounts>
  /** Alone larger than a request may be, in this form. */
  readonly oversize: Readonly<MutableCounts>
  /** Histograms with custom buckets that became classic series, and the samples of those. */
  readonly expanded: number
  readonly made: number
}

/** What of the stream counts for its payloads. */
type Form = Pick<Stream, 'kinds' | 'expand' | 'points' | 'bytes'>

/**
 * Makes a piece anew, from its own bytes, as remote write 1.0 in snappy, which every receiver reads: for an origin that refused 2.0, or zstd. Takes the workspace. All pieces
 * are the caller's, like the whole. Undefined when a series of it is too large for the table.
 */
export function repack(
  workspace: Kernel,
  table: SeriesTable,
  pool: PayloadPool,
  piece: OwnPiece,
  form: Form,
): Repacked | undefined {
  return workspace.use((kernel) => {
    const { expands } = kernel
    kernel.setExpand(form.expand)
    try {
      return new Repacking(kernel, table, pool, form).all(piece)
    } finally {
      kernel.setExpand(expands)
    }
  })
}

class Repacking {
  readonly #kernel: Kernel
  readonly #table: SeriesTable
  readonly #pool: PayloadPool
  readonly #form: Form
  readonly #pieces: Piece[] = []
  readonly #lost = zeroCounts()
  readonly #oversize = zeroCounts()
  /** Of one piece at the most. One that was cut by bytes alone had no requests to spare: its like are. */
  #points = 0
  #expanded = 0
  #made = 0
  /** Series that were settled when the table last turned over; -1: it did not yet. */
  #settled = -1

  constructor(kernel: Kernel, table: SeriesTable, pool: PayloadPool, form: Form) {
    this.#kernel = kernel
    this.#table = table
    this.#pool = pool
    this.#form = form
  }

  all(piece: OwnPiece): Repacked | undefined {
    const kernel = this.#kernel
    const n = decodeOwn(kernel, piece)
    this.#points = Math.max(this.#form.points, totalOf(piece.counts))
    let how = RESOLVE_BEGIN
    for (;;) {
      const result = resolveOwn(kernel, piece.message, n, how)
      if (result === 0) break
      const next = this.#next(result)
      if (next === undefined) {
        for (const { bytes } of this.#pieces) this.#pool.give(bytes)
        return undefined
      }
      how = next
    }
    this.#cut()
    // Series that can't be expanded: their histograms are what can't be carried.
    for (let reason = 0; reason < REASONS; reason++) {
      addReport(this.#lost, kernel, R_REJECTED + reason * KINDS)
    }
    return {
      pieces: this.#pieces,
      lost: this.#lost,
      oversize: this.#oversize,
      expanded: this.#expanded,
      made: this.#made,
    }
  }

  /** What to go on with after resolve() stopped; undefined when there is no way on. */
  #next(result: number): number | undefined {
    const kernel = this.#kernel
    if (result === MISS) {
      if (kernel.missLabels > MAX_LABELS) return undefined
      const missed = this.#table.missOfOwn()
      if (missed === 'inserted') return RESOLVE_ON
      return missed === 'full' ? this.#part(true) : RESOLVE_REFUSE + missed
    }
    if (result === PART_TABLE) return this.#part(true)
    if (result === PART_ROWS) return this.#part(false)
    if (result === E_EXPANDS || result === E_RUNS) return undefined
    throw new Error(`BUG: a payload of ours does not resolve: ${result}`)
  }

  /** The rows there are go out. Undefined when even an empty generation has no room for the next series. */
  #part(turn: boolean): number | undefined {
    const kernel = this.#kernel
    const settled = kernel.report(R_SERIES)
    if (turn && this.#settled === settled) return undefined
    this.#cut()
    kernel.nextPart(turn)
    if (turn) {
      this.#table.forget()
      this.#settled = settled
    }
    return RESOLVE_ON
  }

  #cut(): void {
    const kernel = this.#kernel
    const { kinds, expand, bytes } = this.#form
    const made = { message: 1, compression: 'snappy' } as const
    kernel.emitBegin({ variant: 0, kinds, keepSuperseded: true, expand, ...made })
    const limits = { points: this.#points, bytes, ...made }
    cut(kernel, limits, this.#pool, this.#pieces, Infinity)
    addReport(this.#lost, kernel, R_UNWANTED)
    addReport(this.#oversize, kernel, R_OVERSIZE)
    this.#expanded += kernel.report(R_EXPANDED)
    this.#made += kernel.report(R_MADE)
  }
}
