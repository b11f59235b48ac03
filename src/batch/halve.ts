import type { Kernel } from '../kernel/kernel.ts'
import type { SeriesTable } from '../series/series-table.ts'
import { MAX_LABELS, MISS, PART_TABLE, RESOLVE_BEGIN, RESOLVE_ON } from '../wire/layout.ts'
import { totalOf } from './counts.ts'
import { cut, type Piece } from './cut.ts'
import type { PayloadPool } from './payload-pool.ts'

/** Series of our own payloads are no tenant's: their outputs are the series themselves. */
const OWN = 0xffff
const ALL_KINDS = 15

/**
 * Cuts a piece in two of half as many points each, from its own bytes; the second may share a series with the first. Both are the caller's, like the
 * whole. Empty when it has one point only, or a series of it, or all, are too large for the table. Takes the workspace.
 */
export function halve(
  workspace: Kernel,
  table: SeriesTable,
  pool: PayloadPool,
  piece: Pick<Piece, 'bytes' | 'counts'>,
): Piece[] {
  const total = totalOf(piece.counts)
  if (total < 2) return []
  return workspace.use((kernel) => {
    const n = kernel.decodeSnappy(piece.bytes)
    if (n < 0) throw new Error(`BUG: a payload of ours does not decode: ${n}`)
    if (!resolveOwn(kernel, table, n)) return []
    kernel.emitBegin(0, ALL_KINDS, true) // a chain that was too long to merge when the piece was made may not be so here
    const pieces: Piece[] = []
    cut(kernel, { points: Math.ceil(total / 2), bytes: kernel.sizes.piece }, pool, pieces, Infinity)
    return pieces
  })
}

/** Writes the rows of the message. False when one generation of the table can't hold its series. */
function resolveOwn(kernel: Kernel, table: SeriesTable, n: number): boolean {
  let fresh = false
  let how = RESOLVE_BEGIN
  for (;;) {
    const result = kernel.resolve(n, how, OWN, Number.MAX_SAFE_INTEGER, 0x7fffffff)
    if (result === 0) return true
    how = RESOLVE_ON
    // Longer than any key that is looked up.
    if (result === MISS && kernel.missLabels > MAX_LABELS) return false
    if (result === MISS && table.missOfOwn() === 'inserted') continue
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
