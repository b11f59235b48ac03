import { Agent, request } from 'node:http'
import type { Protocol } from '../../src/batch/protocol.ts'
import { protocolHeaders } from './protocol-headers.ts'

/** One load: so many connections, each sending the next body as soon as the last was answered. */
export interface LoadOptions {
  readonly url: string
  readonly protocol: Protocol
  /** Compressed as `protocolHeaders` says, sent in turn from the first, over again when they are used up. */
  readonly bodies: readonly Uint8Array[]
  readonly connections: number
  /** No new request is begun after this. */
  readonly milliseconds: number
  /** Or after so many requests, whichever comes first. */
  readonly requests?: number
  /** The status of a good answer; any 2xx when missing. */
  readonly status?: number
}

/** How a load went. */
export interface LoadResult {
  readonly requests: number
  /** Answers that were not good, and requests without an answer. */
  readonly errors: number
  /** The first thing that went wrong. */
  readonly firstError?: string
  readonly seconds: number
  readonly requestsPerSecond: number
  /** Milliseconds from the first byte of a request to the end of its answer. */
  readonly p50: number
  readonly p99: number
}

/** Longest wait for one answer. */
const ANSWER_TIMEOUT = 30_000

/** Runs one load to its end. The bodies are only read. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { connections, bodies, milliseconds, requests: most = Number.POSITIVE_INFINITY } = options
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const latencies: number[] = []
  let begun = 0
  let errors = 0
  let firstError: string | undefined
  const started = performance.now()
  const isOver = () => begun >= most || performance.now() - started >= milliseconds

  async function connection(): Promise<void> {
    while (!isOver()) {
      const body = bodies[begun++ % bodies.length]
      const before = performance.now()
      const problem = await post(agent, options, body)
      latencies.push(performance.now() - before)
      if (problem === undefined) continue
      errors += 1
      firstError ??= problem
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  const seconds = (performance.now() - started) / 1000
  agent.destroy()
  latencies.sort((a, b) => a - b)
  const requests = latencies.length
  return {
    requests,
    errors,
    firstError,
    seconds,
    requestsPerSecond: requests / seconds,
    p50: at(latencies, 0.5),
    p99: at(latencies, 0.99),
  }
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Undefined when the answer was good, else what was wrong. */
function post(agent: Agent, options: LoadOptions, body: Uint8Array): Promise<string | undefined> {
  const headers = {
    ...protocolHeaders[options.protocol],
    'user-agent': 'sluice-bench',
    'content-length': body.length,
  }
  return new Promise((resolve) => {
    const outgoing = request(options.url, { method: 'POST', agent, headers }, (response) => {
      const status = response.statusCode ?? 0
      const isGood =
        options.status === undefined ? status >= 200 && status < 300 : status === options.status
      let text = ''
      if (isGood) response.resume()
      else response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.once('end', () => resolve(isGood ? undefined : `${status} ${text.slice(0, 200)}`))
      response.once('error', (error) => resolve(error.message))
    })
    outgoing.setTimeout(ANSWER_TIMEOUT, () => outgoing.destroy(new Error('no answer in time')))
    outgoing.once('error', (error) => resolve(error.message))
    outgoing.end(body)
  })
}
