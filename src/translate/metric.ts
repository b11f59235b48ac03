import { LabelPair } from '../relabel/label-pair.ts'
import { REASON_METRIC_NAME, REASON_UTF8 } from '../wire/layout.ts'
import { type MetricKind, type MetricNaming, metricName } from './metric-name.ts'
import { unitName } from './unit.ts'

/** What is added to a metric's name, whatever the strategy, for the series of histograms and summaries. */
export type Suffix = '' | '_bucket' | '_count' | '_sum'

/** A metric of OTLP as Prometheus calls it. */
export interface Metric {
  /** Empty when there is a problem. */
  readonly name: string
  /** 0, or REASON_METRIC_NAME or REASON_UTF8: none of its points can be accepted. */
  readonly problem: number
  /** Type of its metadata: a number of MetricMetadata (spec 1.1, 4.8). */
  readonly type: number
  /** Unit of its metadata: in words, always escaped (spec 4.8). */
  readonly unit: string
  /** The label `__name__` of one of its series: the same object each time. */
  pair(suffix: Suffix): LabelPair
}

/** Numbers of MetricMetadata.MetricType; an up-down counter is a gauge to Prometheus. */
const TYPES: Readonly<Record<MetricKind, number>> = {
  counter: 1,
  gauge: 2,
  'up-down-counter': 2,
  histogram: 3,
  'exponential-histogram': 3,
  summary: 5,
}

/** Strings with a flag each: whether they were UTF-8. */
export interface MetricText {
  readonly name: string
  readonly nameValid: boolean
  readonly unit: string
  readonly unitValid: boolean
}

/** Translates a metric's name and unit. */
export function translateMetric(text: MetricText, kind: MetricKind, naming: MetricNaming): Metric {
  const { name, unit } = text
  // Escaped, a unit's bad bytes are underscores like other odd characters; as it is, it would spoil the name.
  const valid = text.nameValid && (text.unitValid || naming.escape || !naming.suffixes)
  const translated = valid ? (metricName(name, unit, kind, naming) ?? '') : ''
  const problem = !valid ? REASON_UTF8 : translated === '' ? REASON_METRIC_NAME : 0
  const pairs = new Map<Suffix, LabelPair>()
  return {
    name: translated,
    problem,
    type: TYPES[kind],
    unit: unitName(unit),
    pair: (suffix) => {
      const pair = pairs.get(suffix) ?? new LabelPair('__name__', translated + suffix)
      pairs.set(suffix, pair)
      return pair
    },
  }
}
