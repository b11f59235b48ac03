import SnappyJS from 'snappyjs'
import { expect } from 'vitest'
import { reportCounts } from '../../src/batch/counts.ts'
import type { Stream } from '../../src/batch/streams.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { R_PIECE, R_PIECE_POINTS, R_VARIANT_DROPPED } from '../../src/wire/layout.ts'

/** A piece: its message, its block as it was sent, and the length of the block that a well-known library makes of it. */
export interface Block {
  readonly message: Uint8Array
  readonly block: Uint8Array
  readonly plain: number
}

/**
 * What is emitted of the rows at hand, in pieces of so many points and bytes, as blocks and as messages: the two are written in different ways. Holds that they are the same
 * pieces, with the same counts.
 */
export function blocksAndPieces(
  kernel: Kernel,
  stream: Stream,
  points: number,
  most = 3e6,
): Block[] {
  const emitted = (compression: 'snappy' | 'zstd') => {
    const pieces = []
    kernel.emitBegin({ ...stream, compression })
    for (let n = kernel.emit(most, points); n > 0; n = kernel.emit(most, points)) {
      const bytes = compression === 'snappy' ? kernel.compress(n) : kernel.piece(n)
      const counts = [reportCounts(kernel, R_PIECE), kernel.report(R_PIECE_POINTS)]
      pieces.push({ n, bytes: bytes.slice(), counts })
    }
    return { pieces, dropped: reportCounts(kernel, R_VARIANT_DROPPED) }
  }
  const [asBlocks, asMessages] = [emitted('snappy'), emitted('zstd')]
  expect(asBlocks.dropped).toEqual(asMessages.dropped)
  expect(asBlocks.pieces).toHaveLength(asMessages.pieces.length)
  return asBlocks.pieces.map(({ n, bytes: block, counts }, i) => {
    const { bytes: message, ...rest } = asMessages.pieces[i]!
    expect(rest).toEqual({ n, counts })
    return { block, message, plain: SnappyJS.compress(message).byteLength }
  })
}
