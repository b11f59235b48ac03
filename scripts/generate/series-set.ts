import { type ShapeText, seriesShape } from './series-shape.ts'
import type { Template } from './template.ts'

/** What a series is. A histogram is native in remote write and has explicit buckets in OTLP. */
export type SeriesKind = 'gauge' | 'counter' | 'histogram'

/** Series of one form: they differ only in what their templates make of the series id. */
export interface SeriesShape {
  readonly kind: SeriesKind
  /** With `__name__`, sorted by the bytes of the names. No value is ever empty. */
  readonly labels: ReadonlyMap<string, Template>
  /** Metadata, for the protocols that have it. May be empty. */
  readonly help: string
  /** As OpenMetrics names it, such as `seconds`. May be empty. */
  readonly unit: string
}

/** Series that are replaced as time goes by, a group at once, as the series of a pod are. */
export interface Churn {
  /** So many series, one after the other, are replaced together. */
  readonly group: number
  /** Each round, one of so many groups is. */
  readonly rounds: number
}

/** Which series there are: series `i` has the form `shapes[i % shapes.length]`, and templates are evaluated with `i`. */
export interface SeriesSet {
  readonly shapes: readonly SeriesShape[]
  readonly churn?: Churn
}

/** The form of this series. */
export function shapeOf({ shapes }: SeriesSet, seriesId: number): SeriesShape {
  return shapes[seriesId % shapes.length]!
}

/** How often the series has been replaced in this round: 0 in the first, and always where there is no churn. */
export function generationOf({ churn }: SeriesSet, seriesId: number, round: number): number {
  if (churn === undefined) return 0
  const group = Math.floor(seriesId / churn.group)
  return Math.floor((round + (group % churn.rounds)) / churn.rounds)
}

/** Series of one form, from templates by label. Throws a clear Error when that makes no series, and TemplateProblem. */
export function seriesSet(text: ShapeText, churn?: Churn): SeriesSet {
  const set = { shapes: [seriesShape(text)] }
  if (churn === undefined) return set
  if (!isCount(churn.group) || !isCount(churn.rounds)) {
    throw new Error('churn takes whole numbers from 1')
  }
  return { ...set, churn }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0
}
