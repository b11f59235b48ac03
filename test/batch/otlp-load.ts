import { type Batch, batchUp } from '../../src/batch/batch.ts'
import { NOW, type Sluice } from './harness.ts'

/** Runs a message that need not be decoded, and throws its pieces away: for long ones. */
export function runLoaded({ workspace, config }: Sluice, message: Uint8Array): Batch {
  const { limits } = config
  return workspace.enter(config, ({ kernel, table, streams }) =>
    kernel.use(() => {
      const n = kernel.load(message)
      const batch = batchUp(kernel, table, streams, workspace.pool, n, {
        protocol: 'otlp',
        tenant: 0,
        latest: NOW + limits.future,
        maxSeries: limits.series,
        subrequests: limits.subrequests,
      })
      for (const { pieces } of batch.cargos)
        for (const { bytes } of pieces) workspace.pool.give(bytes)
      return batch
    }),
  )
}

/** A length-delimited field around bytes, without copying them into arrays of numbers. */
export function wrap(number: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const n = parts.reduce((sum, { length }) => sum + length, 0)
  const head = [number * 8 + 2]
  let rest = n
  for (; rest > 127; rest >>>= 7) head.push((rest & 127) | 128)
  head.push(rest)
  return join([Uint8Array.from(head), ...parts])
}

export function join(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

/** One part as often as fits so many bytes. */
export function fill(part: Uint8Array, bytes: number): Uint8Array {
  const out = new Uint8Array(Math.floor(bytes / part.length) * part.length)
  for (let at = 0; at < out.length; at += part.length) out.set(part, at)
  return out
}
