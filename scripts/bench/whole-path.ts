import type { Config } from '../../src/config/types.ts'
import { sleep } from '../../src/deliver/sleep.ts'
import { createDowngrades } from '../../src/downgrades.ts'
import type { PipelineDeps } from '../../src/pipeline.ts'
import { createMemoryBudget, memoryBudgetBytes } from '../../src/receive/memory-budget.ts'
import { takeRemoteWrite } from '../../src/remote-write.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { emptyTable, newWorkspace } from './section.ts'
import { FIRST_STAMP } from './shape.ts'

/** The whole pipeline in this process: a request goes in, its payloads are handed to a fetch that answers 204 at once. */
export interface WholePath {
  /** Resolves when the verdict is in; rejects when it is not 2xx. `request`: of `requestOf`, again and again. */
  push(request: Request): Promise<void>
  /** Every series is new again. */
  empty(): void
}

/** Takes a payload as `fetch` would and answers at once. */
export type AnswerAtOnce = (url: string, init: RequestInit) => Promise<Response>

/** Answers 204, always the same answer: it has no body. */
export function answerAtOnce(): AnswerAtOnce {
  const answer = Promise.resolve(new Response(null, { status: 204 }))
  return () => answer
}

/** The pipeline under one config. */
export function wholePath(config: Config, fetch: AnswerAtOnce = answerAtOnce()): WholePath {
  const workspace = newWorkspace()
  const silent = () => undefined
  const deps: PipelineDeps = {
    workspace,
    budget: createMemoryBudget(memoryBudgetBytes),
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
  return {
    async push(request) {
      const { status } = await takeRemoteWrite(request, context, deps)
      if (status >= 300) throw new Error(`answered ${status}`)
    },
    empty: () => emptyTable(workspace, config),
  }
}

/**
 * What a Worker gets, as far as the pipeline looks at it; the body is in memory already and costs nothing. Node's own Request is made of
 * JavaScript and would cost more than all that is to be measured; a Worker's is not.
 */
export function requestOf(body: Uint8Array): Request {
  const headers = new Headers({ 'content-length': String(body.length) })
  const whole = Promise.resolve(bufferOf(body))
  return { method: 'POST', headers, arrayBuffer: () => whole } as unknown as Request
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): ArrayBufferLike {
  const isWhole = buffer.byteLength === length
  return isWhole ? buffer : buffer.slice(byteOffset, byteOffset + length)
}
