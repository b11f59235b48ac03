import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** Bytes of all bodies that are read at one time: more and there might be no memory. */
const MAX_HELD = 512 * 2 ** 20
/** A slow reader takes its bytes in this many pieces a second. */
const PIECES = 20
let held = 0

/** A body; its first bytes may be all that was read. */
export type ReadBody =
  | { readonly body: Uint8Array }
  | { readonly refused: 'too_large' | 'busy' | 'broken'; readonly read: number }

/** How a body is read. */
export interface Reading {
  /** Bytes. */
  readonly most: number
  /** Bytes a second; undefined: as they come. */
  readonly rate: number | undefined
}

/**
 * Reads the body of a request. One that is longer than `most` bytes is not read to its end (`too_large`); neither is
 * one for which there is no room among those of other requests (`busy`). `broken`: the sender went away.
 */
export async function readBody(request: IncomingMessage, reading: Reading): Promise<ReadBody> {
  const { most, rate } = reading
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    // Ending early must not end the connection: the answer is still to come.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += chunk.length
      held += chunk.length
      if (length > most) return { refused: 'too_large', read: length }
      if (held > MAX_HELD) return { refused: 'busy', read: length }
      chunks.push(chunk)
      if (rate !== undefined) await slowly(chunk.length, rate, request)
    }
    return { body: Buffer.concat(chunks) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
    return { refused: 'broken', read: length }
  } finally {
    held -= length
  }
}

/** Waits as long as these bytes take, or until the sender is gone. */
async function slowly(bytes: number, rate: number, request: IncomingMessage): Promise<void> {
  const until = performance.now() + (bytes / rate) * 1000
  for (;;) {
    const left = until - performance.now()
    if (left <= 0 || request.destroyed) return
    await sleep(Math.min(left, 1000 / PIECES))
  }
}
