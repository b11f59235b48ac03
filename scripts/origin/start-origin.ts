import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localUrl } from '../listen-address.ts'
import { playScript } from './play-script.ts'
import type { ProblemCode } from './problems.ts'
import { answerQuery } from './query-request.ts'
import { createCounters, type Report } from './report.ts'
import { reportText } from './report-text.ts'
import type { Script, Step } from './script.ts'
import { createSeriesStore, STORE_LIMITS } from './series-store.ts'
import { stepText } from './step-text.ts'
import { handleWrite, type Receiving } from './write-request.ts'

/** How an origin is started; what is missing is as `npm run origin` has it. */
export interface OriginOptions {
  readonly host?: string
  /** 0, the default, is any free one. */
  readonly port?: number
  readonly script?: Script
  /** Problems that are found but not answered 400. */
  readonly allowed?: ReadonlySet<ProblemCode>
  /** Points that are kept. */
  readonly keep?: number
  /** Bytes of a body, as it comes and decoded. */
  readonly maxBody?: number
  readonly maxDecoded?: number
}

/** An origin that runs. */
export interface Origin {
  /** `http://127.0.0.1:9300`, for this machine. */
  readonly url: string
  readonly port: number
  /** What came until now. */
  report(): Report
  /** Ends it and every connection. */
  stop(): Promise<void>
}

/** Largest body, and what may be in it. Bytes. */
export const MAX_BODY = 64 * 2 ** 20
export const MAX_DECODED = 256 * 2 ** 20

/** Starts an origin. Rejects when nothing can listen there. */
export async function startOrigin(options: OriginOptions = {}): Promise<Origin> {
  const { host = '127.0.0.1', port = 0, script = { seed: 1, steps: [] } } = options
  const began = performance.now()
  const receiving: Receiving = {
    store: createSeriesStore({ ...STORE_LIMITS, points: options.keep ?? STORE_LIMITS.points }),
    counters: createCounters(),
    player: playScript(script),
    allowed: options.allowed ?? new Set(),
    maxBody: options.maxBody ?? MAX_BODY,
    maxDecoded: options.maxDecoded ?? MAX_DECODED,
    elapsed: () => performance.now() - began,
  }
  const report = () => reportOf(receiving, script.steps)
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    route(request, response, receiving, report).catch((error: unknown) =>
      fail(request, response, error),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port }, resolve)
  })
  const listening = (server.address() as AddressInfo).port
  return {
    url: localUrl(host, listening),
    port: listening,
    report,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  receiving: Receiving,
  report: () => Report,
): Promise<void> {
  const url = URL.canParse(request.url ?? '', 'http://origin')
    ? new URL(request.url ?? '', 'http://origin')
    : undefined
  const plain = (status: number, text: string, headers = {}) => {
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...headers })
    response.end(text)
  }
  if (url === undefined) return plain(400, 'this is no path\n')
  const { method } = request
  if (url.pathname === '/api/v1/query' && (method === 'GET' || method === 'POST'))
    return answerQuery(request, response, url, receiving.store)
  if (method === 'POST') return handleWrite(request, response, url.pathname, receiving)
  if (method !== 'GET' && method !== 'HEAD')
    return plain(405, 'write with POST, look with GET\n', { Allow: 'GET, HEAD, POST' })
  if (url.pathname === '/') return plain(200, `Scripted origin\n\n${reportText(report())}`)
  if (url.pathname === '/report') {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(report(), null, 2))
    return
  }
  plain(404, 'GET has /, /report and /api/v1/query; any path takes POST\n')
}

/** What nobody foresaw is the origin's own fault and said so on its terminal; senders try again. */
function fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (request.socket.destroyed) return
  console.error(error)
  if (response.headersSent) response.destroy()
  else response.writeHead(503, { Connection: 'close' }).end('the origin failed\n')
}

function reportOf({ store, counters, player, elapsed }: Receiving, steps: readonly Step[]): Report {
  const { series, points, dropped } = store
  const { played } = player
  return counters.report({
    seconds: elapsed() / 1000,
    kept: { series, points, dropped },
    steps: steps.map((step, i) => ({ step: stepText(step), requests: played[i] ?? 0 })),
  })
}
