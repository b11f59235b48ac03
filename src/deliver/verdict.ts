import { printable } from '../telemetry/printable.ts'
import type { OriginResult } from './origin-result.ts'
import { MAX_RETRY_AFTER } from './retry-after.ts'

/** What the sender is told about a whole request. */
export interface Verdict {
  readonly status: 204 | 400 | 503
  /** With 503 only. Whole seconds, 1 to 120. */
  readonly retryAfter?: number
  /** One printable line of at most 512 characters; empty with 204. */
  readonly message: string
}

const MAX_MESSAGE = 512
const REASONS = 3

/**
 * One verdict over all origins that decide (`on_failure: reject`) and our own rejections: 503 beats
 * 400 beats 204. Retry-After is the longest that any busy origin asked for, 1 to 5 s by `random` (0
 * to 1) where none did.
 */
export function verdict(
  results: readonly { readonly result: OriginResult }[],
  own: { readonly rejected: readonly string[] },
  random: () => number,
): Verdict {
  const deciding = results
    .map(({ result }) => result)
    .filter(({ origin }) => origin.onFailure === 'reject')
  const busy = deciding.filter(({ worst }) => worst === 'busy')
  if (busy.length > 0) {
    const asked = Math.max(...busy.map(({ retryAfter }) => retryAfter ?? 0))
    return { status: 503, retryAfter: seconds(asked, random), message: first(messagesOf(busy)) }
  }
  const rejected = deciding.filter(({ worst }) => worst === 'rejected')
  if (rejected.length === 0 && own.rejected.length === 0) return { status: 204, message: '' }
  return { status: 400, message: first([...own.rejected, ...messagesOf(rejected)]) }
}

function seconds(asked: number, random: () => number): number {
  if (asked <= 0) return 1 + Math.min(4, Math.floor(random() * 5))
  return Math.ceil(Math.min(asked, MAX_RETRY_AFTER) / 1000)
}

/** One message of each origin before the second of any. */
function messagesOf(results: readonly OriginResult[]): string[] {
  const rows = results.map(({ messages }) => messages)
  const longest = Math.max(0, ...rows.map((row) => row.length))
  return Array.from({ length: longest }, (_, i) =>
    rows.flatMap((row) => row.slice(i, i + 1)),
  ).flat()
}

function first(reasons: readonly string[]): string {
  const more = reasons.length - REASONS
  const shown = reasons.slice(0, REASONS).join('; ')
  return printable(more > 0 ? `${shown}; and ${more} more` : shown, MAX_MESSAGE)
}
