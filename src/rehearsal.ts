import { batchUp } from './batch/batch.ts'
import type { Config } from './config/types.ts'
import { writeLabel } from './wire/label.ts'
import type { Workspace } from './workspace.ts'

/** Series of one message, and messages: enough for the miss path to be compiled by more than the interpreter. */
const SERIES = 200
const ROUNDS = 4
const SAMPLE = [0x12, 0x09, 0x09, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]

/**
 * Runs made-up series through the rules of this config, at module scope, where no request pays: the first request of an isolate meets code that is
 * warm. Nothing of it is kept.
 */
export function rehearse(workspace: Workspace, config: Config): void {
  const names = labelNames(config)
  workspace.enter(config, ({ kernel, table, streams }) => {
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const body = message(names, round)
        if (body.length > kernel.sizes.decoded) break
        kernel.rehearse(() => {
          const n = kernel.load(body)
          const options = {
            protocol: 'remotewrite1',
            tenant: 0,
            latest: 0,
            maxSeries: SERIES,
            subrequests: Infinity,
          } as const
          const { cargos } = batchUp(kernel, table, streams, workspace.pool, n, options)
          for (const { pieces } of cargos)
            for (const { bytes } of pieces) workspace.pool.give(bytes)
        })
      }
    } finally {
      table.clear()
    }
  })
}

/** Names that the rules look at, and those that most series have. */
function labelNames({ ingressRules, origins }: Config): string[] {
  const rules = [...ingressRules, ...origins.flatMap((origin) => origin.writeRelabelConfigs)]
  const sources = rules.flatMap(({ sourceLabels }) => sourceLabels)
  const all = [...new Set(['__name__', 'instance', 'job', 'pod', ...sources])]
  return all
    .filter((name) => /^\w{1,40}$/.test(name))
    .slice(0, 16)
    .sort()
}

/** A message in which some values are always new and some come again. */
function message(names: readonly string[], round: number): Uint8Array {
  const bytes = new Uint8Array(SERIES * (names.length + 1) * 128)
  const label = new Uint8Array(256)
  let at = 0
  for (let i = 0; i < SERIES; i++) {
    const fields: number[] = []
    names.forEach((name, n) => {
      const value = `${name}-${n % 2 ? i % 9 : round * SERIES + i}.example:9090`
      const end = writeLabel(label, 0, name, value)
      for (const byte of label.subarray(0, end)) fields.push(byte)
    })
    fields.push(...SAMPLE)
    bytes[at++] = 0x0a
    for (let rest = fields.length; ; rest >>>= 7) {
      bytes[at++] = rest > 127 ? (rest & 127) | 128 : rest
      if (rest < 128) break
    }
    bytes.set(fields, at)
    at += fields.length
  }
  return bytes.subarray(0, at)
}
