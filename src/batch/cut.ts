import type { Kernel } from '../kernel/kernel.ts'
import { R_CONTINUES, R_PIECE } from '../wire/layout.ts'
import { type MutableCounts, reportCounts } from './counts.ts'
import type { PayloadPool } from './payload-pool.ts'

/** One compressed request for an origin. */
export interface Piece {
  /** From the pool; whoever holds the piece gives it back. */
  readonly bytes: Uint8Array
  readonly counts: Readonly<MutableCounts>
  /** It may share a series with an earlier piece of its list. */
  readonly after: boolean
  /** Before compression. */
  readonly uncompressed: number
}

/** How large a piece may be. */
export interface CutLimits {
  readonly points: number
  readonly bytes: number
}

/**
 * Cuts what emitBegin() started into pieces and adds them to `pieces`, with which the first one may share series. False when that takes more than `most`
 * of them, and then some are left out.
 */
export function cut(
  kernel: Kernel,
  { points, bytes }: CutLimits,
  pool: PayloadPool,
  pieces: Piece[],
  most: number,
): boolean {
  let after = pieces.length > 0
  let left = most
  for (let n = kernel.emit(bytes, points); n > 0; n = kernel.emit(bytes, points)) {
    if (left-- < 1) return false
    pieces.push({
      after: after || kernel.report(R_CONTINUES) !== 0,
      counts: reportCounts(kernel, R_PIECE),
      bytes: pool.copy(kernel.compress(n)),
      uncompressed: n,
    })
    after = false
  }
  return true
}
