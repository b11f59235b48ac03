import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import {
  type HistogramSchema,
  RequestSchema,
  type TimeSeriesSchema,
} from '../src/wire/gen/prometheus-write-v2_pb.js'
import { type Arrival, type PushOptions, type Rig, T } from './pipeline-rig.ts'

export const TYPE2 = 'application/x-protobuf;proto=io.prometheus.write.v2.Request'
const WRITTEN = ['Samples', 'Histograms', 'Exemplars'].map(
  (kind) => `X-Prometheus-Remote-Write-${kind}-Written`,
)

export type Histogram2 = MessageInitShape<typeof HistogramSchema>
type TimeSeries2 = MessageInitShape<typeof TimeSeriesSchema>

/** A request whose series are plain objects. */
export interface Request2 {
  readonly symbols: string[]
  readonly timeseries: TimeSeries2[]
}
/** In the order they are sent in. */
type Labels = readonly (readonly [name: string, value: string])[]

/** A series of 2.0 as the tests write it. Times are milliseconds after T. */
export interface Series2 {
  readonly labels: Labels
  readonly samples?: readonly (readonly [value: number, after?: number, start?: number])[]
  readonly histograms?: readonly Histogram2[]
  readonly exemplars?: readonly {
    readonly labels: Labels
    readonly value: number
    readonly after?: number
  }[]
  readonly metadata?: { readonly type: number; readonly help?: string; readonly unit?: string }
  /** As senders before rc.4 say it. */
  readonly created?: number
}

/** A series by name, with labels in an order that is not theirs. */
export function named(name: string, more: Omit<Series2, 'labels'>, labels: Labels = []): Series2 {
  return { labels: [...labels, ['job', 'test'], ['__name__', name]], ...more }
}

/** `n` series of one sample each: `m0{job="test"} 0@0`, … */
export function numbered2(n: number): Series2[] {
  return Array.from({ length: n }, (_, i) => named(`m${i}`, { samples: [[i]] }))
}

/** Counts 1 and 2 in two buckets, `zero` at zero. */
export function native(more: Histogram2 = {}, after = 0): Histogram2 {
  return {
    count: { case: 'countInt', value: 4n },
    zeroCount: { case: 'zeroCountInt', value: 1n },
    zeroThreshold: 0.001,
    sum: 4.5,
    positiveSpans: [{ offset: 1, length: 2 }],
    positiveDeltas: [1n, 1n],
    timestamp: BigInt(T + after),
    ...more,
  }
}

/** A histogram with the bounds 1 and 5, and 1, 2 and 3 observations. */
export function custom(after = 0): Histogram2 {
  return {
    schema: -53,
    count: { case: 'countInt', value: 6n },
    sum: 40,
    positiveSpans: [{ offset: 0, length: 3 }],
    positiveDeltas: [1n, 1n, 1n],
    customValues: [1, 5],
    timestamp: BigInt(T + after),
  }
}

/** Symbols and series as a sender makes them: each symbol once, the empty one first. */
export function request2(all: readonly Series2[]): Request2 {
  const refs = new Map([['', 0]])
  const ref = (text: string): number => {
    if (!refs.has(text)) refs.set(text, refs.size)
    return refs.get(text)!
  }
  const labelsRefs = (labels: Labels) => labels.flatMap(([name, value]) => [ref(name), ref(value)])
  const time = (after = 0) => BigInt(T + after)
  const timeseries = all.map((one) => ({
    labelsRefs: labelsRefs(one.labels),
    samples: (one.samples ?? []).map(([value, after, start]) => ({
      value,
      timestamp: time(after),
      startTimestamp: start === undefined ? 0n : time(start),
    })),
    histograms: [...(one.histograms ?? [])],
    exemplars: (one.exemplars ?? []).map(({ labels, value, after }) => ({
      labelsRefs: labelsRefs(labels),
      value,
      timestamp: time(after),
    })),
    ...(one.metadata && {
      metadata: {
        type: one.metadata.type,
        helpRef: ref(one.metadata.help ?? ''),
        unitRef: ref(one.metadata.unit ?? ''),
      },
    }),
    createdTimestamp: one.created === undefined ? 0n : time(one.created),
  }))
  return { symbols: [...refs.keys()], timeseries }
}

export function body2(message: Partial<Request2>): Uint8Array {
  const bytes = toBinary(RequestSchema, create(RequestSchema, message))
  return new Uint8Array(SnappyJS.compress(bytes))
}

/** Sends series, or a body, as 2.0. `written`: samples, histograms and exemplars, by the headers of the answer. */
export async function push2(
  rig: Rig,
  what: readonly Series2[] | Uint8Array,
  options: PushOptions = {},
) {
  const body = what instanceof Uint8Array ? what : body2(request2(what))
  const headers = { 'Content-Type': TYPE2, 'Content-Encoding': 'snappy', ...options.headers }
  const answer = await rig.push(body, { ...options, headers })
  return { ...answer, written: writtenIn(answer.headers) }
}

/** What the Written headers say, null for one that is not there. */
export function writtenIn(headers: Headers): (number | null)[] {
  return WRITTEN.map((name) => (headers.has(name) ? Number(headers.get(name)) : null))
}

/** Everything that arrived, a line each: `m{a="b"} 1@0`, `m{} h4@0`, `m{} x1@0 id=7`, sorted. */
export function linesOf(arrivals: readonly Pick<Arrival, 'message'>[]): string[] {
  const at = (timestamp: bigint) => Number(timestamp) - T
  return arrivals
    .flatMap(({ message }) => message.timeseries)
    .flatMap(({ labels, samples, histograms, exemplars }) => {
      const rest = labels.filter(({ name }) => name !== '__name__')
      const inside = rest.map(({ name, value }) => `${name}=${JSON.stringify(value)}`).join(',')
      const name = `${labels.find((label) => label.name === '__name__')?.value}{${inside}}`
      return [
        ...samples.map((one) => `${name} ${one.value}@${at(one.timestamp)}`),
        ...histograms.map((one) => `${name} h${one.count.value}@${at(one.timestamp)}`),
        ...exemplars.map(
          (one) =>
            `${name} x${one.value}@${at(one.timestamp)} ${one.labels.map((l) => `${l.name}=${l.value}`).join(',')}`,
        ),
      ]
    })
    .sort()
}

/** Metadata, start and created times that arrived in 2.0: `m 1 "help" "unit"`, `m start -5`, sorted, each once. */
export function extrasOf(arrivals: readonly Pick<Arrival, 'v2'>[]): string[] {
  const lines = arrivals.flatMap(({ v2 }) => {
    const symbols = v2?.symbols ?? []
    return (v2?.timeseries ?? []).flatMap((one) => {
      const at = one.labelsRefs.findIndex((ref, i) => i % 2 === 0 && symbols[ref] === '__name__')
      const name = symbols[one.labelsRefs[at + 1]!]!
      const { type = 0, helpRef = 0, unitRef = 0 } = one.metadata ?? {}
      const about = [type, symbols[helpRef], symbols[unitRef]]
      const starts = [...one.samples, ...one.histograms].map((each) => each.startTimestamp)
      return [
        ...(one.metadata && `${about}` !== '0,,' ? [`${name} ${JSON.stringify(about)}`] : []),
        ...starts
          .filter((start) => start !== 0n)
          .map((start) => `${name} start ${Number(start) - T}`),
        ...(one.createdTimestamp === 0n ? [] : [`${name} created: never to be sent`]),
      ]
    })
  })
  return [...new Set(lines)].sort()
}

/** What `linesOf` says where all of it arrives. */
export function linesSent(all: readonly Series2[]): string[] {
  return all
    .flatMap(({ labels, samples = [], histograms = [], exemplars = [] }) => {
      const byBytes = (a: readonly string[], b: readonly string[]) =>
        Buffer.compare(Buffer.from(a[0]!), Buffer.from(b[0]!))
      const rest = labels.filter(([name]) => name !== '__name__').toSorted(byBytes)
      const inside = rest.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')
      const name = `${labels.find(([name]) => name === '__name__')?.[1]}{${inside}}`
      return [
        ...samples.map(([value, after = 0]) => `${name} ${value}@${after}`),
        ...histograms.map(
          ({ count, timestamp }) => `${name} h${count?.value}@${Number(timestamp) - T}`,
        ),
        ...exemplars.map(
          ({ labels, value, after = 0 }) =>
            `${name} x${value}@${after} ${labels.map((label) => label.join('=')).join(',')}`,
        ),
      ]
    })
    .sort()
}
