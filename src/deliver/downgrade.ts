import type { OriginConfig } from '../config/types.ts'
import type { Outcome } from './outcome.ts'
import type { Payload } from './payload.ts'
import { isCommon } from './protocol.ts'

/** The outcome of a payload that an origin did not read, for its protocol. */
export type Refusal = Extract<Outcome, { kind: 'rejected' }>

/** What one delivery has learnt about the protocols of its origin. */
export interface Downgrade {
  /** A payload's protocol was refused. The first time in a delivery this is told on. */
  refused(refusal: Refusal): void
  /** How this payload would be refused, as far as is known. */
  foreseen(payload: Payload): Refusal | undefined
}

/** Nothing is known at first. All payloads that are not in the common protocol are of one other. */
export function downgradeOf(
  origin: OriginConfig,
  told: (origin: OriginConfig, reason: string) => void,
): Downgrade {
  let first: Refusal | undefined
  return {
    refused(refusal) {
      if (first !== undefined) return
      first = refusal
      told(origin, refusal.message)
    },
    foreseen: ({ protocol }) => (isCommon(protocol) ? undefined : first),
  }
}

/** Whether this outcome is about the protocol alone: the same data may be taken in the common one. */
export function isRefusal(outcome: Outcome): outcome is Refusal {
  return outcome.kind === 'rejected' && outcome.unread === true
}
