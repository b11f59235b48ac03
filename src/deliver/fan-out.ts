import type { OriginConfig } from '../config/types.ts'
import { connectionsPerOrigin } from './connections.ts'
import { type DeliverContext, deliver } from './deliver.ts'
import { type OriginResult, tallyFor } from './origin-result.ts'
import { countsOf, type Payload } from './payload.ts'
import type { Fetch, SendContext } from './send.ts'
import { shareSubrequests } from './subrequests.ts'

/** Everything one request has for one origin. */
export interface Shipment {
  readonly origin: OriginConfig
  readonly payloads: readonly Payload[]
  readonly fetch: Fetch
  readonly halve: DeliverContext['halve']
  readonly repack: DeliverContext['repack']
}

/** What `fanOut` needs besides shipments. The callbacks must not throw. */
export interface FanOutContext extends Omit<SendContext, 'fetch' | 'subrequests' | 'signal'> {
  /** `limits.subrequests`, or what is left of it. */
  readonly subrequests: number
  /** Keeps the Worker alive for what doesn't hold the answer. */
  readonly waitUntil: (work: Promise<unknown>) => void
  /** As of `DeliverContext`. */
  readonly downgraded: DeliverContext['downgraded']
  /** Told what became of an `ignore` origin's shipment, after the answer or before it. */
  readonly ignored: (result: OriginResult) => void
  /** Told of errors that should not happen. */
  readonly unexpected: (error: unknown, origin: OriginConfig) => void
}

/**
 * A delivery ends itself at the deadline; one that has not by then and this much is given up.
 * Milliseconds.
 */
const GRACE = 100

/**
 * Delivers to all origins at once. Resolves with the results of those that decide (`on_failure:
 * reject`), in the order given, when each has settled, at the latest at the deadline and a moment:
 * one that hangs is busy. Those of `ignore` origins go to `waitUntil`. No origin waits for another.
 * Never rejects; every payload is released.
 */
export async function fanOut(
  shipments: readonly Shipment[],
  ctx: FanOutContext,
): Promise<readonly { readonly result: OriginResult }[]> {
  // First those that the answer waits for: connections are served in the order they are asked for.
  const deciding = shipments.filter(({ origin }) => origin.onFailure === 'reject')
  const inOrder = [...deciding, ...shipments.filter(({ origin }) => origin.onFailure === 'ignore')]
  const inFlight = connectionsPerOrigin(inOrder.filter((s) => s.payloads.length > 0).length)
  const budgets = shareSubrequests(
    ctx.subrequests,
    inOrder.map(({ payloads }) => payloads.length),
  )
  const deliveries = inOrder.map((shipment, i) =>
    attend(shipment, {
      ...ctx,
      fetch: shipment.fetch,
      halve: shipment.halve,
      repack: shipment.repack,
      subrequests: budgets[i]!,
      inFlight,
      unexpected: (error) => ctx.unexpected(error, shipment.origin),
    }),
  )
  for (const work of deliveries.slice(deciding.length)) ctx.waitUntil(work.then(ctx.ignored))
  const results = await Promise.all(deliveries.slice(0, deciding.length))
  return results.map((result) => ({ result }))
}

/**
 * `deliver` with a net under it: what hangs or throws all the same is busy, its bytes are released
 * and never sent.
 */
async function attend(shipment: Shipment, ctx: DeliverContext): Promise<OriginResult> {
  const { origin, payloads } = shipment
  const givenUp = new AbortController()
  const hung = Promise.withResolvers<never>()
  let callOff = () => {}
  try {
    callOff = ctx.sleep(ctx.deadline - ctx.now() + GRACE, () =>
      hung.reject(new Error('BUG: a delivery went on after its deadline')),
    )
    const delivering = deliver(origin, payloads, { ...ctx, signal: givenUp.signal })
    return await Promise.race([delivering, hung.promise])
  } catch (error) {
    givenUp.abort()
    ctx.unexpected(error)
    const tally = tallyFor(origin)
    tally.fail(countsOf(payloads), `origin ${origin.name}: unexpected error`)
    return tally.result()
  } finally {
    callOff()
    for (const payload of payloads) payload.release()
  }
}
