import { DurableObject } from 'cloudflare:workers'
import { judgeRemoteWrite } from '../receive/remote-write-headers.ts'
import { createLog } from '../telemetry/log.ts'
import { badRequest, RequestError, tooLarge, unavailable } from '../wire/request-error.ts'
import { claimedLength } from './claimed-length.ts'
import { decodeSnappy, MAX_BODY, MAX_DECODED } from './decode.ts'
import { lineStream } from './line-stream.ts'
import { parseSeriesQuery } from './query.ts'
import { recentSeries, type SeriesList } from './recent-series.ts'
import { openRequestLog, type RequestLog } from './request-log.ts'
import { sampleLines } from './sample-lines.ts'
import { parseSamplesQuery } from './samples-query.ts'

const MIB = 1024 * 1024
const LIMITS = { bytes: 64 * MIB, requests: 10_000, bytesPerRow: MIB }
/** Most that one list reads. */
const SCAN_ROWS = 200
const SCAN_BYTES = 8 * MIB
/** Most that one page of samples reads, but for a request that is larger. */
const PAGE_REQUESTS = 64
const PAGE_BYTES = MIB

const NO_SUCH_PATH = new RequestError(
  404,
  'not_found',
  'the embedded origin knows /api/v1/write, /series and /samples',
)
const ONLY_GET = new RequestError(405, 'method_not_allowed', 'GET only', {
  headers: { Allow: 'GET' },
})
const ONLY_SNAPPY = new RequestError(
  415,
  'unsupported_encoding',
  'the embedded origin takes remote write 1.0 with Content-Encoding snappy only',
)
const TOO_LARGE = tooLarge(
  'body_too_large',
  `the embedded origin takes up to ${MAX_BODY} bytes, ${MAX_DECODED} bytes decoded`,
)
const UNEXPECTED = unavailable('unexpected', 'the embedded origin failed', { retryAfter: 5 })

/**
 * The origin inside the Worker: keeps the newest remote write requests as they came, and tells which series are in
 * them. `POST /api/v1/write` takes what any remote write 1.0 receiver takes and answers 204 when it is stored (the
 * output gate holds the answer until it is durable); `GET /series?name=&limit=` answers a {@link SeriesList},
 * `GET /samples?label=&value=&after=` a page of what is stored, as sampleLines has it. Only the Worker can reach it, so it
 * knows no auth.
 */
export class EmbeddedOrigin extends DurableObject {
  readonly #requests: RequestLog
  readonly #log = createLog()

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    this.#requests = openRequestLog(ctx.storage, LIMITS)
  }

  override async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    try {
      if (pathname === '/api/v1/write') return await this.#write(request)
      if (pathname === '/series') return this.#series(request, searchParams)
      if (pathname === '/samples') return this.#samples(request, searchParams)
      throw NO_SUCH_PATH
    } catch (cause) {
      if (cause instanceof RequestError) return refusal(cause)
      this.#log.unexpected(cause)
      return refusal(UNEXPECTED)
    }
  }

  async #write(request: Request): Promise<Response> {
    const { version, encoding, length } = judgeRemoteWrite(request, { body: Infinity })
    if (version !== 1 || encoding !== 'snappy') throw ONLY_SNAPPY
    if (length !== undefined && length > MAX_BODY) throw TOO_LARGE
    const body = await request.arrayBuffer()
    const decoded = claimedLength(new Uint8Array(body))
    if (decoded === undefined) throw badRequest('bad_snappy', 'the body is not a snappy block')
    if (body.byteLength > MAX_BODY || decoded > MAX_DECODED) throw TOO_LARGE
    this.#requests.append(body, Date.now())
    return new Response(null, { status: 204 })
  }

  #series(request: Request, parameters: URLSearchParams): Response {
    if (request.method !== 'GET') throw ONLY_GET
    const query = parseSeriesQuery(parameters)
    if (typeof query === 'string') throw badRequest('bad_query', query)
    const newest = this.#requests.newest(SCAN_ROWS, SCAN_BYTES)
    const found = recentSeries(newest, decodeSnappy, query, Date.now())
    return Response.json({ ...found, stored: this.#requests.totals() } satisfies SeriesList)
  }

  #samples(request: Request, parameters: URLSearchParams): Response {
    if (request.method !== 'GET') throw ONLY_GET
    const query = parseSamplesQuery(parameters)
    if (typeof query === 'string') throw badRequest('bad_query', query)
    const after = query.after === 'newest' ? this.#requests.newestId() : query.after
    // What is read is held while it is sent, so it is little; what it decodes to is made one request at a time.
    const page = this.#requests.after(after, PAGE_REQUESTS, PAGE_BYTES)
    return new Response(lineStream(sampleLines(page, decodeSnappy, query, after)), {
      headers: { 'Content-Type': 'application/x-ndjson' },
    })
  }
}

function refusal({ message, status, headers, retryAfter }: RequestError): Response {
  const retry = retryAfter === undefined ? undefined : { 'Retry-After': String(retryAfter) }
  return new Response(`${message}\n`, { status, headers: { ...headers, ...retry } })
}
