import type { Protocol } from './write-kind.ts'

/** What the origin does to requests, beside taking them. */
export interface Script {
  /** Of everything random: the same requests in the same order get the same answers. */
  readonly seed: number
  readonly steps: readonly Step[]
}

/** One thing that is done, and to which requests: to those for which all that is said of them holds. */
export interface Step {
  readonly action: Action
  readonly when: When
}

/** What is done. Those above the line go together, of those below it the first is what becomes of the request. */
export type Action =
  | { readonly kind: 'latency'; readonly wait: Range }
  | { readonly kind: 'slow_read'; readonly bytesPerSecond: number }
  | { readonly kind: 'slow_answer'; readonly over: Range }
  // ----
  | Ending

/** What becomes of a request instead of being taken; only a broken answer comes after it was. */
export type Ending =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number }
  | { readonly kind: 'too_large'; readonly over: number; readonly of: 'body' | 'decoded' }
  | { readonly kind: 'login_page' }
  | { readonly kind: 'reset'; readonly at: ResetAt }

/** Where a connection is reset: before the body is read, or when the request was taken, inside the answer. */
export const RESETS = ['before_reading', 'in_head', 'in_body'] as const
export type ResetAt = (typeof RESETS)[number]

/** From and to, milliseconds; the same for a fixed time. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Requests that a step is for; what is missing is no condition. Requests are counted for each step by itself. */
export interface When {
  readonly protocol?: Protocol
  /** Milliseconds after the origin began. */
  readonly after?: number
  /** Milliseconds from then on. */
  readonly for?: number
  /** The first so many of those that the protocol and the time let through. */
  readonly first?: number
  /** Of the same each nth: 3 is the third, the sixth … */
  readonly every?: number
  /** Of the same a share, 0 to 1. */
  readonly share?: number
}
