import { fromBinary } from '@bufbuild/protobuf'
import { type Histogram, WriteRequestSchema } from '../../src/wire/gen/prometheus_pb.js'
import { RequestSchema } from '../../src/wire/gen/prometheus-write-v2_pb.js'
import {
  type Bytes,
  double,
  exemplar,
  field,
  histogram,
  label,
  message,
  metadata,
  number,
  sample,
  series,
  varint,
} from './message.ts'
import { asHistogram2, request, Symbols, sample2 } from './message2.ts'

// Random requests of both versions of remote write, and what is to become of them, worked out by protobuf-es and plain TypeScript.

export type Next = (n: number) => number

export interface Point {
  readonly kind: 's' | 'h' | 'x'
  readonly time: bigint
  /** What else there is to it. */
  readonly text: string
  /** A native histogram with custom buckets: its bounds, and how many were observed up to each. */
  readonly custom?: { readonly bounds: readonly number[]; readonly counts: readonly number[] }
}

export interface Series {
  /** As sent: unsorted, some of them empty. */
  readonly labels: readonly (readonly [string, string])[]
  readonly points: readonly Point[]
  readonly metadata?: string
}

export interface Request {
  readonly series: readonly Series[]
  /** By family, of 1.0. */
  readonly metadata: readonly (readonly [string, string])[]
}

const LONG = 'long '.repeat(40)

/** A request whose texts name the tenant: its bytes in `version`. Points from `now` on; some of them too late. */
export function randomRequest(
  next: Next,
  version: 1 | 2,
  tenant: string,
  now: number,
  size: number,
): Uint8Array {
  const symbols = new Symbols()
  const help = () => `help ${next(3)} of ${tenant}`
  const time = () => now + next(6) + (next(60) ? 0 : 1e9)
  const value = () => (next(6) ? next(5) : STALE)
  const point = (): Bytes => {
    const kind = next(8)
    const id = `${next(3)} of ${tenant}`
    if (version === 1) {
      if (kind === 0) return exemplar({ id }, next(9), time())
      if (kind === 1) return custom(4, next, time(), tenant)
      return kind === 2 ? histogram(1 + next(4), time()) : sample(value(), time(), next(2))
    }
    const start = next(3) ? 0 : now - next(3)
    if (kind === 0) return symbols.exemplar({ id }, next(9), time(), next(3) > 0)
    if (kind === 1) return custom(3, next, time(), tenant)
    return kind === 2
      ? asHistogram2(histogram(1 + next(4), time()), start)
      : sample2(value(), time(), start)
  }
  const one = (): Bytes | undefined => {
    if (version === 1 && next(9) === 0) return metadata(next(8), nameOf(next), help())
    const labels: [string, string][] = [
      ...(next(60) ? [['__name__', nameOf(next)] as [string, string]] : []),
      ['tenant', tenant],
      ...(next(2) ? [['pod', `p${next(3)}`] as [string, string]] : []),
      ...(next(9) ? [] : [['zone', next(2) ? '' : LONG] as [string, string]]),
      ...(next(60) ? [] : [['tenant', 'twice'] as [string, string]]),
      ...(next(60)
        ? []
        : Array.from({ length: 60 }, (_, i): [string, string] => [`l${i}`, 'many'])),
    ]
    if (next(3) === 0) labels.reverse()
    const points = Array.from({ length: next(3) ? 1 : next(7) }, point)
    if (version === 1) {
      const fields = [...labels.map(([name, value]) => label(name, value)), ...points]
      return series(...(next(9) ? fields : fields.reverse()))
    }
    const parts = [symbols.labels(labels, next(9) > 0), ...points]
    if (next(2)) parts.push(symbols.metadata(next(8), help(), next(4) ? '' : `unit of ${tenant}`))
    if (next(20) === 0) parts.push(number(6, now - 9), field(9, [1]))
    if (next(5) === 0) parts.push(parts.shift()!)
    return parts.flat()
  }
  const fields = Array.from({ length: 1 + next(size) }, one).filter((bytes) => bytes !== undefined)
  return version === 1 ? message(...fields) : request(symbols, fields, next(4) === 0)
}

function nameOf(next: Next): string {
  return `${'abc'[next(3)]}_${['total', 'sum', 'bucket', 'up', 'info'][next(5)]}`
}

const STALE = [2, 0, 0, 0, 0, 0, 0xf0, 0x7f]

/** What the bounds of this tenant's histograms are beyond multiples of a quarter. */
export const boundOf = (tenant: string) => (tenant.length % 2) / 8 + 1 / 16

function custom(tag: 3 | 4, next: Next, time: number, tenant: string): Bytes {
  const counts = Array.from({ length: 1 + next(4) }, () => next(4))
  const zigzag = (n: number) => (n < 0 ? -2 * n - 1 : 2 * n)
  const bounds = Float64Array.from(
    { length: counts.length - 1 },
    (_, i) => i + next(2) / 4 + boundOf(tenant),
  )
  return field(tag, [
    ...number(
      1,
      counts.reduce((a, b) => a + b, 0),
    ),
    ...double(3, 2.5),
    ...number(4, 105),
    ...field(11, number(2, counts.length)),
    ...field(
      12,
      counts.flatMap((n, i) => varint(zigzag(n - (counts[i - 1] ?? 0)))),
    ),
    ...number(15, time),
    ...field(16, [...new Uint8Array(bounds.buffer)]),
  ])
}

/** Changes some bytes, and now and then cuts the end off. */
export function damage(next: Next, body: Uint8Array): Uint8Array {
  for (let i = next(3); i >= 0; i--) body[next(body.length)] = next(3) ? next(256) : 0x80
  return next(6) ? body : body.slice(0, next(body.length + 1))
}

/** A message of either version, as protobuf-es reads it. Throws what it throws. */
export function readRequest(bytes: Uint8Array, version: 1 | 2): Request {
  if (version === 1) {
    const { timeseries, metadata } = fromBinary(WriteRequestSchema, bytes)
    return {
      series: timeseries.map(({ labels, samples, histograms, exemplars }) => ({
        labels: labels.map(({ name, value }) => [name, value]),
        points: [
          ...samples.map(({ value, timestamp }) => pointOf('s', timestamp, bitsOf(value))),
          ...histograms.map(histogramOf),
          ...exemplars.map(({ labels, value, timestamp }) => {
            const pairs = labels.map(({ name, value }) => `${name}=${value}`)
            return pointOf('x', timestamp, `${bitsOf(value)} ${pairs}`)
          }),
        ],
      })),
      metadata: metadata.map(({ metricFamilyName, type, help, unit }) => [
        metricFamilyName,
        `${type} ${help}/${unit}`,
      ]),
    }
  }
  const { symbols, timeseries } = fromBinary(RequestSchema, bytes)
  const pairsOf = (refs: readonly number[]) =>
    Array.from({ length: refs.length / 2 }, (_, i): [string, string] => [
      symbols[refs[2 * i]!]!,
      symbols[refs[2 * i + 1]!]!,
    ])
  return {
    series: timeseries.map(({ labelsRefs, samples, histograms, exemplars, metadata }) => ({
      labels: pairsOf(labelsRefs),
      points: [
        ...samples.map(({ value, timestamp }) => pointOf('s', timestamp, bitsOf(value))),
        ...histograms.map(histogramOf),
        ...exemplars.map(({ labelsRefs, value, timestamp }) => {
          const pairs = pairsOf(labelsRefs).map((pair) => pair.join('='))
          return pointOf('x', timestamp, `${bitsOf(value)} ${pairs}`)
        }),
      ],
      ...(metadata && {
        metadata: `${metadata.type} ${symbols[metadata.helpRef]}/${symbols[metadata.unitRef]}`,
      }),
    })),
    metadata: [],
  }
}

const pointOf = (kind: Point['kind'], time: bigint, text: string): Point => ({ kind, time, text })
const bitsOf = (value: number) => Buffer.from(Float64Array.of(value).buffer).toString('hex')

type SomeHistogram = Pick<
  Histogram,
  'timestamp' | 'sum' | 'schema' | 'positiveDeltas' | 'customValues'
> & { readonly positiveSpans: readonly { readonly offset: number; readonly length: number }[] }

function histogramOf(of: SomeHistogram): Point {
  const { timestamp, sum, schema, positiveDeltas, customValues } = of
  const spans = of.positiveSpans.map(({ offset, length }) => `${offset}+${length}`)
  const text = `${schema} ${bitsOf(sum)} ${spans} ${positiveDeltas} ${customValues}`
  const point = pointOf('h', timestamp, text)
  if (schema !== -53) return point
  let [at, upTo] = [0, 0]
  const counts = positiveDeltas.map((delta) => {
    at += Number(delta)
    upTo += at
    return upTo
  })
  return { ...point, custom: { bounds: customValues, counts } }
}

/** What one origin's rules make of labels that are sorted and have no empty values; undefined: they drop the series. */
export type Rules = (
  labels: readonly (readonly [string, string])[],
) => Map<string, string> | undefined

/** Every point that an origin is to get as a line, `expand`: classic series in the place of custom buckets. */
export function linesOf(
  { series }: Request,
  { rules, expand, latest }: { rules: Rules; expand: boolean; latest: bigint },
): string[] {
  return series.flatMap(({ labels, points }) => {
    const present = labels.filter(([, value]) => value !== '')
    const names = present.map(([name]) => name)
    if (!names.includes('__name__') || names.includes('')) return []
    if (new Set(names).size < names.length) return []
    const out = rules(present)
    if (out === undefined) return []
    return points
      .filter(({ time }) => time <= latest)
      .flatMap((point) => {
        const { kind, time, text, custom } = point
        if (custom === undefined || !expand) return [`${nameOfSeries(out)} ${kind}@${time} ${text}`]
        const made = (suffix: string, value: number, le?: string) => {
          const member = new Map(out).set('__name__', out.get('__name__') + suffix)
          if (le !== undefined) member.set('le', le)
          return `${nameOfSeries(member)} s@${time} ${bitsOf(value)}`
        }
        const all = custom.counts.at(-1)!
        return [
          ...custom.bounds.map((bound, i) => made('_bucket', custom.counts[i]!, String(bound))),
          made('_bucket', all, '+Inf'),
          made('_count', all),
          made('_sum', 2.5),
        ]
      })
  })
}

function nameOfSeries(labels: ReadonlyMap<string, string>): string {
  return [...labels]
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .toSorted()
    .join()
}

/** Of a message that goes out: its points as lines, in no order. */
export function linesOut(piece: Uint8Array, version: 1 | 2): string[] {
  const identity: Rules = (labels) => new Map(labels)
  return linesOf(readRequest(piece, version), { rules: identity, expand: false, latest: 1n << 62n })
}
