import type { OriginConfig } from '../config/types.ts'
import type { Outcome } from './outcome.ts'
import { addCounts, type Counts, NO_COUNTS, subtractCounts } from './payload.ts'

/**
 * What became of everything one request had for one origin. `delivered` + `rejected` + `failed` is
 * what its payloads carried, where some were repacked what these carried instead.
 */
export interface OriginResult {
  readonly origin: OriginConfig
  readonly delivered: Counts
  /** Can never be taken: the sender must not send it again. */
  readonly rejected: Counts
  /** Was not taken, or never sent: the sender should send it again. */
  readonly failed: Counts
  /**
   * Outcomes by kind, one for each payload, half or repacked one that was tried, with its retry and redirect. A refused
   * protocol and a partial write are `rejected`.
   */
  readonly requests: Readonly<Record<Outcome['kind'], number>>
  /** Body bytes handed to `fetch`, those of retries and redirects too. */
  readonly bytesOut: number
  readonly worst: 'delivered' | 'rejected' | 'busy'
  /** The longest wait it asked for. Milliseconds. */
  readonly retryAfter?: number
  /** It answered in a way that only our operator can mend: the first such message. */
  readonly misconfigured?: string
  /** The first three different ones, those about busy before those about rejected. */
  readonly messages: readonly string[]
}

/** Sums up outcomes. Each payload's counts must be given to exactly one of `settle` and `fail`. */
export interface Tally {
  /** An outcome came, of whatever kind. */
  asked(outcome: Outcome): void
  /** Body bytes were handed to `fetch`. */
  sent(bytes: number): void
  /**
   * This outcome was the last of what it is about. Says whether later payloads may still be sent.
   */
  settle(outcome: Outcome, counts: Counts): 'go on' | 'stop'
  /** These were not taken, for the reason in `message`, or for one that is known already. */
  fail(counts: Counts, message?: string): void
  result(): OriginResult
}

const MESSAGES = 3

/** An empty tally for one origin and one request. */
export function tallyFor(origin: OriginConfig): Tally {
  const requests = { delivered: 0, rejected: 0, 'too-large': 0, busy: 0, misconfigured: 0 }
  const rejections = new Set<string>()
  const failures = new Set<string>()
  let [delivered, rejected, failed] = [NO_COUNTS, NO_COUNTS, NO_COUNTS]
  let worst: OriginResult['worst'] = 'delivered'
  let bytesOut = 0
  let retryAfter: number | undefined
  let misconfigured: string | undefined

  const fail = (counts: Counts, message?: string) => {
    failed = addCounts(failed, counts)
    worst = 'busy'
    if (message !== undefined) remember(failures, message)
  }

  return {
    asked(outcome) {
      requests[outcome.kind]++
      if (outcome.kind === 'misconfigured') misconfigured ??= outcome.message
    },
    sent(bytes) {
      bytesOut += bytes
    },
    settle(outcome, counts) {
      if (outcome.kind === 'delivered') {
        delivered = addCounts(delivered, counts)
        return 'go on'
      }
      if (isAboutData(outcome, origin)) {
        const written = (outcome.kind === 'rejected' && outcome.written) || NO_COUNTS
        delivered = addCounts(delivered, written)
        rejected = addCounts(rejected, subtractCounts(counts, written))
        if (worst === 'delivered') worst = 'rejected'
        remember(rejections, outcome.message)
        return 'go on'
      }
      fail(counts, outcome.message)
      if (outcome.kind === 'busy' && outcome.retryAfter !== undefined) {
        retryAfter = Math.max(retryAfter ?? 0, outcome.retryAfter)
      }
      return 'stop'
    },
    fail,
    result: () => ({
      origin,
      delivered,
      rejected,
      failed,
      requests: { ...requests },
      bytesOut,
      worst,
      ...(retryAfter !== undefined && { retryAfter }),
      ...(misconfigured !== undefined && { misconfigured }),
      messages: [...failures, ...rejections].slice(0, MESSAGES),
    }),
  }
}

/**
 * `on_misconfigured: reject` speaks of 401, 403 and 404 only: a redirect to a login page is never
 * the sender's fault.
 */
function isAboutData(outcome: Outcome, origin: OriginConfig): boolean {
  if (outcome.kind === 'rejected' || outcome.kind === 'too-large') return true
  if (outcome.kind !== 'misconfigured' || origin.onMisconfigured !== 'reject') return false
  return outcome.status >= 400
}

function remember(messages: Set<string>, message: string): void {
  if (messages.size < MESSAGES) messages.add(message)
}
