import { acknowledgement } from './acknowledgement.ts'
import type { Answer } from './answer.ts'
import { createLatencies, type Latencies } from './latencies.ts'
import type { Protocol } from './request-writer.ts'
import type { Shown } from './secrets.ts'

/** What is known of a load so far. */
export interface Totals {
  /** What was sent, or begun to. */
  readonly requests: number
  readonly samples: number
  /** Bodies, before they were compressed and as they were sent. */
  readonly rawBytes: number
  readonly bytes: number
  /** Of them what the receiver said that it took. */
  readonly acknowledged: { readonly requests: number; readonly samples: number }
  /** Requests that were answered, by status. */
  readonly statuses: ReadonlyMap<number, number>
  /** Requests that were not, by kind of failure. */
  readonly failures: ReadonlyMap<string, number>
  /** Of those that were answered or ran out of time. */
  readonly latencies: Latencies
  /** The first answer that was not all good, as it may be shown. */
  readonly firstError: string | undefined
}

/** Counts a load. */
export interface Counting extends Totals {
  begun(samples: number, rawBytes: number, bytes: number): void
  /** Returns whether all of the request was acknowledged. `latency` in milliseconds. */
  ended(answer: Answer, samples: number, latency: number): boolean
}

/** Counts from zero. */
export function createCounting(protocol: Protocol, shown: Shown): Counting {
  const acknowledged = { requests: 0, samples: 0 }
  const statuses = new Map<number, number>()
  const failures = new Map<string, number>()
  const latencies = createLatencies()
  const totals = { requests: 0, samples: 0, rawBytes: 0, bytes: 0 }
  let firstError: string | undefined
  return {
    get requests() {
      return totals.requests
    },
    get samples() {
      return totals.samples
    },
    get rawBytes() {
      return totals.rawBytes
    },
    get bytes() {
      return totals.bytes
    },
    get firstError() {
      return firstError
    },
    acknowledged,
    statuses,
    failures,
    latencies,
    begun(samples, rawBytes, bytes) {
      totals.requests += 1
      totals.samples += samples
      totals.rawBytes += rawBytes
      totals.bytes += bytes
    },
    ended(answer, samples, latency) {
      if ('status' in answer) addTo(statuses, answer.status)
      else addTo(failures, answer.failure)
      if ('status' in answer || answer.failure === 'timeout') latencies.add(latency)
      const well = acknowledgement(protocol, answer, samples)
      if (well !== true) {
        firstError ??= shown(well)
        return false
      }
      acknowledged.requests += 1
      acknowledged.samples += samples
      return true
    },
  }
}

function addTo<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
