import type { Protocol } from './request-writer.ts'
import { generationOf, type SeriesKind, type SeriesSet, shapeOf } from './series-set.ts'

/** What a receiver stores of one sample. */
export interface ExpectedSeries {
  readonly kind: SeriesKind
  /** Where its value is read, `__name__` among them, sorted by the bytes of their names. */
  readonly labels: ReadonlyMap<string, string>
  /**
   * `value`: a float sample that is the sequence number. `count`: a native histogram whose count is the sequence number.
   */
  readonly read: 'value' | 'count'
}

/** What a receiver stores for each series. */
export interface Expected {
  /** The series of this id in this round: with churn it is another one after its replacement. */
  series(seriesId: number, round: number): ExpectedSeries
}

/**
 * What a receiver stores, by series id and round. An explicit histogram of OTLP becomes several series, of which the one that ends in `_count` is told.
 */
export function expected(
  protocol: Protocol,
  set: SeriesSet,
  extraLabels: Readonly<Record<string, string>> = {},
): Expected {
  const explicit = protocol === 'otlp' || protocol === 'otlp-json'
  return {
    series(seriesId, round) {
      const { kind, labels: templates } = shapeOf(set, seriesId)
      const generation = generationOf(set, seriesId, round)
      const labels = Object.entries(extraLabels)
      for (const [name, template] of templates) {
        const value = template.evaluate(seriesId, generation)
        const suffix = name === '__name__' && kind === 'histogram' && explicit ? '_count' : ''
        labels.push([name, value + suffix])
      }
      labels.sort(([a], [b]) => (a < b ? -1 : 1))
      const read = kind === 'histogram' && !explicit ? 'count' : 'value'
      return { kind, labels: new Map(labels), read }
    },
  }
}
