import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { WriteRequestSchema } from '../../src/wire/gen/prometheus_pb.js'
import { RequestSchema } from '../../src/wire/gen/prometheus-write-v2_pb.js'
import {
  E_EXPANDS,
  E_PROTO,
  E_REFS,
  E_RUNS,
  E_SPACE,
  E_VERSION,
  EXEMPLARS,
  HISTOGRAMS,
  METADATA,
  SAMPLES,
} from '../../src/wire/layout.ts'
import {
  type Bytes,
  double,
  exemplar,
  field,
  histogram,
  label,
  message,
  number,
  sample,
  series,
  varint,
} from '../batch/message.ts'
import { asHistogram2, request, Symbols, sample2 } from '../batch/message2.ts'
import { identityKernel, type Ran, type Sizes } from './identity-kernel.ts'
import { seeded } from './raw.ts'
import { faultsOf, linesOf } from './round-trip.ts'

// Histograms with custom buckets as classic series, all regions between canaries: whatever version comes in, however little room there is.

type Next = (n: number) => number

interface Custom {
  readonly bounds: readonly number[]
  /** One more than bounds. */
  readonly counts: readonly number[]
  readonly time: number
  /** A stale marker: it has no observations. */
  readonly gone: boolean
}

/** Of a sample or an ordinary histogram, an exemplar, and of stale markers: a sample, or a histogram of an ordinary schema. */
type OtherKind = 's' | 'h' | 'x' | 'gone s' | 'gone h'

interface Series {
  readonly labels: readonly (readonly [string, string])[]
  readonly customs: readonly Custom[]
  readonly others: readonly { readonly kind: OtherKind; readonly time: number }[]
  /** Others are written before customs, each kind the other way round. */
  readonly reversed: boolean
}

const T = 1.7e12

function randomSeries(next: Next): Series {
  const labels: [string, string][] = [
    ['__name__', `m${next(5)}`],
    ['job', next(20) ? `j${next(3)}` : 'long '.repeat(40)],
    ...Array.from({ length: next(20) ? 0 : 130 }, (_, i): [string, string] => [`l${i}`, '']),
  ]
  const customs = Array.from({ length: next(4) }, (): Custom => {
    const gone = next(5) === 0
    const n = gone && next(4) ? 0 : next(30) ? next(5) : 80
    return {
      gone,
      bounds: Array.from({ length: n }, (_, i) => i + next(2) / 2 - 0.25),
      counts: Array.from({ length: n + 1 }, () => next(4)),
      time: T + next(6),
    }
  })
  const others = Array.from({ length: next(3) }, () => ({
    kind: (['s', 'h', 'x', 'gone s', 'gone s', 'gone h'] as const)[next(6)]!,
    time: T + next(6),
  }))
  return { labels, customs, others, reversed: next(2) === 0 }
}

const STALE = [2, 0, 0, 0, 0, 0, 0xf0, 0x7f]
const goneFields = (time: number) => [...double(3, STALE), ...number(15, time)]
const sumOf = (counts: readonly number[]) => counts.reduce((sum, n) => sum + n, 0)

/** In the float flavour, or as deltas; custom values in one field or several. */
function customFields({ bounds, counts, time, gone }: Custom, next: Next): Bytes {
  const doubles = (list: readonly number[]) => [...new Uint8Array(Float64Array.from(list).buffer)]
  const float = next(3) === 0
  const deltas = counts.map((n, i) => n - (counts[i - 1] ?? 0))
  const at = next(bounds.length + 1)
  if (gone) {
    const named = bounds.length > 0 ? field(16, doubles(bounds)) : []
    return [...number(15, time), ...named, ...double(3, STALE), ...number(4, 105), ...number(1, 0)]
  }
  return [
    ...(float ? double(2, sumOf(counts)) : number(1, sumOf(counts))),
    ...double(3, 7),
    ...number(4, 105),
    ...field(11, number(2, counts.length)),
    ...(float
      ? field(13, doubles(counts))
      : field(
          12,
          deltas.flatMap((n) => varint(n < 0 ? -2 * n - 1 : 2 * n)),
        )),
    ...(at > 0 ? field(16, doubles(bounds.slice(0, at))) : []),
    ...number(15, time),
    ...bounds.slice(at).flatMap((bound) => double(16, bound)),
  ]
}

function write(all: readonly Series[], version: 1 | 2, next: Next): Uint8Array {
  const symbols = new Symbols()
  const fields = all.map(({ labels, customs, others, reversed }) => {
    const points = [
      ...customs.map((custom) => field(version === 1 ? 4 : 3, customFields(custom, next))),
      ...others.map(({ kind, time }) => {
        if (kind === 'gone h') return field(version === 1 ? 4 : 3, goneFields(time))
        if (version === 1) {
          if (kind === 'gone s') return sample(STALE, time)
          if (kind === 's') return sample(1, time)
          return kind === 'h' ? histogram(2, time) : exemplar({ id: 'x' }, 3, time)
        }
        if (kind === 'gone s') return sample2(STALE, time, next(2) ? 0 : T - 1)
        if (kind === 's') return sample2(1, time, next(2) ? 0 : T - 1)
        return kind === 'h'
          ? asHistogram2(histogram(2, time))
          : symbols.exemplar({ id: 'x' }, 3, time)
      }),
    ]
    if (reversed) points.reverse()
    if (version === 1) return series(...labels.map(([n, v]) => label(n, v)), ...points)
    const more = [
      ...(next(3) ? [] : symbols.metadata(3, 'help')),
      ...(next(3) ? [] : number(6, T - 5)),
    ]
    return [...symbols.labels(labels), ...points.flat(), ...more]
  })
  return version === 1 ? message(...fields) : request(symbols, fields, next(4) === 0)
}

/** The bounds of the last point of a series, by its labels. */
type Last = Map<string, readonly number[]>

/** What the points come to where classic series stand in, but for exemplars. `last` is kept up to date. */
function classicLines(all: readonly Series[], last: Last): { lines: string[]; ends: string[] } {
  const ends: string[] = []
  const lines = all.flatMap(({ labels, customs, others, reversed }) => {
    const name = (suffix: string, le?: string) =>
      [
        ...labels.map(([n, v]) => [n, n === '__name__' ? v + suffix : v]),
        ...(le === undefined ? [] : [['le', le]]),
      ]
        .map((pair) => pair.join('='))
        .toSorted()
        .join()
    const end = (bounds: readonly number[], time: number) => [
      ...[...bounds, Infinity].map((bound) => `${name('_bucket', String(bound))} s NaN@${time}`),
      `${name('_count')} s NaN@${time}`,
      `${name('_sum')} s NaN@${time}`,
    ]
    // In the order in which they are sent, each list: the marker looks at those that come before it in time, as far as these are in order.
    const inOrder = <P>(list: readonly P[]) => (reversed ? list.toReversed() : list)
    const isBlank = ({ gone, bounds }: Custom) => gone && bounds.length === 0
    const named = inOrder(customs.filter((custom) => !isBlank(custom)))
    const blanks = inOrder(customs.filter(isBlank)).map(({ time }) => ({ time, custom: true }))
    const gone = inOrder(others.filter(({ kind }) => kind.startsWith('gone')))
    const alone = gone.map(({ time }) => ({ time, custom: false }))
    let at = 0
    for (const { time, custom } of reversed ? [...alone, ...blanks] : [...blanks, ...alone]) {
      while (at < named.length && named[at]!.time <= time) at++
      const bounds = at > 0 ? named[at - 1]!.bounds : last.get(String(labels))
      if (bounds !== undefined || custom) ends.push(...end(bounds ?? [], time))
    }
    const latest = named.reduce<Custom | undefined>(
      (most, one) => (most && most.time > one.time ? most : one),
      undefined,
    )
    if (latest) last.set(String(labels), latest.bounds)
    return [
      ...customs
        .filter((custom) => !isBlank(custom))
        .flatMap(({ bounds, counts, time, gone }) => {
          if (gone) return end(bounds, time)
          return [
            ...[...bounds, Infinity].map((bound, i) => {
              const n = bound === Infinity ? sumOf(counts) : sumOf(counts.slice(0, i + 1))
              return `${name('_bucket', String(bound))} s ${n}@${time}`
            }),
            `${name('_count')} s ${sumOf(counts)}@${time}`,
            `${name('_sum')} s 7@${time}`,
          ]
        }),
      ...others.flatMap(({ kind, time }) => {
        if (kind === 'x') return []
        if (kind === 'gone s') return [`${name('')} s NaN@${time}`]
        if (kind === 'gone h') return [`${name('')} h NaN/@${time}`]
        return kind === 's' ? [`${name('')} s 1@${time}`] : [`${name('')} h 3/2,-2,0@${time}`]
      }),
    ]
  })
  return { lines, ends }
}

const sorted = (line: string) => {
  const at = / [shx] /.exec(line)!.index
  return line.slice(0, at).split(',').toSorted().join() + line.slice(at)
}

/** A stale marker of a classic series. */
const isEnd = (line: string) => /_(bucket|count|sum)\b.* s NaN@/.test(line)

function checkSums(got: Exclude<Ran, number>): void {
  const { superseded, unwanted, oversize, rejected, sent } = got
  for (const kind of [SAMPLES, HISTOGRAMS, EXEMPLARS, METADATA]) {
    const ends = [superseded, unwanted, oversize, rejected, sent]
    const due = kind === SAMPLES ? got.made : kind === HISTOGRAMS ? -got.expanded : 0
    expect(ends.reduce((sum, counts) => sum + counts[kind]!, 0)).toBe(got.received[kind]! + due)
  }
}

const shapes: [string, Sizes, number][] = [
  ['with room', { rows: 5000, generation: 1 << 18, piece: 1 << 16 }, 1e6],
  ['in small pieces', { rows: 5000, generation: 1 << 18, piece: 700 }, 3],
  ['with a table that turns over', { rows: 5000, generation: 1 << 14, piece: 1500 }, 20],
  ['with few rows', { rows: 40, generation: 1 << 18, piece: 1 << 16 }, 1e6],
  ['with little room for points', { rows: 900, generation: 1 << 18, piece: 4000, made: 1200 }, 99],
]

describe.each([1, 2] as const)('from %i.0', (version) => {
  test.each(shapes)('%s: they and the points beside them come out', (_, sizes, points) => {
    const next = seeded(21)
    const run = identityKernel({ ...sizes, expand: true })
    let [out, parts, ended] = [0, 0, 0]
    const last: Last = new Map()
    // Nothing is forgotten, and there is room for everything.
    const exact = sizes.rows === 5000 && sizes.generation === 1 << 18
    const isToldOf = (line: string) => exact || !isEnd(line)
    for (let round = 0; round < 120; round++) {
      const model = Array.from({ length: 1 + next(6) }, () => randomSeries(next))
      const got = run(write(model, version, next), points, version, 1)
      const { lines: plain, ends } = classicLines(model, last)
      if (typeof got === 'number') {
        expect([E_EXPANDS, E_RUNS]).toContain(got)
        continue
      }
      parts += got.parts
      checkSums(got)
      const lines = linesOf(got.pieces, 1)
        .map(sorted)
        .filter((line) => !/ x /.test(line))
      out += lines.length
      const want = new Set([...plain, ...ends])
      const strange = lines.filter((line) => !want.has(line) && isToldOf(line))
      expect(strange).toEqual([])
      ended += lines.filter(isEnd).length
      const gone = [got.superseded, got.oversize, got.rejected]
      if (gone.every((counts) => counts[SAMPLES]! + counts[HISTOGRAMS]! === 0))
        expect(new Set(lines.filter(isToldOf))).toEqual(new Set([...want].filter(isToldOf)))
    }
    expect(ended).toBeGreaterThan(40)
    expect(out).toBeGreaterThan(500)
    if (sizes.rows < 100 || sizes.generation < 1 << 18) expect(parts).toBeGreaterThan(10)
  })

  test.each([1, 2] as const)('mutated, they never stray, to %i', (output) => {
    const next = seeded(22)
    const kernels = shapes.map(([, sizes]) => identityKernel({ ...sizes, expand: true }))
    let taken = 0
    for (let round = 0; round < 1500; round++) {
      const model = Array.from({ length: 1 + next(3) }, () => randomSeries(next))
      const body = write(model, version, next)
      for (let i = next(4); i >= 0; i--) body[next(body.length)] = next(4) ? next(256) : 0x80
      const got = kernels[next(kernels.length)]!(body, 1 + next(30), version, output)
      if (typeof got === 'number') {
        expect([E_PROTO, E_RUNS, E_REFS, E_VERSION, E_EXPANDS, E_SPACE]).toContain(got)
        continue
      }
      taken++
      checkSums(got)
      for (const piece of got.pieces) {
        try {
          fromBinary(output === 1 ? WriteRequestSchema : RequestSchema, piece)
        } catch (error) {
          expect(String(error)).toMatch(/utf/i) // which is the host's to judge
          continue
        }
        if (output === 2) expect(faultsOf(piece)).toEqual([])
      }
    }
    expect(taken).toBeGreaterThan(400)
  })
})
