import { accountFor, countBatch, countCargo, countResult } from './accounting.ts'
import { type Batch, batchUp } from './batch/batch.ts'
import { totalOf } from './batch/counts.ts'
import type { Piece } from './batch/cut.ts'
import { halve } from './batch/halve.ts'
import { decompress } from './compress/decompress.ts'
import type { Config, OriginConfig } from './config/types.ts'
import { fanOut, type Shipment } from './deliver/fan-out.ts'
import type { OriginResult } from './deliver/origin-result.ts'
import type { Payload } from './deliver/payload.ts'
import type { Fetch } from './deliver/send.ts'
import type { Sleep } from './deliver/sleep.ts'
import { type Verdict, verdict } from './deliver/verdict.ts'
import { readBody } from './receive/body.ts'
import type { Lease, MemoryBudget } from './receive/memory-budget.ts'
import { judgeRemoteWrite } from './receive/remote-write-headers.ts'
import type { Log } from './telemetry/log.ts'
import { unavailable } from './wire/request-error.ts'
import type { Workspace } from './workspace.ts'

/** What the pipeline works with. Everything that is not the same for ever is handed in. */
export interface PipelineDeps {
  readonly workspace: Workspace
  readonly budget: MemoryBudget
  readonly log: Log
  readonly version: string
  /** Epoch milliseconds. */
  readonly now: () => number
  /** 0 to 1. */
  readonly random: () => number
  readonly sleep: Sleep
  /** Requests of ours besides those to origins that the platform counts for one invocation: reading KV. */
  readonly ownSubrequests: number
  /** How this origin is reached. */
  readonly fetchOf: (origin: OriginConfig) => Fetch
  /** An origin answered in a way that only the operator can mend (a message), or is well again (undefined). */
  readonly misconfigured: (origin: OriginConfig, message: string | undefined) => void
}

/** One request's share of it. */
export interface RequestContext {
  readonly config: Config
  readonly tenant: string
  readonly waitUntil: (work: Promise<unknown>) => void
}

/**
 * One remote write request, from its headers to the verdict over all origins:
 *
 *     receive -> decompress -> resolve -> batch -> emit -> compress -> deliver
 *
 * All from "body is complete" to the last payload is one synchronous section. Throws a RequestError for a request that can't be served; then nothing of it was sent.
 */
export async function writeRequest(
  request: Request,
  ctx: RequestContext,
  deps: PipelineDeps,
): Promise<Verdict> {
  const { config } = ctx
  const limits = deps.workspace.limits(config)
  const { encoding, length } = judgeRemoteWrite(request, limits)
  const arrived = deps.now()
  const lease = reserve(deps.budget, length ?? 0)
  lease.shrink(length ?? 0) // readBody pays for what it takes; this was to be refused before it is read
  let prepared: Prepared
  try {
    const body = await readBody(request, { limit: limits.body, lease, deadline: config.deadline })
    prepared = prepare(body, encoding, ctx, deps)
  } finally {
    lease.release()
  }
  const { batch, shipments } = prepared
  const ignored = (result: OriginResult): void => settleIgnored(result, batch, ctx, deps)
  const results = await fanOut(shipments, {
    tenant: ctx.tenant,
    deadline: arrived + config.deadline,
    version: deps.version,
    now: deps.now,
    random: deps.random,
    sleep: deps.sleep,
    subrequests: limits.subrequests - deps.ownSubrequests,
    waitUntil: ctx.waitUntil,
    ignored,
    unexpected: (error) => deps.log.unexpected(error),
  })
  for (const { result } of results) settleResult(result, deps)
  const judged = verdict(
    results,
    { rejected: [...batch.refusals, ...oversize(batch, config)] },
    deps.random,
  )
  deps.log.request(
    accountFor(
      batch,
      results.map(({ result }) => result),
      {
        status: judged.status,
        reason: judged.status === 400 ? 'rejected' : 'origin_busy',
        tenant: ctx.tenant,
        message: judged.message,
      },
      config.origins,
    ),
  )
  return judged
}

/** A request on its way out: what each origin gets. */
interface Prepared {
  readonly batch: Batch
  readonly shipments: readonly Shipment[]
}

/** The synchronous section: from a body to payloads. */
function prepare(
  body: Uint8Array,
  encoding: 'snappy' | 'zstd',
  ctx: RequestContext,
  deps: PipelineDeps,
): Prepared {
  const { config } = ctx
  const { workspace } = deps
  const limits = workspace.limits(config)
  let decoded = 0
  const batch = workspace.enter(config, ({ kernel, table, streams, tenant }) =>
    kernel.use(() => {
      decoded = decompress(kernel, body, encoding, limits.decoded)
      return batchUp(kernel, table, streams, workspace.pool, decoded, {
        tenant: tenant(ctx.tenant),
        latest: deps.now() + limits.future,
        maxSeries: limits.series,
        subrequests: limits.subrequests - deps.ownSubrequests,
      })
    }),
  )
  const shipments = ship(batch, ctx, deps)
  countBatch(batch, body.length, decoded)
  for (const cargo of batch.cargos) {
    for (const i of cargo.stream.origins) countCargo(config.origins[i]!, cargo)
  }
  return { batch, shipments }
}

/** One shipment an origin, in the config's order. Origins of one stream share its payloads' bytes. */
function ship(batch: Batch, ctx: RequestContext, deps: PipelineDeps): Shipment[] {
  const { config } = ctx
  const { pool } = deps.workspace
  const pieces = batch.cargos.flatMap((cargo) => cargo.pieces)
  const lease = deps.budget.reserve(heldBy(pieces))
  if (lease === undefined) {
    for (const { bytes } of pieces) pool.give(bytes)
    throw overBudget()
  }
  const shipments: Shipment[] = []
  for (const { stream, pieces } of batch.cargos) {
    const shared = pieces.map((piece) => sharedBytes(piece, stream.origins.length, lease, deps))
    for (const i of stream.origins) {
      const origin = config.origins[i]!
      shipments[i] = {
        origin,
        payloads: shared.map((take) => take()),
        // Not before it is needed: what it throws is then about this origin alone.
        fetch: (url, init) => deps.fetchOf(origin)(url, init),
        halve: (payload) => halvesOf(payload, lease, ctx, deps),
      }
    }
  }
  if (pieces.length === 0) lease.release()
  return shipments
}

/** Memory of pieces, bytes: of their whole buffers, which may be a few times as large. */
function heldBy(pieces: readonly Pick<Piece, 'bytes'>[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.buffer.byteLength, 0)
}

/** Hands out a piece to `holders` payloads; when the last one is released, the bytes go back to the pool and the budget. */
function sharedBytes(
  piece: Piece,
  holders: number,
  lease: Lease,
  { workspace }: PipelineDeps,
): () => Payload {
  let left = holders
  return () => {
    let held = true
    return {
      bytes: piece.bytes,
      counts: piece.counts,
      after: piece.after,
      release() {
        if (!held) return
        held = false
        if (--left > 0) return
        lease.shrink(heldBy([piece]))
        workspace.pool.give(piece.bytes)
        // A half was paid for before the whole was given back, so nothing will be.
        if (lease.bytes === 0) lease.release()
      },
    }
  }
}

/** A new synchronous section: two payloads out of one that was too large for its origin. */
function halvesOf(
  payload: Payload,
  lease: Lease,
  { config }: RequestContext,
  deps: PipelineDeps,
): readonly Payload[] {
  const { workspace } = deps
  const pieces = workspace.enter(config, ({ kernel, table }) =>
    halve(kernel, table, workspace.pool, payload),
  )
  if (!lease.grow(heldBy(pieces))) {
    for (const { bytes } of pieces) workspace.pool.give(bytes)
    throw overBudget()
  }
  return pieces.map((piece) => sharedBytes(piece, 1, lease, deps)())
}

function reserve(budget: MemoryBudget, bytes: number): Lease {
  const lease = budget.reserve(bytes)
  if (lease === undefined) throw overBudget()
  return lease
}

function overBudget() {
  return unavailable('memory_budget', 'too many requests are being served, send it again', {
    retryAfter: 1,
  })
}

/** What is too large for an origin that decides is the sender's to know. */
function oversize(batch: Batch, config: Config): string[] {
  return batch.cargos.flatMap(({ stream, oversize }) => {
    const n = totalOf(oversize)
    if (n === 0) return []
    return stream.origins
      .map((i) => config.origins[i]!)
      .filter(({ onFailure }) => onFailure === 'reject')
      .map(({ name }) => `origin ${name}: ${n} points are each larger than max_bytes_per_send`)
  })
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
  ctx: RequestContext,
  deps: PipelineDeps,
): void {
  settleResult(result, deps)
  const answer = { status: 204, reason: 'ignored_origin', tenant: ctx.tenant }
  deps.log.request(accountFor(batch, [result], answer, ctx.config.origins))
}
