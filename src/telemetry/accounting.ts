import type { ItemKind } from './metrics.ts'

/** A number of items of each kind. */
export type ItemCounts = Readonly<Record<ItemKind, number>>

/** What became of one write request: the sums behind its answer. */
export interface RequestAccounting {
  /** What the sender was told; nothing of it where this is about an origin that had no say. */
  readonly status?: number
  /** The answer's `RequestError.code`, or a fixed name for what was not well; throttled by it. */
  readonly reason: string
  readonly tenant: string
  /** What the sender read. */
  readonly message?: string
  /** Body as it arrived and decoded. */
  readonly compressedBytes?: number
  readonly decodedBytes?: number
  readonly received?: ItemCounts
  /** By ingress rules. */
  readonly dropped?: ItemCounts
  /** By ourselves, at ingress. */
  readonly rejected?: ItemCounts
  /** OTLP: data points rejected at ingress, which nothing else counts. */
  readonly rejectedPoints?: number
  readonly origins?: readonly OriginAccounting[]
}

/** What became of one write request at one origin. */
export interface OriginAccounting {
  readonly origin: string
  readonly delivered: ItemCounts
  /** By this origin's rules. */
  readonly dropped: ItemCounts
  /** By the origin, or by ourselves for this origin alone. */
  readonly rejected: ItemCounts
  readonly superseded: ItemCounts
  readonly failed: ItemCounts
  /** Status of the answer that decided, where there was one. */
  readonly status?: number
  /** What the origin said, where it did not take all. */
  readonly message?: string
}

/**
 * Whether all that was sent went where it was to go. Items that a rule dropped or a later one
 * superseded did.
 */
export function isWell({
  status = 0,
  rejected,
  rejectedPoints = 0,
  origins = [],
}: RequestAccounting): boolean {
  const none = (counts: ItemCounts | undefined): boolean =>
    counts === undefined || Object.values(counts).every((count) => count === 0)
  return (
    status < 300 &&
    none(rejected) &&
    rejectedPoints === 0 &&
    origins.every((origin) => none(origin.rejected) && none(origin.failed))
  )
}
