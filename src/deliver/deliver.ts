import type { OriginConfig } from '../config/types.ts'
import { limiter } from './connections.ts'
import { type Downgrade, downgradeOf, isRefusal, type Refusal } from './downgrade.ts'
import { type OriginResult, type Tally, tallyFor } from './origin-result.ts'
import type { Outcome } from './outcome.ts'
import type { Payload } from './payload.ts'
import { halvesOf, type Repack, type Replace, repackedOf } from './replacements.ts'
import { type SendContext, send } from './send.ts'
import { type SizeLimit, sizeLimit } from './size-limit.ts'

/** What `deliver` needs besides an origin and its payloads. */
export interface DeliverContext extends SendContext {
  /** Requests that may be open to this origin at a time. */
  readonly inFlight: number
  /** Two payloads of one, in the same protocol; fewer when it can't be halved. Together they carry what the whole did. */
  readonly halve: Replace
  /**
   * The data of one payload in the common protocol (remote write 1.0, snappy), in one or more. What that can't carry is
   * left out, and counted here; so their counts may be others than the whole's, or there may be none at all. Undefined
   * when they can't be made; then nothing was counted.
   */
  readonly repack: Repack
  /**
   * This origin refused the protocol of a payload, for this reason: better send it the common one for an hour. At most
   * once for each delivery; must not throw.
   */
  readonly downgraded: (origin: OriginConfig, reason: string) => void
  /** Told of errors that should not happen; must not throw. */
  readonly unexpected: (error: unknown) => void
}

/** One origin's delivery under way. */
interface Delivery {
  readonly origin: OriginConfig
  readonly ctx: DeliverContext
  readonly tally: Tally
  readonly size: SizeLimit
  readonly downgrade: Downgrade
  /** Something was busy: nothing more is sent. */
  stopped: boolean
}

/**
 * Sends all payloads of one request to one origin, several at a time, in list order; pieces of one
 * series never travel together. A busy answer ends it: what was not sent yet is failed. A rejected
 * one does not. A 413 is halved and sent again, down to one item. One whose protocol is refused is
 * repacked and sent again; from then on the others are repacked before they are sent. Every payload
 * is released once, when its bytes are no longer needed, and its counts, or those of what took its
 * place, are in the result's sums, each item in exactly one. What can start at once is handed to
 * `fetch` before this returns its promise. Never rejects: an unexpected error is reported, and busy.
 */
export async function deliver(
  origin: OriginConfig,
  payloads: readonly Payload[],
  ctx: DeliverContext,
): Promise<OriginResult> {
  const tally = tallyFor(origin)
  const downgrade = downgradeOf(origin, ctx.downgraded)
  const delivery: Delivery = { origin, ctx, tally, size: sizeLimit(), downgrade, stopped: false }
  const inTurn = limiter(ctx.inFlight)
  const pieces: Promise<void>[] = []
  for (const payload of payloads) {
    // Its series may be in any earlier piece, so all of them must have settled; what is behind it
    // waits too.
    if (payload.after) await Promise.all(pieces)
    pieces.push(inTurn(() => settle(payload, delivery)))
  }
  await Promise.all(pieces)
  return tally.result()
}

/** Sends a payload, or what takes its place, one after the other: halves may share a series. */
async function settle(whole: Payload, delivery: Delivery): Promise<void> {
  const { origin, ctx, tally } = delivery
  const rest = [whole]
  for (let payload = rest.pop(); payload !== undefined; payload = rest.pop()) {
    try {
      rest.push(...(await settleOrReplace(payload, delivery)))
    } catch (error) {
      delivery.stopped = true
      tally.fail(payload.counts, `origin ${origin.name}: unexpected error`)
      ctx.unexpected(error)
    } finally {
      payload.release()
    }
  }
}

/** Settles a payload and returns nothing, or returns what takes its place, last one first. */
async function settleOrReplace(payload: Payload, delivery: Delivery): Promise<readonly Payload[]> {
  const { ctx, tally, size, downgrade } = delivery
  if (isOver(delivery)) {
    tally.fail(payload.counts)
    return []
  }
  const refusal = downgrade.foreseen(payload)
  if (refusal !== undefined) return repackOrReject(payload, refusal, delivery)
  const length = payload.bytes.byteLength
  if (size.exceeds(length)) {
    const halves = halvesOf(payload, ctx.halve)
    if (halves.length > 0) return halves
  }
  const outcome = await ask(payload, delivery)
  if (outcome.kind === 'delivered') size.taken(length)
  if (isRefusal(outcome)) {
    downgrade.refused(outcome)
    return repackOrReject(payload, outcome, delivery)
  }
  if (outcome.kind === 'too-large' && !ctx.signal?.aborted) {
    size.refused(length)
    const halves = halvesOf(payload, ctx.halve)
    if (halves.length > 0) return halves
  }
  if (tally.settle(outcome, payload.counts) === 'stop') delivery.stopped = true
  return []
}

/** Nothing more is sent; and once given up, a payload's bytes may be another request's. */
function isOver({ stopped, ctx }: Delivery): boolean {
  return stopped || ctx.signal?.aborted === true
}

function repackOrReject(
  payload: Payload,
  refusal: Refusal,
  delivery: Delivery,
): readonly Payload[] {
  const { ctx, tally } = delivery
  if (isOver(delivery)) {
    tally.fail(payload.counts)
    return []
  }
  const repacked = repackedOf(payload, ctx.repack)
  if (repacked === undefined) tally.settle(refusal, payload.counts)
  return repacked ?? []
}

async function ask(payload: Payload, { origin, ctx, tally }: Delivery): Promise<Outcome> {
  const { fetch } = ctx
  const outcome = await send(origin, payload, {
    ...ctx,
    fetch(url, init) {
      tally.sent(payload.bytes.byteLength)
      return fetch(url, init)
    },
  })
  tally.asked(outcome)
  return outcome
}
