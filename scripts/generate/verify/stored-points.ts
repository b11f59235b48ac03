/** A point as a receiver has it. */
export interface StoredPoint {
  /** Milliseconds since 1970. */
  readonly timestamp: number
  /** `count`: what a native histogram counts. */
  readonly read: 'value' | 'count'
  /** As the receiver writes it. */
  readonly text: string
}

/** A series as a receiver has it, or a part of it. */
export interface StoredSeries {
  /** With `__name__`. */
  readonly labels: Readonly<Record<string, string>>
  readonly points: Iterable<StoredPoint>
}
