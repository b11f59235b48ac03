import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Batch, batchUp } from '../../src/batch/batch.ts'
import type { Protocol } from '../../src/batch/protocol.ts'
import { decompress } from '../../src/compress/decompress.ts'
import type { Config } from '../../src/config/types.ts'
import { Workspace } from '../../src/workspace.ts'
import { FIRST_STAMP } from './shape.ts'

/** Node can compile modules, which Workers and their types rule out. */
const { Module } = WebAssembly as unknown as {
  Module: new (bytes: Uint8Array) => WebAssembly.Module
}

/**
 * The file that `npm run build:kernel` made, or the one that SLUICE_BENCH_KERNEL names: the profiler's, whose functions have names. `table`: bytes of the series
 * table, where that of an isolate does not do.
 */
export function newWorkspace(table?: number): Workspace {
  const file =
    process.env.SLUICE_BENCH_KERNEL ?? join(import.meta.dirname, '../../src/kernel/kernel.wasm')
  return new Workspace(new Module(readFileSync(file)), { table })
}

/** The proxy's synchronous section, from a compressed body to compressed payloads. */
export interface InProcess {
  readonly workspace: Workspace
  /** Takes one body through. `seen` may look at the batch while its payloads' bytes are still there. */
  run(body: Uint8Array, seen?: (batch: Batch) => void): Batch
  /** Every series is new again. */
  empty(): void
}

/**
 * The section as the pipeline drives it, under one config. Bodies of remote write are in snappy, those of OTLP are messages: gunzip is node:zlib's and measured apart.
 */
export function inProcess(config: Config, protocol: Protocol = 'remotewrite1'): InProcess {
  const workspace = newWorkspace()
  const { pool } = workspace
  const { decoded, future, series, subrequests } = config.limits
  const options = {
    protocol,
    tenant: 0,
    latest: FIRST_STAMP + future,
    maxSeries: series,
    subrequests,
  } as const
  return {
    workspace,
    run(body, seen) {
      const batch = workspace.enter(config, ({ kernel, table, streams }) =>
        kernel.use(() => {
          const n =
            protocol === 'otlp' ? kernel.load(body) : decompress(kernel, body, 'snappy', decoded)
          return batchUp(kernel, table, streams, pool, n, options)
        }),
      )
      seen?.(batch)
      // By index: an iterator's results would be counted as the section's memory.
      const { cargos } = batch
      for (let i = 0; i < cargos.length; i++) {
        const { pieces } = cargos[i]
        for (let k = 0; k < pieces.length; k++) pool.give(pieces[k].bytes)
      }
      return batch
    },
    empty: () => emptyTable(workspace, config),
  }
}

/** Every series is new again. */
export function emptyTable(workspace: Workspace, config: Config): void {
  workspace.enter(config, ({ kernel, table, streams }) => {
    kernel.clear(Math.max(...streams.map(({ variant }) => variant)) + 1)
    table.forget()
  })
}
