import { type Patience, readStart } from './answer-body.ts'
import { type Answerer, answered, leadsTo } from './origin-message.ts'
import { type Counts, hasPoints, type Sent, sameCounts } from './payload.ts'
import { refusesProtocol } from './protocol-refusal.ts'
import { parseRetryAfter } from './retry-after.ts'
import { shareOf, writtenOf } from './written.ts'

/** What became of one payload at one origin. Messages are one printable line without secrets. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly status: number }
  /**
   * Sending it again in the same form can't help. It is about the data, of which `written` was taken all the same, or it
   * is about the protocol: then it is `unread`, and nothing of it was taken. `status` is 2xx when a receiver of 2.0 wrote
   * less than it was sent, and when one of 1.0 read nothing.
   */
  | {
      readonly kind: 'rejected'
      readonly status: number
      readonly message: string
      readonly written?: Counts
      readonly unread?: true
    }
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

/** The longest that the body of a success is waited for; nothing in it matters. Milliseconds. */
const SUCCESS_PATIENCE = 100

/**
 * Sorts the answer to what was `sent`: 2xx delivered, unless a receiver of 2.0 says that it wrote less, or does not say;
 * 413 too large; 401, 403, 404 and 3xx misconfigured; 408, 425, 429 and 5xx busy; other 4xx rejected; a status that is
 * none of these busy. Uses the response up. `now` is epoch milliseconds. Never rejects.
 */
export async function classify(
  response: Response,
  sent: Sent,
  from: Answerer,
  now: number,
  patience: Patience,
): Promise<Outcome> {
  const { status, headers } = response
  const kind = kindOf(status)
  if (kind === 'delivered') {
    // Read, not cancelled, if it is short: on workerd a cancelled body costs its connection.
    await readStart(response, { ...patience, ms: Math.min(patience.ms, SUCCESS_PATIENCE) })
    return taken(response, sent, from)
  }
  const start = isRedirect(status) ? leadsTo(response) : await readStart(response, patience)
  if (kind === 'rejected') {
    const written = writtenOf(response, sent)
    if (written !== undefined && hasPoints(written)) {
      const all = sameCounts(written, sent.counts)
      const remark = all ? undefined : `wrote ${shareOf(written, sent.counts)}`
      return { kind, status, message: answered(from, status, start, remark), written }
    }
    const unread = refusesProtocol(status, start.text, sent.protocol)
    return { kind, status, message: answered(from, status, start), ...(unread && { unread }) }
  }
  const message = answered(from, status, start)
  if (kind !== 'busy') return { kind, status, message }
  const retryAfter = parseRetryAfter(headers.get('retry-after'), now)
  return { kind, status, message, ...(retryAfter !== undefined && { retryAfter }) }
}

/** What a 2xx means: to a payload of 1.0 success, to one of 2.0 what its Written headers say. */
function taken(response: Response, sent: Sent, from: Answerer): Outcome {
  const { status } = response
  const { protocol, counts } = sent
  const written = writtenOf(response, sent)
  const complete =
    written === undefined
      ? protocol.message === 1 || !hasPoints(counts)
      : sameCounts(written, counts)
  if (complete) return { kind: 'delivered', status }
  const remark =
    written === undefined
      ? 'but does not say what it wrote: it may not know remote write 2.0'
      : `but wrote ${shareOf(written, counts)}`
  const message = answered(from, status, { text: '', cut: false }, remark)
  return { kind: 'rejected', status, message, ...(written ? { written } : { unread: true }) }
}

function kindOf(status: number): Outcome['kind'] {
  if (status >= 200 && status < 300) return 'delivered'
  if (isRedirect(status)) return 'misconfigured'
  if (status === 401 || status === 403 || status === 404) return 'misconfigured'
  if (status === 413) return 'too-large'
  if (status === 408 || status === 425 || status === 429) return 'busy'
  if (status >= 400 && status < 500) return 'rejected'
  return 'busy'
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400
}
