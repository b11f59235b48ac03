import { createHash } from 'node:crypto'
import { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import type { AuthEntry } from '../config/types.ts'
import { createLog } from '../telemetry/log.ts'
import { seriesPage } from './page.tsx'
import { SCRIPT } from './page-script.ts'
import { STYLE } from './page-style.ts'
import { parseSeriesQuery } from './query.ts'
import type { SeriesList, SeriesQuery } from './recent-series.ts'
import { problemPage, runningPage } from './running-page.tsx'
import { parseSamplesQuery, samplesQueryText } from './samples-query.ts'
import { prometheusSnippet } from './snippet.ts'
import type { EmbeddedStub } from './stub.ts'

/** What the pages ask for, once per request. */
export interface EmbeddedDeps {
  /** A stub of the embedded origin; undefined when the config forwards elsewhere only. */
  origin(): EmbeddedStub | undefined
  /** `sluice.auth` of the config in force: decides what the pages tell senders to add. */
  auth(): 'none' | readonly AuthEntry[]
}

const log = createLog()

const secure = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: [hashOf(STYLE)],
    scriptSrc: [hashOf(SCRIPT)],
    connectSrc: ["'self'"],
    imgSrc: ['data:'],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: 'DENY',
  // Whether a host is HTTPS only is for its owner to say, not for a proxy's page.
  strictTransportSecurity: false,
})

/**
 * `GET /` (the page) and `GET /embedded/series` (the same as JSON, a {@link SeriesList}); `name` and `limit` in the query
 * filter both. `GET /embedded/samples` is all that is stored, in pages of JSON lines (sampleLines): `label` and `value`
 * filter, `after` is what the last line of the page before says. HEAD works on all. Says nothing about auth: whoever
 * mounts it guards it.
 */
export function embeddedRoutes(deps: EmbeddedDeps): Hono {
  const app = new Hono()

  app.get('/', secure, async (c) => {
    c.header('Cache-Control', 'no-store')
    const { origin, searchParams } = new URL(c.req.url)
    const snippet = prometheusSnippet(origin, deps.auth())
    const stub = deps.origin()
    if (!stub) return c.html(runningPage(snippet))
    const query = parseSeriesQuery(searchParams)
    if (typeof query === 'string') return c.html(problemPage(query), 400)
    const list = await readList(stub, query)
    if (!list) return c.html(problemPage(UNREACHABLE), 503, RETRY)
    const refresh = searchParams.get('refresh') !== 'off'
    return c.html(seriesPage({ origin, query, list, snippet, refresh }))
  })

  app.get('/embedded/series', secure, async (c) => {
    c.header('Cache-Control', 'no-store')
    const stub = deps.origin()
    if (!stub) return c.json({ error: NOT_AN_ORIGIN }, 404)
    const query = parseSeriesQuery(new URL(c.req.url).searchParams)
    if (typeof query === 'string') return c.json({ error: query }, 400)
    const list = await readList(stub, query)
    return list ? c.json(list) : c.json({ error: UNREACHABLE }, 503, RETRY)
  })

  app.get('/embedded/samples', secure, async (c) => {
    c.header('Cache-Control', 'no-store')
    const stub = deps.origin()
    if (!stub) return c.json({ error: NOT_AN_ORIGIN }, 404)
    const query = parseSamplesQuery(new URL(c.req.url).searchParams)
    if (typeof query === 'string') return c.json({ error: query }, 400)
    const page = await ask(stub, `/samples?${samplesQueryText(query)}`)
    if (!page) return c.json({ error: UNREACHABLE }, 503, RETRY)
    return c.body(page.body as ReadableStream, 200, { 'Content-Type': 'application/x-ndjson' })
  })

  return app
}

const NOT_AN_ORIGIN = 'the config does not forward to the embedded origin'
const UNREACHABLE = 'The embedded origin does not answer. Try again.'
const RETRY = { 'Retry-After': '5' }

/** Allows exactly this inlined text. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

async function readList(stub: EmbeddedStub, query: SeriesQuery): Promise<SeriesList | undefined> {
  const parameters = new URLSearchParams({ name: query.name, limit: String(query.limit) })
  const answer = await ask(stub, `/series?${parameters}`)
  try {
    return await answer?.json<SeriesList>()
  } catch (cause) {
    log.unexpected(cause)
    return undefined
  }
}

/** A good answer of the embedded origin; undefined, and a line in the log, when there is none. */
async function ask(stub: EmbeddedStub, path: string): Promise<Response | undefined> {
  try {
    const answer = await stub.fetch(`http://embedded${path}`)
    if (answer.ok) return answer
    log.error('embedded_origin', { status: answer.status })
  } catch (cause) {
    log.unexpected(cause)
  }
  return undefined
}
