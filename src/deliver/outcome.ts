import { type AnswerStart, discardBody, type Patience, readStart } from './answer-body.ts'
import { oneLine } from './one-line.ts'
import { redact } from './redact.ts'
import { parseRetryAfter } from './retry-after.ts'

/** What became of one payload at one origin. Messages are one printable line without secrets. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly status: number }
  /** About the data: sending it again can't help. */
  | { readonly kind: 'rejected'; readonly status: number; readonly message: string }
  /** 413: less of it may be taken. */
  | { readonly kind: 'too-large'; readonly status: number; readonly message: string }
  /**
   * Sending it again later may help. `status` where there was an answer, `retryAfter` in
   * milliseconds where it asked.
   */
  | {
      readonly kind: 'busy'
      readonly status?: number
      readonly retryAfter?: number
      readonly message: string
    }
  /** Our operator's mistake. `status` is 0 when the request could not even be made. */
  | { readonly kind: 'misconfigured'; readonly status: number; readonly message: string }

/** Whom an answer is from, and what may not be repeated of it. */
export interface Answerer {
  readonly name: string
  readonly secrets: readonly string[]
}

const MAX_MESSAGE = 256
const MAX_NAME = 64

/** The longest that the body of a success is waited for; nothing in it matters. Milliseconds. */
const SUCCESS_PATIENCE = 100

/**
 * Sorts an answer: 2xx delivered; 413 too large; 401, 403, 404 and 3xx misconfigured; 408, 425, 429 and 5xx
 * busy; other 4xx rejected; a status that is none of these busy. Uses the response up. `now` is
 * epoch milliseconds. Never rejects.
 */
export async function classify(
  response: Response,
  from: Answerer,
  now: number,
  patience: Patience,
): Promise<Outcome> {
  const { status, headers } = response
  const kind = kindOf(status)
  if (kind === 'delivered') {
    // Read, not cancelled, if it is short: on workerd a cancelled body costs its connection.
    await readStart(response, { ...patience, ms: Math.min(patience.ms, SUCCESS_PATIENCE) })
    return { kind, status }
  }
  const message = await messageOf(response, from, patience)
  if (kind !== 'busy') return { kind, status, message }
  const retryAfter = parseRetryAfter(headers.get('retry-after'), now)
  return { kind, status, message, ...(retryAfter !== undefined && { retryAfter }) }
}

/** A message about an origin that said nothing itself. */
export function about(origin: Answerer, text: string): string {
  return oneLine(`${named(origin)}: ${redact(text, origin.secrets)}`, MAX_MESSAGE)
}

function kindOf(status: number): Outcome['kind'] {
  if (status >= 200 && status < 300) return 'delivered'
  if (status >= 300 && status < 400) return 'misconfigured'
  if (status === 401 || status === 403 || status === 404) return 'misconfigured'
  if (status === 413) return 'too-large'
  if (status === 408 || status === 425 || status === 429) return 'busy'
  if (status >= 400 && status < 500) return 'rejected'
  return 'busy'
}

async function messageOf(response: Response, from: Answerer, patience: Patience): Promise<string> {
  const { status } = response
  const head = `${named(from)} answered ${status}`
  const text =
    status >= 300 && status < 400
      ? leadsTo(response)
      : firstLine(from, await readStart(response, patience))
  return oneLine(text === '' ? head : `${head}: ${text}`, MAX_MESSAGE)
}

/** Only the host of a redirect: path and query of a login page may hold anything. */
function leadsTo(response: Response): string {
  discardBody(response)
  const host = URL.parse(response.headers.get('location') ?? '')?.host
  return host ? `a redirect to ${host}` : 'a redirect'
}

function firstLine(from: Answerer, { text, cut }: AnswerStart): string {
  return (
    redact(text, from.secrets, cut)
      .trimStart()
      .split(/[\r\n]/, 1)[0] ?? ''
  )
}

function named(origin: Answerer): string {
  return `origin ${oneLine(origin.name, MAX_NAME)}`
}
