/** Something whose time and memory are measured, over and over. */
export interface Work {
  /** Puts things as they are to be before each `run`. Not measured. */
  readonly before?: () => void
  /** One operation. When it returns a promise, its end counts. */
  readonly run: () => unknown
}

/** Both ways to do the same. */
export interface Ways {
  readonly sluice: Work
  readonly plain?: Work
}

/** One line of the benchmark. */
export interface BenchCase {
  /** Stable: filters, notes and changelogs refer to it. */
  readonly name: string
  /** What one operation handles. */
  readonly items: number
  readonly unit: 'series' | 'sample' | 'KiB'
  /** Called in the process that measures, which is this case's alone. */
  readonly make: () => Ways
}

/** What was measured of one way. */
export interface Measurement {
  /** Median time of one operation. Nanoseconds. */
  readonly time: number
  /** Bytes that one operation allocates: JavaScript's heap and the buffers outside of it. */
  readonly bytes: number
  /** Objects on JavaScript's heap that one operation allocates. */
  readonly allocations: number
  /** How many operations were timed. */
  readonly samples: number
}

/** What was measured of a case. */
export interface CaseResult {
  readonly name: string
  readonly items: number
  readonly unit: BenchCase['unit']
  readonly sluice: Measurement
  readonly plain?: Measurement
}
