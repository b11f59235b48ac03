import { compressZstd } from '../compress/compress-zstd.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { R_CONTINUES, R_PIECE, R_PIECE_POINTS } from '../wire/layout.ts'
import { type MutableCounts, reportCounts } from './counts.ts'
import type { PayloadPool } from './payload-pool.ts'

/** One compressed request for an origin. */
export interface Piece {
  /** From the pool; whoever holds the piece gives it back. */
  readonly bytes: Uint8Array
  readonly counts: Readonly<MutableCounts>
  /** Data points of an OTLP request that are, or begin, in it. */
  readonly points: number
  /** It may share a series with an earlier piece of its list. */
  readonly after: boolean
  /** Before compression. */
  readonly uncompressed: number
  /** Remote write 1 or 2, and what it is compressed with. */
  readonly message: 1 | 2
  readonly compression: 'snappy' | 'zstd'
}

/** How large a piece may be, and what it is to be. */
export interface CutLimits {
  readonly points: number
  readonly bytes: number
  /** As `emitBegin()` was told. */
  readonly message: 1 | 2
  readonly compression: 'snappy' | 'zstd'
}

/**
 * Cuts what emitBegin() started into pieces and adds them to `pieces`, with which the first one may share series. False when that takes more than `most`
 * of them, and then some are left out.
 */
export function cut(
  kernel: Kernel,
  { points, bytes, message, compression }: CutLimits,
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
      points: kernel.report(R_PIECE_POINTS),
      bytes: pool.copy(compression === 'zstd' ? compressZstd(kernel.piece(n)) : kernel.compress(n)),
      uncompressed: n,
      message,
      compression,
    })
    after = false
  }
  return true
}
