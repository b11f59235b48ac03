import { fromBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import { type Batch, batchUp } from '../../src/batch/batch.ts'
import type { Protocol } from '../../src/batch/protocol.ts'
import { decompress } from '../../src/compress/decompress.ts'
import { parseConfig } from '../../src/config/parse.ts'
import type { Config } from '../../src/config/types.ts'
import { type WriteRequest, WriteRequestSchema } from '../../src/wire/gen/prometheus_pb.js'
import { Workspace } from '../../src/workspace.ts'
import { kernelModule } from '../kernel/load.ts'

/** The time that tests live at, ms. */
export const NOW = 1_790_000_000_000

/** Additions to the YAML, and a max_bytes_per_send smaller than a config may have. */
export interface More {
  readonly origin?: string
  readonly sluice?: string
  readonly global?: string
  readonly otlp?: string
  readonly bytes?: number
}

/** A config with one origin, `write_relabel_configs` and `sluice` keys as YAML flow. */
export function configWith(rules = '[]', more: More = {}) {
  const { bytes, ...rest } = more
  const parsed = config(`
global: {${rest.global ?? ''}}
otlp: {${rest.otlp ?? ''}}
remote_write:
  - {name: a, url: "http://a.test/", write_relabel_configs: ${rules}${rest.origin ? `, ${rest.origin}` : ''}}
sluice: {auth: none${rest.sluice ? `, ${rest.sluice}` : ''}}
`)
  if (bytes === undefined) return parsed
  return { ...parsed, origins: parsed.origins.map((o) => ({ ...o, maxBytesPerSend: bytes })) }
}

export function config(text: string): Config {
  const parsed = parseConfig(text, {})
  if (!parsed.config) throw new Error(JSON.stringify(parsed.problems))
  return parsed.config
}

/** What a body became. */
export interface Outcome {
  readonly batch: Batch
  /** For each stream, its pieces, decoded. */
  readonly out: WriteRequest[][]
  /** The same, as bytes. */
  readonly raw: Uint8Array[][]
}

/** Runs messages through the synchronous section, as the pipeline does. */
export class Sluice {
  readonly workspace = new Workspace(kernelModule)
  readonly config: Config

  constructor(config: Config) {
    this.config = config
  }

  /** Throws what the section throws. */
  run(message: Uint8Array, tenant = 0, protocol: Protocol = 'remotewrite1'): Outcome {
    return this.body(new Uint8Array(SnappyJS.compress(message)), 'snappy', tenant, protocol)
  }

  body(
    body: Uint8Array,
    encoding: 'snappy' | 'zstd' = 'snappy',
    tenant = 0,
    protocol: Protocol = 'remotewrite1',
  ): Outcome {
    const { workspace, config } = this
    const { limits } = config
    const batch = workspace.enter(config, ({ kernel, table, streams }) =>
      kernel.use(() => {
        const n = decompress(kernel, body, encoding, limits.decoded)
        return batchUp(kernel, table, streams, workspace.pool, n, {
          protocol,
          tenant,
          latest: NOW + limits.future,
          maxSeries: limits.series,
          subrequests: limits.subrequests,
        })
      }),
    )
    const raw = batch.cargos.map(({ pieces }) =>
      pieces.map(({ bytes }) => new Uint8Array(SnappyJS.uncompress(bytes))),
    )
    for (const { pieces } of batch.cargos)
      for (const { bytes } of pieces) workspace.pool.give(bytes)
    return {
      batch,
      raw,
      out: raw.map((pieces) => pieces.map((p) => fromBinary(WriteRequestSchema, p))),
    }
  }
}

/** A series as text: `name{a="b"}`. */
export function seriesText(labels: readonly { name: string; value: string }[]): string {
  return labels.map(({ name, value }) => `${name}=${JSON.stringify(value)}`).join(',')
}
