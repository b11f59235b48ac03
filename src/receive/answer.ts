import type { Log } from '../telemetry/log.ts'
import { maskCredentials, printable } from '../telemetry/printable.ts'
import { type RefusalStatus, RequestError, unavailable } from '../wire/request-error.ts'

/** What a sender is told: a verdict over origins, or a RequestError. */
export interface Told {
  readonly status: 204 | RefusalStatus
  /** Seconds, whole or not; counts with a 503 only. */
  readonly retryAfter?: number | undefined
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Senders read no more than 1024 bytes of what an answer says. */
const MAX_TEXT = 1000

/** Longest wait a sender is asked for, seconds: Prometheus sleeps all of it. */
const MAX_RETRY_AFTER = 120

/**
 * The answer to a remote write 1.0 request. A 204 has no body; all else says its message as one
 * printable line. Each 503 has a Retry-After in whole seconds, 1 to 120; 1 to 5 by `random`, which
 * is from [0, 1), where none is asked for. No `X-Prometheus-Remote-Write-*` headers: they belong to
 * 2.0, and Prometheus would count by them.
 */
export function answer(told: Told, random: () => number = Math.random): Response {
  const { status } = told
  if (status === 204) return new Response(null, { status })
  const headers = refusalHeaders(told, 'text/plain; charset=utf-8', random)
  return new Response(`${refusalText(told.message)}\n`, { status, headers })
}

/**
 * The headers of an answer that says what is wrong: those of `told`, the type of its body, and with a
 * 503 Retry-After as `answer` has it. The caller's.
 */
export function refusalHeaders(
  { status, headers: more, retryAfter: asked }: Told,
  contentType: string,
  random: () => number,
): Headers {
  const headers = new Headers(more)
  headers.set('Content-Type', contentType)
  // The body may quote the sender.
  headers.set('X-Content-Type-Options', 'nosniff')
  if (status === 503) headers.set('Retry-After', String(retryAfter(asked, random)))
  return headers
}

/** `message` as a sender may see it: one printable line of a length that is read, no credentials. */
export function refusalText(message: string): string {
  return printable(maskCredentials(message), MAX_TEXT)
}

/**
 * What to tell a sender whose request ended in `error`. A RequestError says it itself. Anything
 * else is logged, and the sender, who must neither read it nor drop the data, is told to send
 * again: 503, never 500.
 */
export function toldOf(error: unknown, log: Pick<Log, 'unexpected'>): RequestError {
  if (error instanceof RequestError) return error
  log.unexpected(error)
  return unavailable('unexpected', 'something unexpected happened here, send it again')
}

function retryAfter(asked: number | undefined, random: () => number): number {
  if (asked === undefined || !(asked > 0)) return 1 + Math.floor(random() * 5)
  return Math.min(Math.ceil(asked), MAX_RETRY_AFTER)
}
