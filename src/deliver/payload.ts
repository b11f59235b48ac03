import type { Protocol } from './protocol.ts'

/** Items a payload carries. A histogram is one item, whatever its buckets. */
export interface Counts {
  readonly samples: number
  readonly histograms: number
  readonly exemplars: number
  readonly metadata: number
  /** What an OTLP sender calls a point, where it sent them: some items together. 0 when missing. */
  readonly points?: number
}

/**
 * One compressed request body on its way to one origin. This room knows no formats: bytes and
 * counts are all it sees.
 */
export interface Payload {
  /**
   * The compressed body. Owned by the payload until `deliver` has settled it, then given back by
   * `release`. It is read anew at each `fetch` (which copies it when called), never in between and
   * never after `release`.
   */
  readonly bytes: Uint8Array
  /** What the bytes are, for those who read them: the headers say so. */
  readonly protocol: Protocol
  readonly counts: Counts
  /**
   * It goes on with a series of an earlier payload of its list: it may not travel before all
   * earlier ones are settled. Without it, no series of this payload is in any earlier one.
   */
  readonly after: boolean
  /**
   * Gives the bytes back. Idempotent; called by `deliver` exactly when the bytes are no longer
   * needed.
   */
  release(): void
}

/** What is known of a payload when its answer comes, though its bytes may be gone. */
export type Sent = Pick<Payload, 'protocol' | 'counts'>

/** No item of any kind. */
export const NO_COUNTS: Counts = Object.freeze({
  samples: 0,
  histograms: 0,
  exemplars: 0,
  metadata: 0,
})

/** The sum of two counts, kind by kind, as a new object. */
export function addCounts(a: Counts, b: Counts): Counts {
  return {
    samples: a.samples + b.samples,
    histograms: a.histograms + b.histograms,
    exemplars: a.exemplars + b.exemplars,
    metadata: a.metadata + b.metadata,
    ...pointsOf(a, b, 1),
  }
}

/** `a` without `b`, kind by kind, as a new object. `b` has no more of any kind. */
export function subtractCounts(a: Counts, b: Counts): Counts {
  return {
    samples: a.samples - b.samples,
    histograms: a.histograms - b.histograms,
    exemplars: a.exemplars - b.exemplars,
    metadata: a.metadata - b.metadata,
    ...pointsOf(a, b, -1),
  }
}

function pointsOf(a: Counts, b: Counts, sign: 1 | -1): { points?: number } {
  if (a.points === undefined && b.points === undefined) return {}
  return { points: (a.points ?? 0) + sign * (b.points ?? 0) }
}

/** Whether there is anything but metadata. */
export function hasPoints({ samples, histograms, exemplars }: Counts): boolean {
  return samples + histograms + exemplars > 0
}

/** Everything these payloads carry. */
export function countsOf(payloads: readonly Payload[]): Counts {
  return payloads.reduce((sum, payload) => addCounts(sum, payload.counts), NO_COUNTS)
}

/** Whether both count the same, kind by kind. */
export function sameCounts(a: Counts, b: Counts): boolean {
  return (
    a.samples === b.samples &&
    a.histograms === b.histograms &&
    a.exemplars === b.exemplars &&
    a.metadata === b.metadata
  )
}
