import type { Kernel } from '../kernel/kernel.ts'
import type { SeriesTable } from '../series/series-table.ts'
import {
  E_EXPANDS,
  E_RUNS,
  MAX_LABELS,
  MISS,
  PART_ROWS,
  PART_TABLE,
  RESOLVE_BEGIN,
  RESOLVE_ON,
} from '../wire/layout.ts'
import { totalOf } from './counts.ts'
import { cut, type Piece } from './cut.ts'
import type { PayloadPool } from './payload-pool.ts'
import { decodeOwn, type OwnPiece, resolveOwn } from './resolve-own.ts'

const ALL_KINDS = 15
/** How large a part of the whole may be. Exemplars of 2.0 can't be parted from all points of their series: then it must be more than a half. */
const PARTS = [1 / 2, 5 / 8, 3 / 4, 7 / 8]

/**
 * Cuts a piece, a message of remote write 1 or 2, in two of half as many points each, from its own bytes; the second may share a series with the first. More and
 * unequal ones where a half can't be had in 2.0. All are the caller's, like the whole. Empty when it has one point only, or a series of it, or all, are too large for the
 * table. Takes the workspace.
 */
export function halve(
  workspace: Kernel,
  table: SeriesTable,
  pool: PayloadPool,
  piece: OwnPiece,
): Piece[] {
  const total = totalOf(piece.counts)
  if (total < 2) return []
  return workspace.use((kernel) => {
    const { expands } = kernel
    kernel.setExpand(false)
    try {
      if (!resolveAll(kernel, table, piece.message, decodeOwn(kernel, piece))) return []
      for (const part of PARTS) {
        const pieces = cutAll(kernel, pool, piece, Math.ceil(total * part))
        const complete = pieces.reduce((sum, { counts }) => sum + totalOf(counts), 0) === total
        if (complete && pieces.length > 1) return pieces
        for (const { bytes } of pieces) pool.give(bytes)
        if (complete) return []
      }
      return []
    } finally {
      kernel.setExpand(expands)
    }
  })
}

function cutAll(
  kernel: Kernel,
  pool: PayloadPool,
  { message, compression }: OwnPiece,
  points: number,
): Piece[] {
  // keepSuperseded: a chain that was too long to merge when the piece was made may not be so here
  kernel.emitBegin({
    variant: 0,
    kinds: ALL_KINDS,
    keepSuperseded: true,
    message,
    compression,
    expand: false,
  })
  const pieces: Piece[] = []
  cut(kernel, { points, bytes: kernel.sizes.piece, message, compression }, pool, pieces, Infinity)
  return pieces
}

/** Writes the rows of the message. False when one generation of the table, or the rows, can't hold them. */
function resolveAll(kernel: Kernel, table: SeriesTable, message: 1 | 2, n: number): boolean {
  let fresh = false
  let how = RESOLVE_BEGIN
  for (;;) {
    const result = resolveOwn(kernel, message, n, how)
    if (result === 0) return true
    how = RESOLVE_ON
    // Longer than any key that is looked up.
    if (result === MISS && kernel.missLabels > MAX_LABELS) return false
    if (result === MISS && table.missOfOwn() === 'inserted') continue
    if (result === PART_ROWS || result === E_EXPANDS || result === E_RUNS) return false
    if (result !== MISS && result !== PART_TABLE) {
      throw new Error(`BUG: a payload of ours does not resolve: ${result}`)
    }
    if (fresh) return false
    // Start over with a young generation to ourselves.
    fresh = true
    kernel.nextPart(true)
    table.forget()
    how = RESOLVE_BEGIN
  }
}
