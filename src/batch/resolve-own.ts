import { unpack } from '../compress/unpack.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { OWN_TENANT } from '../wire/layout.ts'
import type { Piece } from './cut.ts'

/** What must be known of a piece to make others of it. */
export type OwnPiece = Pick<Piece, 'bytes' | 'counts' | 'message' | 'compression'>

/** Decodes a payload of our own making into the kernel. Returns the message's length. Throws `BUG:` when it is none. */
export function decodeOwn(kernel: Kernel, { bytes, compression }: OwnPiece): number {
  if (compression === 'zstd') return kernel.load(unpack(bytes, 'zstd', kernel.sizes.decoded))
  const n = kernel.decodeSnappy(bytes)
  if (n < 0) throw new Error(`BUG: a payload of ours does not decode: ${n}`)
  return n
}

/** Walks that message, of n bytes, or goes on with it. Its series are no tenant's: their outputs are the series themselves. Returns what the kernel's resolve functions do. */
export function resolveOwn(kernel: Kernel, message: 1 | 2, n: number, how: number): number {
  const [latest, maxSeries] = [Number.MAX_SAFE_INTEGER, 0x7fffffff]
  return message === 2
    ? kernel.resolve2(n, how, OWN_TENANT, latest, maxSeries)
    : kernel.resolve(n, how, OWN_TENANT, latest, maxSeries)
}
