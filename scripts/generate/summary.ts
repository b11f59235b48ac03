import type { Totals } from './totals.ts'

/** What a load came to; this is what `--json` prints. Times are milliseconds unless their names say otherwise. */
export interface Summary {
  readonly seconds: number
  /** Whether it was ended before its time. */
  readonly interrupted: boolean
  readonly requests: number
  readonly samples: number
  readonly samplesPerSecond: number
  readonly acknowledged: { readonly requests: number; readonly samples: number }
  readonly bytes: { readonly raw: number; readonly compressed: number }
  readonly statuses: Readonly<Record<string, number>>
  readonly failures: Readonly<Record<string, number>>
  /** null when nothing was answered. */
  readonly latency: {
    readonly p50: number
    readonly p90: number
    readonly p99: number
    readonly max: number
  } | null
  /** Requests that were due before the end and never begun. */
  readonly unsent: number
  /** How far samples' times were ahead of the time of day. */
  readonly ahead: number
  readonly firstError?: string
}

/** What is known besides the totals. */
export interface SummaryFacts {
  readonly milliseconds: number
  readonly interrupted: boolean
  readonly unsent: number
  readonly ahead: number
}

/** Sums a load up. */
export function summaryOf(totals: Totals, facts: SummaryFacts): Summary {
  const { requests, samples, acknowledged, rawBytes, bytes, latencies, firstError } = totals
  const { milliseconds, interrupted, unsent, ahead } = facts
  return {
    seconds: milliseconds / 1000,
    interrupted,
    requests,
    samples,
    samplesPerSecond: milliseconds === 0 ? 0 : (samples / milliseconds) * 1000,
    acknowledged: { ...acknowledged },
    bytes: { raw: rawBytes, compressed: bytes },
    statuses: Object.fromEntries(totals.statuses),
    failures: Object.fromEntries(totals.failures),
    latency:
      latencies.count === 0
        ? null
        : {
            p50: latencies.at(0.5),
            p90: latencies.at(0.9),
            p99: latencies.at(0.99),
            max: latencies.max,
          },
    unsent,
    ahead,
    ...(firstError !== undefined && { firstError }),
  }
}
