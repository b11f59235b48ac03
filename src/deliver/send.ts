import type { OriginConfig } from '../config/types.ts'
import { type Alarm, alarmAfter } from './alarm.ts'
import { discardBody } from './answer-body.ts'
import { backoff } from './backoff.ts'
import { type Answerer, about } from './origin-message.ts'
import { classify, type Outcome } from './outcome.ts'
import type { Payload } from './payload.ts'
import { redirectTarget } from './redirect.ts'
import { requestHeaders } from './request-headers.ts'
import type { Sleep } from './sleep.ts'
import type { Subrequests } from './subrequests.ts'
import { targetOf } from './target.ts'

/** As much of `fetch` as is used. It must copy the body when called, as the platform's does. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** What `send` needs besides an origin and a payload. */
export interface SendContext {
  readonly tenant: string
  /** Nothing is waited for after this. Epoch milliseconds. */
  readonly deadline: number
  /** Of Sluice, for the User-Agent. */
  readonly version: string
  /** For the embedded origin this is a Durable Object's; it gets a new stub for each call. */
  readonly fetch: Fetch
  /** Epoch milliseconds. */
  readonly now: () => number
  /** 0 to 1. */
  readonly random: () => number
  readonly sleep: Sleep
  /** Each `fetch` takes one. */
  readonly subrequests: Subrequests
  /** Once it is aborted no bytes are read any more and the outcome is busy. */
  readonly signal?: AbortSignal
}

/** The longest that an error's text is waited for once its status is known. Milliseconds. */
const BODY_PATIENCE = 1000

/** One try of one payload: all that stays the same between the first and the second. */
interface Parcel {
  readonly origin: OriginConfig
  readonly payload: Payload
  readonly url: string
  readonly from: Answerer
}

interface Tried {
  readonly outcome: Outcome
  /** There was no connection, so no answer: trying again can help. */
  readonly again: boolean
}

/**
 * Sends one payload to one origin and says what became of it. A connection that is refused or
 * breaks before an answer is tried once more after a backoff, where the deadline allows; a timeout
 * is not. The bytes are read at each `fetch` only, the first time before this returns its promise;
 * they are not released here. Rejects on bugs only.
 */
export async function send(
  origin: OriginConfig,
  payload: Payload,
  ctx: SendContext,
): Promise<Outcome> {
  const { url, authorization, secrets } = targetOf(origin)
  const from: Answerer = { name: origin.name, secrets }
  const { protocol } = payload
  const { tenant, version } = ctx
  const made = requestHeaders(origin, { tenant, protocol, version, authorization })
  if (made.problem !== undefined) {
    return { kind: 'misconfigured', status: 0, message: about(from, made.problem) }
  }
  const parcel: Parcel = { origin, payload, url, from }
  const first = await tryOnce(parcel, made.headers, ctx)
  if (!first.again) return first.outcome
  const pause = backoff(1, { min: origin.minBackoff, max: origin.maxBackoff }, ctx.random)
  if (ctx.now() + pause >= ctx.deadline) return first.outcome
  await new Promise<void>((resolve) => ctx.sleep(pause, resolve))
  const headers = new Headers(made.headers)
  headers.set('Retry-Attempt', '1')
  return (await tryOnce(parcel, headers, ctx)).outcome
}

async function tryOnce(parcel: Parcel, headers: Headers, ctx: SendContext): Promise<Tried> {
  const left = ctx.deadline - ctx.now()
  if (left <= 0) return busy(parcel, 'no time was left to send this')
  const alarm = alarmAfter(Math.min(parcel.origin.timeout, left), ctx.sleep, ctx.signal)
  try {
    return await exchange(parcel, headers, alarm, ctx)
  } finally {
    alarm.stop()
  }
}

async function exchange(
  parcel: Parcel,
  headers: Headers,
  alarm: Alarm,
  ctx: SendContext,
): Promise<Tried> {
  // Called as a method of something the platform's fetch would refuse its `this`.
  const { fetch } = ctx
  let { url } = parcel
  for (let followed = false; ; followed = true) {
    // Given up means the bytes may be another request's by now.
    if (ctx.signal?.aborted) return busy(parcel, 'given up')
    if (!ctx.subrequests.take()) return busy(parcel, 'limits.subrequests is used up')
    const body = parcel.payload.bytes as RequestInit['body']
    const { signal } = alarm
    let response: Response
    try {
      const sending = fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
      response = await alarm.race(sending, discardBody)
    } catch (error) {
      return signal.aborted ? busy(parcel, 'no answer in time') : noAnswer(parcel, error)
    }
    const next = followed ? undefined : redirectTarget(response, url)
    if (next === undefined) {
      return { outcome: await judge(response, parcel, alarm, ctx), again: false }
    }
    discardBody(response)
    url = next
  }
}

/**
 * The status has decided; its text may take half of what time is left, so that a hanging one can't
 * turn a 400 into a 503.
 */
function judge(response: Response, parcel: Parcel, alarm: Alarm, ctx: SendContext) {
  const now = ctx.now()
  const ms = Math.min(BODY_PATIENCE, Math.max(0, ctx.deadline - now) / 2)
  const patience = { ms, sleep: ctx.sleep, signal: alarm.signal }
  return classify(response, parcel.payload, parcel.from, now, patience)
}

function busy({ from }: Parcel, text: string): Tried {
  return { outcome: { kind: 'busy', message: about(from, text) }, again: false }
}

/** A Durable Object that says it is overloaded must not be asked again at once. */
function noAnswer({ from }: Parcel, error: unknown): Tried {
  const outcome: Outcome = {
    kind: 'busy',
    message: about(from, `no connection: ${reasonOf(error)}`),
  }
  return { outcome, again: (error as { overloaded?: unknown } | null)?.overloaded !== true }
}

/**
 * Node hides the reason (ECONNREFUSED) in the cause, workerd says it in the message, some with a
 * reference of its own.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = (error.cause ?? error) as { code?: unknown }
  return typeof code === 'string' ? code : error.message.replace(/; reference = \w+$/, '')
}
