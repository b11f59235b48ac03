import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { parseConfig } from '../../src/config/parse.ts'
import type { Config } from '../../src/config/types.ts'

/** The ten rules of every comparison, as vmagent reads them too. */
export const rulesFile = join(import.meta.dirname, '../../test/peers/relabel.yaml')

/** What differs between the benchmarks' configs. */
export interface BenchConfigOptions {
  /** Of the one origin. */
  readonly url?: string
  readonly rules?: 'ten' | 'none'
  /** The default's when missing. */
  readonly samplesPerSend?: number
  /** Version of remote write that the origin is sent; 1 when missing. */
  readonly message?: 1 | 2
  /** `sluice.limits`. */
  readonly limits?: Readonly<Record<string, string | number>>
}

/** A config as a user would write it: one origin, no auth. */
export function benchConfigText(options: BenchConfigOptions = {}): string {
  const { url = 'http://origin.test/api/v1/write', rules = 'ten', samplesPerSend } = options
  const origin = {
    name: 'sink',
    url,
    write_relabel_configs: rules === 'ten' ? parse(readFileSync(rulesFile, 'utf8')) : [],
    ...(samplesPerSend && { queue_config: { max_samples_per_send: samplesPerSend } }),
    ...(options.message === 2 && { protobuf_message: 'io.prometheus.write.v2.Request' }),
  }
  const sluice = { auth: 'none', ...(options.limits && { limits: options.limits }) }
  return stringify({ remote_write: [origin], sluice })
}

/** The same, as the proxy reads it. */
export function benchConfig(options: BenchConfigOptions = {}): Config {
  const { config, problems } = parseConfig(benchConfigText(options), {})
  if (config === undefined) throw new Error(`BUG: ${problems.map((p) => p.message).join('; ')}`)
  return config
}
