import { accountFor, countBatch, countCargo, countResult } from './accounting.ts'
import { type Batch, batchUp } from './batch/batch.ts'
import { totalOf } from './batch/counts.ts'
import type { Config, Limits, OriginConfig } from './config/types.ts'
import { fanOut, type Shipment } from './deliver/fan-out.ts'
import type { OriginResult } from './deliver/origin-result.ts'
import { NO_COUNTS } from './deliver/payload.ts'
import type { Sleep } from './deliver/sleep.ts'
import { type Verdict, verdict } from './deliver/verdict.ts'
import type { Downgrades } from './downgrades.ts'
import type { Ingress, Loaded } from './ingress.ts'
import { readBody } from './receive/body.ts'
import { budgetFull } from './receive/memory-budget.ts'
import { type LeftOut, type ShipmentDeps, ship } from './shipments.ts'
import type { Log } from './telemetry/log.ts'
import { RequestError } from './wire/request-error.ts'

/** What the pipeline works with. Everything that is not the same for ever is handed in. */
export interface PipelineDeps extends ShipmentDeps {
  readonly log: Log
  readonly version: string
  /** Epoch milliseconds. */
  readonly now: () => number
  /** 0 to 1. */
  readonly random: () => number
  readonly sleep: Sleep
  /** Requests of ours besides those to origins that the platform counts for one invocation: reading KV. */
  readonly ownSubrequests: number
  readonly downgrades: Downgrades
  /** An origin answered in a way that only the operator can mend (a message), or is well again (undefined). */
  readonly misconfigured: (origin: OriginConfig, message: string | undefined) => void
}

/** One request's share of it. */
export interface RequestContext {
  readonly config: Config
  readonly tenant: string
  readonly waitUntil: (work: Promise<unknown>) => void
}

/** What became of a request. */
export interface Written {
  /** Over the origins that decide, and, but for OTLP, what was rejected here. */
  readonly verdict: Verdict
  readonly batch: Batch
  /** Of the origins that decide. */
  readonly results: readonly OriginResult[]
  readonly loaded: Loaded
  /** The config that was followed. */
  readonly config: Config
  /** For the sender: at which of these origins points are too large. */
  readonly tooLarge: readonly string[]
  readonly leftOut: LeftOut
}

/** What is known of a request by its headers; throws a RequestError for one that is not to be read at all. */
export type Judge = (request: Request, limits: Limits) => Ingress

/**
 * One write request, from its headers to the verdict over all origins:
 *
 *     receive -> decompress -> resolve -> batch -> emit -> compress -> deliver
 *
 * All from "body is complete" to the last payload is one synchronous section. Throws a RequestError for a request that can't be served; then nothing of it was sent.
 */
export async function writeRequest(
  request: Request,
  judge: Judge,
  asked: RequestContext,
  deps: PipelineDeps,
): Promise<Written> {
  const config = deps.downgrades.apply(asked.config)
  const ctx = { ...asked, config }
  const limits = deps.workspace.limits(config)
  const ingress = judge(request, limits)
  const length = ingress.length ?? 0
  const arrived = deps.now()
  const lease = deps.budget.reserve(length)
  if (lease === undefined) throw budgetFull()
  lease.shrink(length) // readBody pays for what it takes; this was to be refused before it is read
  let prepared: Prepared
  try {
    const body = await readBody(request, { limit: limits.body, lease, deadline: config.deadline })
    prepared = prepare(body, ingress, ctx, deps)
  } finally {
    lease.release()
  }
  const { batch, shipments, leftOut, sizes, loaded } = prepared
  const ignored = (result: OriginResult): void => settleIgnored(result, batch, leftOut, ctx, deps)
  const settled = await fanOut(shipments, {
    tenant: ctx.tenant,
    deadline: arrived + config.deadline,
    version: deps.version,
    now: deps.now,
    random: deps.random,
    sleep: deps.sleep,
    subrequests: subrequestsFor(config, limits, deps),
    waitUntil: ctx.waitUntil,
    ignored,
    downgraded: (origin, message) => {
      deps.downgrades.add(origin)
      deps.log.warn('origin_downgraded', { origin: origin.name, message })
    },
    unexpected: (error) => deps.log.unexpected(error),
  })
  const results = settled.map(({ result }) => result)
  for (const result of results) settleResult(result, deps)
  const tooLarge = oversize(batch, leftOut, config)
  const own = ingress.protocol === 'otlp' ? [] : [...batch.refusals, ...tooLarge]
  const judged = verdict(settled, { rejected: own }, deps.random)
  deps.log.request(
    accountFor(
      batch,
      results,
      {
        ...sizes,
        status: ingress.protocol === 'otlp' && judged.status < 500 ? 200 : judged.status,
        rejectedPoints: rejectedPoints(batch, loaded),
        reason: reasonOf(judged, results),
        tenant: ctx.tenant,
        message: judged.message,
      },
      config.origins,
      leftOut,
    ),
  )
  return { verdict: judged, batch, results, loaded, config, tooLarge, leftOut }
}

/** A request on its way out: what each origin gets. */
interface Prepared {
  readonly batch: Batch
  readonly shipments: readonly Shipment[]
  readonly leftOut: LeftOut
  readonly loaded: Loaded
  /** Bytes of the body, for the log. */
  readonly sizes: { readonly compressedBytes: number; readonly decodedBytes: number }
}

/** The synchronous section: from a body to payloads. */
function prepare(
  body: Uint8Array,
  ingress: Ingress,
  ctx: RequestContext,
  deps: PipelineDeps,
): Prepared {
  const { config } = ctx
  const { workspace } = deps
  const limits = workspace.limits(config)
  const { batch, loaded } = workspace.enter(config, ({ kernel, table, streams, tenant }) =>
    kernel.use(() => {
      const loaded = ingress.load(kernel, body, limits)
      const options = {
        protocol: ingress.protocol,
        tenant: tenant(ctx.tenant),
        latest: deps.now() + limits.future,
        maxSeries: limits.series,
        subrequests: subrequestsFor(config, limits, deps),
        held: deps.budget.limit,
      }
      try {
        return { batch: batchUp(kernel, table, streams, workspace.pool, loaded.n, options), loaded }
      } catch (error) {
        if (error instanceof RequestError && error.status === 400)
          throw ingress.explain(error, body)
        throw error
      }
    }),
  )
  const { shipments, leftOut } = ship(batch, config, deps)
  countBatch(batch, loaded, body.length)
  for (const cargo of batch.cargos) {
    for (const i of cargo.stream.origins) countCargo(config.origins[i]!, cargo)
  }
  const sizes = { compressedBytes: body.length, decodedBytes: loaded.n }
  return { batch, shipments, leftOut, loaded, sizes }
}

/** What is left for origins: at least one request each, as the config promises. */
function subrequestsFor({ origins }: Config, { subrequests }: Limits, deps: PipelineDeps): number {
  return Math.max(subrequests - deps.ownSubrequests, origins.length)
}

/** Data points of OTLP that were rejected here. */
function rejectedPoints({ points }: Batch, loaded: Loaded): number {
  const read = points?.rejected.reduce((sum, { count }) => sum + count, 0) ?? 0
  return loaded.rejected.reduce((sum, { points }) => sum + points, read)
}

/** Name of what was not well, for the log: the operator's mistake before a busy origin. */
function reasonOf({ status }: Verdict, results: readonly OriginResult[]): string {
  if (results.some(({ misconfigured }) => misconfigured !== undefined)) {
    return 'origin_misconfigured'
  }
  return status === 503 ? 'origin_busy' : 'rejected'
}

/** What is too large for an origin that decides is the sender's to know. */
function oversize(batch: Batch, leftOut: LeftOut, config: Config): string[] {
  return batch.cargos.flatMap(({ stream, oversize }) =>
    stream.origins.flatMap((i) => {
      const origin = config.origins[i]!
      const n = totalOf(oversize) + totalOf(leftOut.get(origin)?.oversize ?? NO_COUNTS)
      if (n === 0 || origin.onFailure !== 'reject') return []
      return [`origin ${origin.name}: ${n} points are each larger than max_bytes_per_send`]
    }),
  )
}

function settleResult(result: OriginResult, deps: PipelineDeps): void {
  countResult(result)
  if (result.misconfigured !== undefined) deps.misconfigured(result.origin, result.misconfigured)
  else if (result.requests.delivered > 0) deps.misconfigured(result.origin, undefined)
}

/** An `ignore` origin has no say in the answer, so what it did not take is told to the log only. */
function settleIgnored(
  result: OriginResult,
  batch: Batch,
  leftOut: LeftOut,
  ctx: RequestContext,
  deps: PipelineDeps,
): void {
  settleResult(result, deps)
  const answer = { reason: 'ignored_origin', tenant: ctx.tenant }
  deps.log.request(accountFor(batch, [result], answer, ctx.config.origins, leftOut))
}
