import type { Limits } from '../config/types.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { LabelPair } from '../relabel/label-pair.ts'
import { LabelSet } from '../relabel/label-set.ts'
import type { Attribute } from '../translate/attribute.ts'
import { boundText } from '../translate/bound-text.ts'
import type { Metric, Suffix } from '../translate/metric.ts'
import type { MetricKind } from '../translate/metric-name.ts'
import type { Resource } from '../translate/resource.ts'
import type { Scope } from '../translate/scope.ts'
import type { Translator } from '../translate/translator.ts'
import {
  CONTEXT,
  MAX_GROUP,
  MAX_LABELS,
  OTLP_COUNTER,
  OTLP_EXEMPLAR,
  OTLP_EXPONENTIAL,
  OTLP_GAUGE,
  OTLP_HISTOGRAM,
  OTLP_SUM,
  OTLP_SUMMARY,
  OTLP_TARGET,
  REASON_BOUNDS,
  REASON_TOO_MANY_BUCKETS,
  REASON_TOO_MANY_LABELS,
  STATUS_DROPPED,
  STATUS_GROUP,
  STATUS_OK,
} from '../wire/layout.ts'
import { exemplarLabels } from './exemplar-labels.ts'
import { metricMetadata } from './metric-metadata.ts'
import { FULL, type SeriesRules } from './series-rules.ts'
import { type TextBounds, textBounds } from './text-bounds.ts'

/** How points of OTLP become series. */
export interface Translation {
  readonly translator: Translator
  /** Explicit histograms become classic series, native ones with custom buckets, or both. */
  readonly classic: boolean
  readonly native: boolean
}

const KINDS: Readonly<Record<number, MetricKind>> = {
  [OTLP_GAUGE]: 'gauge',
  [OTLP_SUM]: 'up-down-counter',
  [OTLP_COUNTER]: 'counter',
  [OTLP_HISTOGRAM]: 'histogram',
  [OTLP_EXPONENTIAL]: 'exponential-histogram',
  [OTLP_SUMMARY]: 'summary',
}

/** A metric as its pair in the table says it. */
interface KnownMetric {
  readonly kind: number
  readonly metric: Metric
  /** Its metadata without the help text: fields of MetricMetadata. */
  readonly metadata: Uint8Array | undefined
}

/**
 * What a data point of OTLP becomes when it is met for the first time: a group, whose members are its series. `otlp-series.ts` of the kernel says what its key holds and
 * in which order it wants the members. Keeps what it translated for as long as a generation of the table lasts.
 */
export class PointTable {
  readonly #kernel: Kernel
  readonly #rules: SeriesRules
  readonly #longest: TextBounds
  readonly #translation: Translation
  #attributes: Attribute[] = []
  readonly #resources = new Map<number, Resource>()
  readonly #scopes = new Map<number, Scope>()
  readonly #metrics = new Map<number, KnownMetric>()
  /** Labels `le` and `quantile` by their text. */
  readonly #bounds = new Map<string, LabelPair>()
  readonly #point: Attribute[] = []
  readonly #labels: LabelPair[] = []
  readonly #member = new LabelSet()
  readonly #targetName = new LabelPair('__name__', 'target_info')

  constructor(
    kernel: Kernel,
    rules: SeriesRules,
    limits: Pick<Limits, 'labelValue'>,
    translation: Translation,
  ) {
    this.#kernel = kernel
    this.#rules = rules
    this.#longest = textBounds(limits.labelValue)
    this.#translation = translation
  }

  /** See `Translator.joined`. */
  get joined(): number {
    return this.#translation.translator.joined
  }

  /** Forgets everything about the young generation: call it whenever the table turned over. */
  forget(): void {
    this.#attributes = []
    this.#resources.clear()
    this.#scopes.clear()
    this.#metrics.clear()
    this.#bounds.clear()
  }

  /** Adds the group of the point of the last MISS. False when the generation is full. */
  miss(): boolean {
    const kernel = this.#kernel
    const about = kernel.missPair(2)
    const kind = kernel.pairBytes(about)[0]!
    // All that was interned for the key is read before anything is added.
    const resource = kernel.missPair(0)
    const scope = kernel.missPair(1)
    const bounds = kernel.missPair(3)
    this.#takeAttributes(kernel.missLabels)
    kernel.beginGroup()
    if (kind === OTLP_TARGET) return this.#target(this.#resourceOf(resource))
    if (kind === OTLP_EXEMPLAR) return this.#exemplar(kernel.pairBytes(about)[1]!)
    const known = this.#metricOf(about)
    const from = this.#resourceOf(resource)
    const refused =
      known.metric.problem ||
      this.#translation.translator.labels(from, this.#scopeOf(scope), this.#point, this.#labels)
    const status = refused || this.#addSeries(known, bounds)
    if (status === FULL) return false
    if (status !== STATUS_OK) return kernel.insertPoint(status, 0)
    const { metadata } = known
    const meta = metadata === undefined ? 0 : kernel.internBytes(metadata)
    if (metadata !== undefined && meta === 0) return false
    return kernel.insertPoint(STATUS_GROUP, meta)
  }

  #takeAttributes(n: number): void {
    const kernel = this.#kernel
    const point = this.#point
    point.length = 0
    for (let i = CONTEXT; i < n; i++) {
      const pair = kernel.missPair(i)
      const number = kernel.pairNumber(pair)
      const known = this.#attributes[number]
      if (known !== undefined) {
        point.push(known)
        continue
      }
      const { translator } = this.#translation
      const attribute = this.#longest.attribute(
        translator.attribute(message(kernel.pairBytes(pair))),
      )
      this.#attributes[number] = attribute
      point.push(attribute)
    }
  }

  #resourceOf(pair: number): Resource {
    const number = this.#kernel.pairNumber(pair)
    let resource = this.#resources.get(number)
    if (resource === undefined) {
      const { translator } = this.#translation
      resource = this.#longest.resource(translator.resource(this.#kernel.pairBytes(pair)))
      this.#resources.set(number, resource)
    }
    return resource
  }

  #scopeOf(pair: number): Scope | undefined {
    const bytes = this.#kernel.pairBytes(pair)
    if (bytes.length === 0) return undefined
    const number = this.#kernel.pairNumber(pair)
    let scope = this.#scopes.get(number)
    if (scope === undefined) {
      const end = 4 + readU32(bytes, 0)
      const { translator } = this.#translation
      scope = this.#longest.scope(translator.scope(bytes.subarray(4, end), bytes.subarray(end)))
      this.#scopes.set(number, scope)
    }
    return scope
  }

  #metricOf(pair: number): KnownMetric {
    const number = this.#kernel.pairNumber(pair)
    let known = this.#metrics.get(number)
    if (known === undefined) {
      const bytes = this.#kernel.pairBytes(pair)
      const kind = bytes[0]!
      const end = 5 + readU32(bytes, 1)
      const metric = this.#translation.translator.metric(
        bytes.subarray(5, end),
        bytes.subarray(end),
        KINDS[kind]!,
      )
      known = { kind, metric, metadata: metricMetadata(metric) }
      this.#metrics.set(number, known)
    }
    return known
  }

  /** Adds the members of a metric's point. STATUS_OK, the REASON_ why the point is rejected, or FULL. */
  #addSeries({ kind, metric }: KnownMetric, bounds: number): number {
    if (kind === OTLP_HISTOGRAM) return this.#addHistogram(metric, bounds)
    if (kind === OTLP_SUMMARY) return this.#addSummary(metric, bounds)
    return this.#add(metric, '')
  }

  #addHistogram(metric: Metric, bounds: number): number {
    const { classic, native } = this.#translation
    const values = doubles(this.#kernel.pairBytes(bounds))
    if (!ascend(values)) return REASON_BOUNDS
    // An upper bound of the last bucket is what +Inf is anyway.
    if (values.at(-1) === Infinity) values.pop()
    if (values.length > MAX_GROUP - 4) return REASON_TOO_MANY_BUCKETS
    if (classic) {
      for (const value of [...values, Infinity]) {
        const status = this.#add(metric, '_bucket', this.#bound('le', value))
        if (status !== STATUS_OK) return status
      }
      const status = this.#add(metric, '_count') || this.#add(metric, '_sum')
      if (status !== STATUS_OK) return status
    }
    return native ? this.#add(metric, '') : STATUS_OK
  }

  #addSummary(metric: Metric, quantiles: number): number {
    const values = doubles(this.#kernel.pairBytes(quantiles))
    if (values.length > MAX_GROUP - 4) return REASON_TOO_MANY_BUCKETS
    if (new Set(values.map(boundText)).size < values.length) return REASON_BOUNDS
    const status = this.#add(metric, '_sum') || this.#add(metric, '_count')
    if (status !== STATUS_OK) return status
    for (const value of values) {
      const status = this.#add(metric, '', this.#bound('quantile', value))
      if (status !== STATUS_OK) return status
    }
    return STATUS_OK
  }

  #bound(name: string, value: number): LabelPair {
    const text = boundText(value)
    const key = name + text
    let pair = this.#bounds.get(key)
    if (pair === undefined) {
      pair = new LabelPair(name, text)
      this.#bounds.set(key, pair)
    }
    return pair
  }

  /** Adds the series with the point's labels, this name, and `more`, which replace labels of the same name. As `#addSeries`. */
  #add(metric: Metric, suffix: Suffix, more?: LabelPair): number {
    const series = this.#member
    series.clear()
    for (const pair of this.#labels) {
      if (pair.name !== more?.name && pair.name !== '__name__') series.push(pair)
    }
    if (more !== undefined) series.push(more)
    series.push(metric.pair(suffix))
    return this.#addMember(series)
  }

  #addMember(series: LabelSet): number {
    const kernel = this.#kernel
    const rules = this.#rules
    if (series.length > MAX_LABELS) return REASON_TOO_MANY_LABELS
    const long = this.#longest.tooLong(series.pairs, series.length)
    if (long !== 0) return long
    series.sortByBytes()
    const admitted = rules.admit(series)
    kernel.beginOutputs()
    if (admitted === STATUS_DROPPED) {
      kernel.addOutput(0) // a series that nothing is known of but that it was dropped
    } else {
      if (series.length > MAX_LABELS) return REASON_TOO_MANY_LABELS
      const long = this.#longest.tooLong(series.pairs, series.length) // of what rules made
      if (long !== 0) return long
      if (!rules.list(series)) return FULL
      const listed = rules.listOutputs(series)
      if (listed !== STATUS_OK) return listed
    }
    return kernel.addMember(admitted) ? STATUS_OK : FULL
  }

  #target({ targetInfo, targetInfoProblem }: Resource): boolean {
    const status = targetInfo === undefined ? targetInfoProblem : this.#addTarget(targetInfo)
    if (status === FULL) return false
    if (status !== STATUS_OK && !this.#refuseTarget(status)) return false
    return this.#kernel.insertPoint(STATUS_GROUP, 0)
  }

  /** As `#addMember`. */
  #addTarget(labels: readonly LabelPair[]): number {
    const series = this.#member
    series.clear()
    for (const pair of labels) {
      // Pairs carry ids of one table: this one must be its own.
      series.push(pair.name === '__name__' ? this.#targetName : pair)
    }
    return this.#addMember(series)
  }

  /** Adds a series of which no more is known than its name, whose samples are rejected for this reason, not in silence. False when the generation is full. */
  #refuseTarget(reason: number): boolean {
    const series = this.#member
    series.clear()
    series.push(this.#targetName)
    this.#kernel.beginOutputs()
    return this.#rules.list(series) && this.#kernel.addMember(reason)
  }

  /** Writes the attributes of an exemplar that the kernel can't. */
  #exemplar(ids: number): boolean {
    const labels = exemplarLabels(this.#point, ids)
    if (labels === undefined) return this.#kernel.insertPoint(STATUS_GROUP, 0)
    const meta = this.#kernel.internBytes(labels)
    return meta !== 0 && this.#kernel.insertPoint(STATUS_GROUP, meta)
  }
}

/** The message of a field whose tag was left out: behind its length. */
function message(field: Uint8Array): Uint8Array {
  let at = 0
  while (field[at]! > 127) at++
  return field.subarray(at + 1)
}

function readU32(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0, true)
}

function doubles(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(i * 8, true))
}

function ascend(values: readonly number[]): boolean {
  if (values.some(Number.isNaN)) return false
  return values.every((value, i) => i === 0 || value > values[i - 1]!)
}
