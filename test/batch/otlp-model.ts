import { toBinary } from '@bufbuild/protobuf'
import type { Config } from '../../src/config/types.ts'
import type { LabelPair } from '../../src/relabel/label-pair.ts'
import { reasonCode } from '../../src/series/refusal.ts'
import { boundText } from '../../src/translate/bound-text.ts'
import type { Metric as Named, Suffix } from '../../src/translate/metric.ts'
import type { MetricKind } from '../../src/translate/metric-name.ts'
import type { Resource as From } from '../../src/translate/resource.ts'
import type { Scope } from '../../src/translate/scope.ts'
import { createTranslator, type Translator } from '../../src/translate/translator.ts'
import {
  type AnyValue,
  type Exemplar,
  type ExponentialHistogramDataPoint,
  type ExportMetricsServiceRequest,
  type HistogramDataPoint,
  InstrumentationScopeSchema,
  type KeyValue,
  KeyValueSchema,
  type Metric,
  type NumberDataPoint,
  ResourceSchema,
  type SummaryDataPoint,
} from '../../src/wire/gen/opentelemetry_pb.js'
import {
  REASON_BOUNDS,
  REASON_BUCKETS,
  REASON_DELTA,
  REASON_FUTURE,
  REASON_HISTOGRAM,
  REASON_NO_TIME,
  REASON_NO_VALUE,
  REASON_SCALE,
  REASON_TEMPORALITY,
} from '../../src/wire/layout.ts'
import { bitsOf, histogramText, type Output, pointsOf, STALE, sorted } from './otlp-output.ts'

// What a request of OTLP is to become, the way one would write it with objects (spec 4.7 to 4.12). Names and labels are the translator's, which has tests of its own.

/** What comes out, and points that don't, by reason. */
export interface Expected {
  readonly output: Output
  readonly points: number
  readonly rejected: Record<string, number>
  /**
   * Points without a value that name no bounds or quantiles: `name@ms` of the series that they may end besides, those of the last point. Which those are, if the table knows,
   * is not the model's to say.
   */
  readonly endings: ReadonlySet<string>
}

type Point = NumberDataPoint | HistogramDataPoint | ExponentialHistogramDataPoint | SummaryDataPoint
type Data = Exclude<Metric['data'], { case: undefined }>

const STEP = 150_000_000_000n
const ms = (nanos: bigint) => nanos / 1_000_000n

/** `latest`: points later than this are rejected, ms. */
export function expected(
  request: ExportMetricsServiceRequest,
  config: Config,
  latest: number,
): Expected {
  const model = new Model(createTranslator(config.otlp), config, BigInt(latest))
  for (const { resource, scopeMetrics } of request.resourceMetrics) {
    model.resource(resource ? toBinary(ResourceSchema, resource) : new Uint8Array())
    for (const { scope, metrics, schemaUrl } of scopeMetrics) {
      model.scope(scope ? toBinary(InstrumentationScopeSchema, scope) : new Uint8Array(), schemaUrl)
      for (const metric of metrics) model.metric(metric)
    }
    model.target()
  }
  const { output, points, rejected, endings } = model
  return { output: sorted(output), points, rejected, endings }
}

class Model {
  readonly output: Output = {}
  readonly rejected: Record<string, number> = {}
  readonly endings = new Set<string>()
  points = 0
  readonly #translator: Translator
  readonly #config: Config
  readonly #latest: bigint
  #resource!: From
  #scope: Scope | undefined
  #times: bigint[] = []

  constructor(translator: Translator, config: Config, latest: bigint) {
    this.#translator = translator
    this.#config = config
    this.#latest = latest
  }

  resource(bytes: Uint8Array): void {
    this.#resource = this.#translator.resource(bytes)
    this.#times = []
  }

  scope(bytes: Uint8Array, url: string): void {
    const { promoteScopeMetadata } = this.#config.otlp
    this.#scope = promoteScopeMetadata ? this.#translator.scope(bytes, url) : undefined
  }

  metric({ name, unit, data }: Metric): void {
    if (data.case === undefined) return
    const named = this.#translator.metric(name, unit, kindOf(data))
    for (const point of data.value.dataPoints) {
      this.points++
      const reason = this.#point(data, point, named)
      if (reason === 0) continue
      const code = reasonCode(reason)
      this.rejected[code] = (this.rejected[code] ?? 0) + 1
    }
  }

  /** 0 or the REASON_. */
  #point(data: Data, point: Point, named: Named): number {
    const time = point.timeUnixNano
    const timely = time !== 0n && ms(time) <= this.#latest
    if (timely) this.#times.push(time)
    if (data.case !== 'gauge' && data.case !== 'summary') {
      const { aggregationTemporality } = data.value
      if (aggregationTemporality !== 2)
        return aggregationTemporality === 1 ? REASON_DELTA : REASON_TEMPORALITY
    }
    if (time === 0n) return REASON_NO_TIME
    if (!timely) return REASON_FUTURE
    const stale = (point.flags & 1) !== 0
    if (data.case === 'gauge' || data.case === 'sum') {
      if ((point as NumberDataPoint).value.case === undefined && !stale) return REASON_NO_VALUE
    }
    if (data.case === 'histogram') {
      const { bucketCounts, explicitBounds } = point as HistogramDataPoint
      const [n, most] = [bucketCounts.length, explicitBounds.length + 1]
      if (n !== 0 && n !== most && n !== most - 1) return REASON_BUCKETS
    }
    if (named.problem) return named.problem
    const pairs: LabelPair[] = []
    const attributes = point.attributes.map((one) =>
      this.#translator.attribute(toBinary(KeyValueSchema, one)),
    )
    const refused = this.#translator.labels(this.#resource, this.#scope, attributes, pairs)
    if (refused) return refused
    return this.#write(data, point, (suffix, more) => series(pairs, named, suffix, more))
  }

  #write(data: Data, point: Point, name: Name): number {
    const time = String(ms(point.timeUnixNano))
    const stale = (point.flags & 1) !== 0
    const put = (labels: string, bits: string) => {
      pointsOf(this.output, labels).samples[time] = stale ? STALE : bits
    }
    if (data.case === 'gauge' || data.case === 'sum') {
      const { value, exemplars } = point as NumberDataPoint
      put(name(''), bitsOf(Number(value.value ?? 0)))
      if (data.case === 'sum') for (const one of exemplars) this.#exemplar(name(''), one)
    } else if (data.case === 'summary') {
      const { count, sum, quantileValues } = point as SummaryDataPoint
      const texts = quantileValues.map(({ quantile }) => boundText(quantile))
      if (new Set(texts).size < texts.length) return REASON_BOUNDS
      put(name('_sum'), bitsOf(sum))
      put(name('_count'), bitsOf(Number(count)))
      if (stale && texts.length === 0) this.endings.add(`${name('')}@${time}`)
      quantileValues.forEach(({ value }, i) => {
        put(name('', ['quantile', texts[i]!]), bitsOf(value))
      })
    } else if (data.case === 'histogram') {
      if (stale && (point as HistogramDataPoint).explicitBounds.length === 0) {
        for (const suffix of ['_bucket', '_sum'] as const) {
          this.endings.add(`${name(suffix)}@${time}`)
        }
      }
      return this.#classic(point as HistogramDataPoint, name, put)
    } else {
      const one = point as ExponentialHistogramDataPoint
      const text = exponential(one)
      if (typeof text === 'number') return text
      pointsOf(this.output, name('')).histograms[time] = text
      for (const exemplar of one.exemplars) this.#exemplar(name(''), exemplar)
    }
    return 0
  }

  #classic(
    { bucketCounts, explicitBounds, count, sum, exemplars, flags }: HistogramDataPoint,
    name: Name,
    put: (labels: string, bits: string) => void,
  ): number {
    const stale = (flags & 1) !== 0
    if (explicitBounds.some((b, i) => (i === 0 ? Number.isNaN(b) : !(b > explicitBounds[i - 1]!))))
      return REASON_BOUNDS
    if (this.#config.otlp.convertHistogramsToNhcb && !stale) {
      // Made native first, which asks for more.
      const all = bucketCounts.reduce((a, b) => a + b, 0n)
      const short = bucketCounts.length > 0 && all !== count
      if (short && !(Number.isNaN(sum) && all < count)) return REASON_HISTOGRAM
    }
    const bounds = explicitBounds.filter((bound) => bound !== Infinity)
    const written = bounds.slice(0, bucketCounts.length)
    let total = 0n
    // One without a value ends all that it names.
    const named = stale ? bounds : written
    named.forEach((bound, i) => {
      total += bucketCounts[i] ?? 0n
      put(name('_bucket', ['le', boundText(bound)]), bitsOf(Number(total)))
    })
    put(name('_bucket', ['le', '+Inf']), bitsOf(Number(count)))
    put(name('_count'), bitsOf(Number(count)))
    if (sum !== undefined) put(name('_sum'), bitsOf(sum))
    for (const one of exemplars) {
      const value = Number(one.value.value ?? 0)
      const bound = written.find((bound) => value <= bound) ?? Infinity
      this.#exemplar(name('_bucket', ['le', boundText(bound)]), one)
    }
    return 0
  }

  #exemplar(labels: string, exemplar: Exemplar): void {
    const { value } = exemplar.value
    if (value === undefined || ms(exemplar.timeUnixNano) > this.#latest) return
    const bits = bitsOf(Number(value))
    pointsOf(this.output, labels).exemplars.push(
      `${bits}@${ms(exemplar.timeUnixNano)} ${exemplarLabels(exemplar, this.#config.otlp.exemplarMaxLength)}`,
    )
  }

  target(): void {
    const { targetInfo } = this.#resource
    if (targetInfo === undefined || this.#times.length === 0) return
    const points = pointsOf(this.output, text(targetInfo.map(({ name, value }) => [name, value])))
    const [first, last] = [this.#times, this.#times].map((times, i) =>
      times.reduce((a, b) => (a < b === (i === 0) ? a : b)),
    ) as [bigint, bigint]
    for (let at = first; at < last; at += STEP) points.samples[String(ms(at))] = bitsOf(1)
    points.samples[String(ms(last))] = bitsOf(1)
  }
}

/** Of an output, samples that may end series besides those that the model knows of are left out: those that are stale, not in `want`, and among the endings. */
export function withoutEndings(output: Output, { output: want, endings }: Expected): Output {
  for (const [series, points] of Object.entries(output)) {
    const labels = series.split(',').filter((label) => !/^(le|quantile)=/.test(label))
    for (const [time, bits] of Object.entries(points.samples)) {
      const known = want[series]?.samples[time]
      if (bits !== STALE || bits === known || !endings.has(`${labels.join()}@${time}`)) continue
      if (known === undefined) delete points.samples[time]
      else points.samples[time] = known
    }
    const kinds = [points.samples, points.histograms, points.exemplars]
    if (kinds.every((kind) => Object.keys(kind).length === 0)) delete output[series]
  }
  return output
}

type Name = (suffix: Suffix, more?: [string, string]) => string

function kindOf(data: Data): MetricKind {
  if (data.case === 'sum') return data.value.isMonotonic ? 'counter' : 'up-down-counter'
  return data.case === 'exponentialHistogram' ? 'exponential-histogram' : data.case
}

function series(
  pairs: readonly LabelPair[],
  named: Named,
  suffix: Suffix,
  more?: [string, string],
): string {
  const labels = new Map(pairs.map(({ name, value }) => [name, value]))
  if (more) labels.set(...more)
  labels.set('__name__', named.name + suffix)
  return text([...labels])
}

function text(labels: [string, string][]): string {
  return labels
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join()
}

/** Text, or the REASON_ why there is none. Merges buckets one by one. */
function exponential(point: ExponentialHistogramDataPoint): string | number {
  const { scale, flags, sum = 0, count, zeroCount, positive, negative } = point
  if (scale < -4) return REASON_SCALE
  const schema = Math.min(scale, 8)
  const none = new Map<number, bigint>()
  if (flags & 1) return histogramText(schema, 0n, STALE, 0n, none, none)
  const side = (buckets: typeof positive) => {
    const merged = new Map<number, bigint>()
    buckets?.bucketCounts.forEach((n, i) => {
      const index = Number(BigInt(buckets.offset + i) >> BigInt(scale - schema)) + 1
      merged.set(index, (merged.get(index) ?? 0n) + n)
    })
    return merged
  }
  const sides = [side(positive), side(negative)] as const
  const all = sides.flatMap((one) => [...one.values()]).reduce((a, b) => a + b, zeroCount)
  if (Number.isNaN(sum) ? all > count : all !== count) return REASON_HISTOGRAM
  return histogramText(schema, count, bitsOf(sum), zeroCount, ...sides)
}

function exemplarLabels(exemplar: Exemplar, most: number): string {
  const { traceId, spanId, filteredAttributes } = exemplar
  const labels: [string, string][] = []
  if (traceId.length === 16 && traceId.some((b) => b)) labels.push(['trace_id', hex(traceId)])
  if (spanId.length === 8 && spanId.some((b) => b)) labels.push(['span_id', hex(spanId)])
  const own = new Set(labels.map(([name]) => name))
  const more = filteredAttributes
    .map(({ key, value }): [string, string] => [key, plain(value)])
    .filter(([name, value]) => name !== '' && value !== '' && !own.has(name))
  const both = [...labels, ...more]
  const points = [...both.flat().join('')].length
  return (points <= most ? both : labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join()
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** An attribute's value as text (spec 3.5). */
function plain(value: AnyValue | undefined): string {
  const one = value?.value
  if (one === undefined || one.case === undefined) return ''
  if (one.case === 'bytesValue') return Buffer.from(one.value).toString('base64')
  if (one.case === 'arrayValue' || one.case === 'kvlistValue') return json(value)
  return Object.is(one.value, -0) ? '-0' : String(one.value)
}

function json(value: AnyValue | undefined): string {
  const one = value?.value
  if (one === undefined || one.case === undefined) return 'null'
  if (one.case === 'arrayValue') return `[${one.value.values.map(json)}]`
  if (one.case === 'kvlistValue') {
    const pairs = one.value.values.map(({ key, value }: KeyValue) => [key, json(value)] as const)
    const sorted = pairs.sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${sorted.map(([key, text]) => `${JSON.stringify(key)}:${text}`)}}`
  }
  if (one.case === 'stringValue' || one.case === 'bytesValue') return JSON.stringify(plain(value))
  return Number.isNaN(one.value) ? '"NaN"' : plain(value)
}
