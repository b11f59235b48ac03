import type { OriginConfig } from '../config/types.ts'
import { limiter } from './connections.ts'
import { type OriginResult, type Tally, tallyFor } from './origin-result.ts'
import type { Outcome } from './outcome.ts'
import { countsOf, type Payload, sameCounts } from './payload.ts'
import { type SendContext, send } from './send.ts'
import { type SizeLimit, sizeLimit } from './size-limit.ts'

/** What `deliver` needs besides an origin and its payloads. */
export interface DeliverContext extends SendContext {
  /** Requests that may be open to this origin at a time. */
  readonly inFlight: number
  /**
   * Makes two payloads of one, synchronously, each with bytes of its own: the caller owns them and
   * releases the whole afterwards. Fewer than two when it can't be halved. Together they carry what
   * the whole did.
   */
  readonly halve: (payload: Payload) => readonly Payload[]
  /** Told of errors that should not happen; must not throw. */
  readonly unexpected: (error: unknown) => void
}

/** One origin's delivery under way. */
interface Delivery {
  readonly origin: OriginConfig
  readonly ctx: DeliverContext
  readonly tally: Tally
  readonly size: SizeLimit
  /** Something was busy: nothing more is sent. */
  stopped: boolean
}

/**
 * Sends all payloads of one request to one origin, several at a time, in list order; pieces of one
 * series never travel together. A busy answer ends it: what was not sent yet is failed. A rejected
 * one does not. A 413 is halved and sent again, down to one item. Every payload is released once,
 * when its bytes are no longer needed, and its counts are in exactly one of the result's sums. What
 * can start at once is handed to `fetch` before this returns its promise. Never rejects: an
 * unexpected error is reported, and busy.
 */
export async function deliver(
  origin: OriginConfig,
  payloads: readonly Payload[],
  ctx: DeliverContext,
): Promise<OriginResult> {
  const tally = tallyFor(origin)
  const delivery: Delivery = { origin, ctx, tally, size: sizeLimit(), stopped: false }
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

/** Sends a payload, or its halves one after the other: they may share a series. */
async function settle(whole: Payload, delivery: Delivery): Promise<void> {
  const { origin, ctx, tally } = delivery
  const rest = [whole]
  for (let payload = rest.pop(); payload !== undefined; payload = rest.pop()) {
    try {
      rest.push(...(await settleOrHalve(payload, delivery)))
    } catch (error) {
      delivery.stopped = true
      tally.fail(payload.counts, `origin ${origin.name}: unexpected error`)
      ctx.unexpected(error)
    } finally {
      payload.release()
    }
  }
}

/** Settles a payload and returns nothing, or returns its halves, last one first. */
async function settleOrHalve(payload: Payload, delivery: Delivery): Promise<readonly Payload[]> {
  const { ctx, tally, size } = delivery
  if (delivery.stopped || ctx.signal?.aborted) {
    tally.fail(payload.counts)
    return []
  }
  const length = payload.bytes.byteLength
  if (size.exceeds(length)) {
    const halves = halvesOf(payload, ctx)
    if (halves.length > 0) return halves
  }
  const outcome = await ask(payload, delivery)
  if (outcome.kind === 'delivered') size.taken(length)
  if (outcome.kind === 'too-large') {
    size.refused(length)
    const halves = halvesOf(payload, ctx)
    if (halves.length > 0) return halves
  }
  if (tally.settle(outcome, payload.counts) === 'stop') delivery.stopped = true
  return []
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

/** Empty when it can't be halved. */
function halvesOf(payload: Payload, ctx: DeliverContext): readonly Payload[] {
  const halves = ctx.halve(payload)
  if (halves.length > 1 && sameCounts(countsOf(halves), payload.counts)) return halves.toReversed()
  for (const half of halves) if (half !== payload) half.release()
  if (halves.length > 1) throw new Error('BUG: halves carry something else than the whole did')
  return []
}
