import type { Chunks } from '../chunks.ts'
import type { Expected } from '../expected.ts'
import type { SentLog } from '../sent-log.ts'
import type { SeriesSet } from '../series-set.ts'

/** What verification knows of a run. */
export interface RunFacts {
  /** The value of the label `generate_run`. */
  readonly run: string
  /** With the labels that verification needs. */
  readonly set: SeriesSet
  readonly chunks: Chunks
  readonly sent: SentLog
  /** What a receiver stores for each of its series. */
  readonly expected: Expected
  /** Whether histograms have explicit buckets: then each is many series, of which one is looked at. */
  readonly explicit: boolean
  /** Whether all series are histograms. */
  readonly onlyHistograms: boolean
}
