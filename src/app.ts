import { type Context, Hono } from 'hono'
import type { ConfigState, LiveConfig } from './config/live.ts'
import type { Config } from './config/types.ts'
import { hopsOf, MOST_HOPS, withHops } from './deliver/hops.ts'
import { type EmbeddedDeps, embeddedRoutes } from './embedded/routes.ts'
import { refuseOtlp, takeOtlp } from './otlp-metrics.ts'
import type { PipelineDeps, RequestContext } from './pipeline.ts'
import { answer, toldOf } from './receive/answer.ts'
import { authenticate, type Sender, unauthenticated } from './receive/auth.ts'
import { answerRemoteWrite, takeRemoteWrite } from './remote-write.ts'
import { expositionType } from './telemetry/exposition.ts'
import { metrics, renderMetrics } from './telemetry/metrics.ts'
import { badRequest, RequestError, unavailable } from './wire/request-error.ts'

/** What the routes work with. `misconfigured` is theirs: it is what `/-/ready` shows. */
export interface AppDeps extends Omit<PipelineDeps, 'misconfigured'> {
  readonly live: LiveConfig
  readonly embedded: EmbeddedDeps
  /** Everybody is let in because only this machine can connect: then a browser must not be led here from elsewhere. */
  readonly loopbackOnly: boolean
}

/** Set for every route behind the guard. */
interface Variables {
  config: Config
  sender: Sender
}

type App = { Bindings: Cloudflare.Env; Variables: Variables }

/** What takes a write request, and what answers one that could not be taken. */
interface Receiver {
  take(request: Request, ctx: RequestContext, deps: PipelineDeps): Promise<Response>
  refuse(request: Request, refusal: RequestError, deps: Pick<PipelineDeps, 'random'>): Response
}

const remoteWrite: Receiver = { take: takeRemoteWrite, refuse: answerRemoteWrite }
const otlp: Receiver = { take: takeOtlp, refuse: refuseOtlp }

/** By path: remote write as with Prometheus and VictoriaMetrics, Mimir, Thanos; OTLP as with the Collector, Mimir, Prometheus, vmagent. */
const receivers: ReadonlyMap<string, Receiver> = new Map([
  ['/api/v1/write', remoteWrite],
  ['/api/v1/push', remoteWrite],
  ['/api/v1/receive', remoteWrite],
  ['/v1/metrics', otlp],
  ['/otlp/v1/metrics', otlp],
  ['/api/v1/otlp/v1/metrics', otlp],
  ['/opentelemetry/v1/metrics', otlp],
])

/** All routes. `sluice.auth` guards every path but `/-/healthy` and the bare status of `/-/ready`. */
export function createApp(deps: AppDeps): Hono<App> {
  const app = new Hono<App>()
  /** By origin: what only our operator can mend. */
  const misconfigured = new Map<string, string>()
  const pipeline: PipelineDeps = {
    ...deps,
    misconfigured({ name }, message) {
      if (message === undefined) misconfigured.delete(name)
      else {
        misconfigured.set(name, message)
        deps.log.error('origin_misconfigured', { origin: name, message })
      }
    },
  }

  app.onError((error, c) => refuse(error, c, deps))
  app.notFound((c) => refuse(new RequestError(404, 'not_found', 'no such path'), c, deps))

  app.get('/-/healthy', (c) => c.text('Sluice is healthy.\n'))
  app.get('/-/ready', async (c) => {
    const state = await currentConfig(c, deps)
    const ready = state.config !== undefined
    const status = ready ? 200 : 503
    if (!ready || !sentBy(c, state.config) || isForeign(c, state, deps)) {
      return c.text(ready ? 'Sluice is ready.\n' : `${whyNot(state)}\n`, status)
    }
    const { config, source, problems, stale } = state
    // An origin that a reload has removed is no matter any more.
    const origins = config?.origins.flatMap(({ name }) => {
      const message = misconfigured.get(name)
      return message === undefined ? [] : [{ origin: name, message }]
    })
    return c.json({ ready, source, problems, stale, misconfigured: origins }, status)
  })

  app.use(async (c, next) => {
    const state = await currentConfig(c, deps)
    if (state.config === undefined) throw unavailable('no_config', whyNot(state))
    const sender = sentBy(c, state.config)
    if (sender === undefined) throw unauthenticated(state.config.auth)
    if (isForeign(c, state, deps)) {
      throw new RequestError(403, 'foreign_host', 'without sluice.auth only localhost is served')
    }
    if (!URL.canParse(c.req.url)) throw badRequest('bad_host', 'the Host header names no host')
    c.set('config', state.config)
    c.set('sender', sender)
    await next()
  })

  for (const [path, receiver] of receivers) {
    app.all(path, async (c) => {
      const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
      const { tenant } = c.get('sender')
      const hops = hopsOf(c.req.raw.headers)
      if (hops >= MOST_HOPS) throw goesRound()
      const fetchOf: PipelineDeps['fetchOf'] = (origin) => withHops(deps.fetchOf(origin), hops + 1)
      const ctx = { config: c.get('config'), tenant, waitUntil }
      const work = receiver.take(c.req.raw, ctx, { ...pipeline, fetchOf })
      // A sender that hangs up must not end it half way: what it holds is given back at its end.
      waitUntil(work.catch(() => undefined))
      return counted(await work) // its accounting line is written already
    })
  }

  app.get('/metrics', (c) => {
    const use = deps.workspace.use
    metrics.tableEntries.with().set(use.series)
    metrics.tableUsedBytes.with().set(use.bytes)
    return c.body(renderMetrics(), 200, { 'Content-Type': expositionType })
  })

  app.route('/', embeddedRoutes(deps.embedded))
  return app
}

/**
 * Whether a page of another site may have led a browser here while everybody is let in: by a name that it made resolve to
 * this machine (DNS rebinding), or straight, and then the browser says whose page it is.
 */
function isForeign(c: Context<App>, { source }: ConfigState, { loopbackOnly }: AppDeps): boolean {
  if (!loopbackOnly || source !== 'bundled') return false
  const page = c.req.header('origin')
  return !isLoopback(c.req.url) || (page !== undefined && !isLoopback(page))
}

function isLoopback(url: string): boolean {
  const hostname = URL.parse(url)?.hostname ?? ''
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** The refusal of a request that was here before, or nearly so. */
function goesRound(): RequestError {
  return unavailable(
    'forwarding_loop',
    `the request has come through Sluice ${MOST_HOPS} times: does an origin lead back here?`,
    { retryAfter: 30 },
  )
}

async function currentConfig(c: Context<App>, { live, now }: AppDeps): Promise<ConfigState> {
  const wait = live.refresh(
    c.env as unknown as Record<string, unknown>,
    (work) => c.executionCtx.waitUntil(work),
    now(),
  )
  if (wait) await wait
  return live.current()
}

function sentBy(c: Context<App>, config: Config): Sender | undefined {
  return authenticate(c.req.header('authorization') ?? null, config.auth)
}

/** Who may ask is not known while the config is bad, so only that much is said; the log has the rest. A missing `sluice.auth` is no secret. */
function whyNot({ problems }: ConfigState): string {
  const auth = problems.find(({ severity, path }) => severity === 'error' && path === 'sluice.auth')
  return auth ? auth.message : 'the config is bad: the log says why'
}

/** Refusals are logged and told to the sender. */
function refuse(error: unknown, c: Context<App>, deps: AppDeps): Response {
  const { log } = deps
  const refusal = toldOf(error, log)
  const { status, code: reason, message } = refusal
  log.request({ status, reason, message, tenant: c.get('sender')?.tenant ?? '' })
  const receiver = receivers.get(c.req.path)
  if (receiver === undefined) return answer(refusal, deps.random)
  return counted(receiver.refuse(c.req.raw, refusal, deps))
}

/** The answer to a write request, counted. */
function counted(response: Response): Response {
  metrics.requests.with(String(response.status)).add()
  return response
}
