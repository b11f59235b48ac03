import type { Protocol } from '../../src/batch/protocol.ts'
import type { Config } from '../../src/config/types.ts'
import { sleep } from '../../src/deliver/sleep.ts'
import { createDowngrades } from '../../src/downgrades.ts'
import { takeOtlp } from '../../src/otlp-metrics.ts'
import type { PipelineDeps } from '../../src/pipeline.ts'
import { createMemoryBudget, memoryBudgetBytes } from '../../src/receive/memory-budget.ts'
import { takeRemoteWrite } from '../../src/remote-write.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { protocolHeaders } from './protocol-headers.ts'
import { emptyTable, newWorkspace } from './section.ts'
import { FIRST_STAMP } from './shape.ts'

/** The whole pipeline in this process: a request goes in, its payloads are handed to a fetch that answers at once. */
export interface WholePath {
  /** Resolves when the verdict is in; rejects when it is another than expected. `request`: of `requestOf`, again and again. */
  push(request: Request): Promise<void>
  /** Every series is new again. */
  empty(): void
}

/** Takes a payload as `fetch` would and answers at once. */
export type AnswerAtOnce = (url: string, init: RequestInit) => Promise<Response>

/** What differs between pipelines. */
export interface WholePathOptions {
  /** What requests come by; remote write when missing. */
  readonly protocol?: Protocol
  /** The origin; it answers 204 when missing. */
  readonly fetch?: AnswerAtOnce
  /** The status that Sluice is to answer with; any 2xx when missing. */
  readonly expected?: number
  /** Bytes of the series table and of the memory budget, where those of an isolate don't do. */
  readonly table?: number
  readonly budget?: number
}

/** Answers always the same, without a body; 204 says to a sender of 2.0 that all was written. */
export function answerAtOnce(status = 204): AnswerAtOnce {
  const all = { 'X-Prometheus-Remote-Write-Samples-Written': '1000000000' }
  const answer = Promise.resolve(new Response(null, { status, headers: all }))
  return () => answer
}

/** The pipeline under one config. */
export function wholePath(config: Config, options: WholePathOptions = {}): WholePath {
  const { protocol = 'remotewrite1', fetch = answerAtOnce(), expected, table, budget } = options
  const workspace = newWorkspace(table)
  const silent = () => undefined
  const deps: PipelineDeps = {
    workspace,
    budget: createMemoryBudget(budget ?? memoryBudgetBytes),
    log: createLog({ info: silent, warn: silent, error: silent }),
    version: 'bench',
    ownSubrequests: 0,
    now: () => FIRST_STAMP,
    random: Math.random,
    sleep,
    fetchOf: () => fetch as ReturnType<PipelineDeps['fetchOf']>,
    downgrades: createDowngrades(() => FIRST_STAMP),
    misconfigured: silent,
  }
  const context = { config, tenant: '', waitUntil: silent }
  const take = protocol === 'otlp' ? takeOtlp : takeRemoteWrite
  return {
    async push(request) {
      const { status } = await take(request, context, deps)
      if (expected === undefined ? status >= 300 : status !== expected)
        throw new Error(`answered ${status}`)
    },
    empty: () => emptyTable(workspace, config),
  }
}

/**
 * What a Worker gets, as far as the pipeline looks at it; the body is in memory already and costs nothing. Node's own Request is made of
 * JavaScript and would cost more than all that is to be measured; a Worker's is not.
 */
export function requestOf(body: Uint8Array, protocol: Protocol = 'remotewrite1'): Request {
  const length = { 'content-length': String(body.length) }
  const headers = new Headers({ ...protocolHeaders[protocol], ...length })
  const whole = Promise.resolve(bufferOf(body))
  return { method: 'POST', headers, arrayBuffer: () => whole } as unknown as Request
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): ArrayBufferLike {
  const isWhole = buffer.byteLength === length
  return isWhole ? buffer : buffer.slice(byteOffset, byteOffset + length)
}
