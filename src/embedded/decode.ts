import { Kernel } from '../kernel/kernel.ts'
import kernelModule from '../kernel/kernel.wasm'

/** Longest body that is stored, compressed and decoded. Bytes. A sender of more is told 413 and sends less. */
export const MAX_BODY = 4 * 1024 * 1024
export const MAX_DECODED = 8 * 1024 * 1024

/**
 * The embedded origin's own kernel, for looking into what it stored: the proxy's is sized by the config and holds its
 * table. Made when the list is first asked for; only its decoder is used, so all else is as small as it may be.
 */
let kernel: Kernel | undefined

/**
 * Decodes a snappy block of at most MAX_BODY bytes. Throws when it is none, or decodes to more than MAX_DECODED bytes.
 * The result is the caller's.
 */
export function decodeSnappy(body: Uint8Array): Uint8Array {
  kernel ??= new Kernel(kernelModule, {
    body: MAX_BODY,
    decoded: MAX_DECODED,
    piece: 1024,
    key: 1024,
    rows: 64,
    made: 1024,
    table: 64 * 1024,
    stencils: 0,
  })
  return kernel.use((workspace) => {
    const length = workspace.decodeSnappy(body)
    if (length < 0) throw new Error(`the body is not a sound snappy block (kernel: ${length})`)
    return workspace.message(length)
  })
}
