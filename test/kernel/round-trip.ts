import { fromBinary } from '@bufbuild/protobuf'
import { WriteRequestSchema } from '../../src/wire/gen/prometheus_pb.js'
import { RequestSchema } from '../../src/wire/gen/prometheus-write-v2_pb.js'
import {
  type Bytes,
  exemplar,
  field,
  histogram,
  label,
  message,
  number,
  sample,
  series,
} from '../batch/message.ts'
import { asHistogram2, request, Symbols, sample2 } from '../batch/message2.ts'

// Requests as models that can be written in both versions, and both versions read back as lines of text, one a point.

export type Point =
  | {
      readonly kind: 's' | 'h'
      readonly value: number
      readonly time: number
      readonly start: number
    }
  | { readonly kind: 'x'; readonly value: number; readonly time: number; readonly label: string }

export interface Series {
  readonly labels: readonly (readonly [string, string])[]
  readonly points: readonly Point[]
  /** Type and help; only written in 2.0. */
  readonly metadata?: readonly [number, string]
  /** Of all points that have no start of their own; only written in 2.0. */
  readonly created: number
}

type Next = (n: number) => number
const T = 1.7e12

export function randomSeries(next: Next, mixed: boolean): Series {
  const labels: [string, string][] = [
    ['__name__', `m${next(4)}`],
    ...Array.from({ length: next(4) }, (_, i): [string, string] => [
      `l${i}`,
      next(30) ? `v${next(3)}` : 'long '.repeat(60 + next(3)),
    ]),
  ]
  if (next(3) === 0) labels.reverse()
  const bases: ('s' | 'h')[] = mixed ? ['s', 'h'] : [(['s', 'h'] as const)[next(2)]!]
  const points = Array.from({ length: next(6) }, (): Point => {
    const time = T + next(6)
    const kind = [...bases, ...bases, 'x' as const][next(bases.length * 2 + 1)]!
    if (kind === 'x') return { kind, value: next(9), time, label: `t${next(3)}` }
    return { kind, value: next(5), time, start: next(3) ? 0 : T - next(4) }
  })
  const described = next(2) ? { metadata: [next(8), `help ${next(3)}`] as const } : {}
  return { labels, points, created: next(6) ? 0 : T - 9, ...described }
}

export function writeVersion1(all: readonly Series[]): Uint8Array {
  return message(
    ...all.map(({ labels, points }) =>
      series(
        ...labels.map(([name, value]) => label(name, value)),
        ...points.map((point) => {
          if (point.kind === 'x') return exemplar({ id: point.label }, point.value, point.time)
          return point.kind === 's'
            ? sample(point.value, point.time)
            : histogram(point.value, point.time)
        }),
      ),
    ),
  )
}

/** In one of many forms. */
export function writeVersion2(all: readonly Series[], next: Next): Uint8Array {
  const symbols = new Symbols()
  const fields = all.map(({ labels, points, metadata, created }) => {
    const parts: Bytes[] = [
      symbols.labels(labels, next(4) > 0),
      ...points.map((point): Bytes => {
        const { value, time } = point
        if (point.kind === 'x')
          return symbols.exemplar({ id: point.label }, value, time, next(4) > 0)
        return point.kind === 's'
          ? sample2(value, time, point.start)
          : asHistogram2(histogram(value, time), point.start)
      }),
    ]
    if (metadata) parts.push(symbols.metadata(...metadata))
    if (created) parts.push(number(6, created))
    if (next(9) === 0) parts.push(field(9, [1, 2]), number(8, 1))
    if (next(5) === 0) parts.push(parts.shift()!)
    return parts.flat()
  })
  return request(symbols, fields, next(4) === 0)
}

/** The points of pieces of either version as lines, in the order they are in. */
export function linesOf(pieces: readonly Uint8Array[], version: 1 | 2): string[] {
  return pieces.flatMap(version === 1 ? lines1 : lines2)
}

function lines1(piece: Uint8Array): string[] {
  return fromBinary(WriteRequestSchema, piece).timeseries.flatMap(
    ({ labels, samples, histograms, exemplars }) => {
      const name = labels.map(({ name, value }) => `${name}=${value}`).join()
      return [
        ...samples.map((s) => `${name} s ${s.value}@${s.timestamp}`),
        ...histograms.map((h) => `${name} h ${h.sum}/${h.positiveDeltas}@${h.timestamp}`),
        ...exemplars.map(
          (e) => `${name} x ${e.value}@${e.timestamp} ${e.labels.map((l) => l.name + l.value)}`,
        ),
      ]
    },
  )
}

function lines2(piece: Uint8Array): string[] {
  const { symbols, timeseries } = fromBinary(RequestSchema, piece)
  const text = (refs: readonly number[]) =>
    refs
      .map((ref, i) => symbols[ref]! + (i % 2 ? ',' : '='))
      .join('')
      .replace(/,$/, '')
  return timeseries.flatMap(({ labelsRefs, samples, histograms, exemplars }) => {
    const name = text(labelsRefs)
    return [
      ...samples.map((s) => `${name} s ${s.value}@${s.timestamp}`),
      ...histograms.map((h) => `${name} h ${h.sum}/${h.positiveDeltas}@${h.timestamp}`),
      ...exemplars.map(
        (e) => `${name} x ${e.value}@${e.timestamp} ${text(e.labelsRefs).replace('=', '')}`,
      ),
    ]
  })
}

/** The lines that a model should come to. */
export function linesOfModel(all: readonly Series[]): string[] {
  return all.flatMap(({ labels, points }) => {
    const name = labels.map(([name, value]) => `${name}=${value}`).join()
    return points.map((point) => {
      if (point.kind === 'x') return `${name} x ${point.value}@${point.time} id${point.label}`
      if (point.kind === 's') return `${name} s ${point.value}@${point.time}`
      const { value } = point
      return `${name} h ${value * 1.5}/${[value, value ? -value : 0, 0]}@${point.time}`
    })
  })
}

/** What the specification demands of a piece of 2.0, and of ours: what it breaks. */
export function faultsOf(piece: Uint8Array): string[] {
  const { symbols, timeseries } = fromBinary(RequestSchema, piece)
  const faults: string[] = []
  if (symbols[0] !== '') faults.push('the first symbol is not empty')
  if (new Set(symbols).size !== symbols.length) faults.push('a symbol is there twice')
  const used = new Set<number>([0])
  for (const { labelsRefs, samples, histograms, exemplars, metadata } of timeseries) {
    for (const refs of [labelsRefs, ...exemplars.map((e) => e.labelsRefs)]) {
      if (refs.length % 2) faults.push('odd refs')
      for (const ref of refs) used.add(ref)
    }
    if (metadata) used.add(metadata.helpRef).add(metadata.unitRef)
    if (samples.length > 0 && histograms.length > 0) faults.push('samples and histograms')
    if (samples.length + histograms.length === 0) faults.push('neither samples nor histograms')
  }
  if ([...used].some((ref) => ref >= symbols.length)) faults.push('a ref out of range')
  if (used.size !== symbols.length) faults.push('a symbol that nothing refers to')
  // Symbols come first on the wire.
  let seen = false
  for (let at = 0; at < piece.length; ) {
    const tag = piece[at++]!
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const b = piece[at++]!
      length |= (b & 127) << shift
      if (b < 128) break
    }
    if (tag === 42) seen = true
    else if (seen) faults.push('a symbol behind a series')
    at += length
  }
  return faults
}
