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
}

interface Series {
  readonly labels: readonly (readonly [string, string])[]
  readonly customs: readonly Custom[]
  /** Of a sample, an ordinary histogram and an exemplar, if there are any. */
  readonly others: readonly { readonly kind: 's' | 'h' | 'x'; readonly time: number }[]
}

const T = 1.7e12

function randomSeries(next: Next): Series {
  const labels: [string, string][] = [
    ['__name__', `m${next(5)}`],
    ['job', next(20) ? `j${next(3)}` : 'long '.repeat(40)],
    ...Array.from({ length: next(20) ? 0 : 130 }, (_, i): [string, string] => [`l${i}`, '']),
  ]
  const customs = Array.from({ length: next(4) }, (): Custom => {
    const n = next(30) ? next(5) : 80
    return {
      bounds: Array.from({ length: n }, (_, i) => i + next(2) / 2 - 0.25),
      counts: Array.from({ length: n + 1 }, () => next(4)),
      time: T + next(6),
    }
  })
  const others = Array.from({ length: next(3) }, () => ({
    kind: (['s', 'h', 'x'] as const)[next(3)]!,
    time: T + next(6),
  }))
  return { labels, customs, others }
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, n) => sum + n, 0)

/** In the float flavour, or as deltas; custom values in one field or several. */
function customFields({ bounds, counts, time }: Custom, next: Next): Bytes {
  const doubles = (list: readonly number[]) => [...new Uint8Array(Float64Array.from(list).buffer)]
  const float = next(3) === 0
  const deltas = counts.map((n, i) => n - (counts[i - 1] ?? 0))
  const at = next(bounds.length + 1)
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
  const fields = all.map(({ labels, customs, others }) => {
    const points = [
      ...customs.map((custom) => field(version === 1 ? 4 : 3, customFields(custom, next))),
      ...others.map(({ kind, time }) => {
        if (version === 1) {
          if (kind === 's') return sample(1, time)
          return kind === 'h' ? histogram(2, time) : exemplar({ id: 'x' }, 3, time)
        }
        if (kind === 's') return sample2(1, time, next(2) ? 0 : T - 1)
        return kind === 'h'
          ? asHistogram2(histogram(2, time))
          : symbols.exemplar({ id: 'x' }, 3, time)
      }),
    ]
    if (next(2)) points.reverse()
    if (version === 1) return series(...labels.map(([n, v]) => label(n, v)), ...points)
    const more = [
      ...(next(3) ? [] : symbols.metadata(3, 'help')),
      ...(next(3) ? [] : number(6, T - 5)),
    ]
    return [...symbols.labels(labels), ...points.flat(), ...more]
  })
  return version === 1 ? message(...fields) : request(symbols, fields, next(4) === 0)
}

/** What the points come to where classic series stand in, but for exemplars. */
function classicLines(all: readonly Series[]): string[] {
  return all.flatMap(({ labels, customs, others }) => {
    const name = (suffix: string, le?: string) =>
      [
        ...labels.map(([n, v]) => [n, n === '__name__' ? v + suffix : v]),
        ...(le === undefined ? [] : [['le', le]]),
      ]
        .map((pair) => pair.join('='))
        .toSorted()
        .join()
    return [
      ...customs.flatMap(({ bounds, counts, time }) => [
        ...[...bounds, Infinity].map((bound, i) => {
          const n = bound === Infinity ? sumOf(counts) : sumOf(counts.slice(0, i + 1))
          return `${name('_bucket', String(bound))} s ${n}@${time}`
        }),
        `${name('_count')} s ${sumOf(counts)}@${time}`,
        `${name('_sum')} s 7@${time}`,
      ]),
      ...others.flatMap(({ kind, time }) => {
        if (kind === 'x') return []
        return kind === 's' ? [`${name('')} s 1@${time}`] : [`${name('')} h 3/2,-2,0@${time}`]
      }),
    ]
  })
}

const sorted = (line: string) => {
  const at = / [shx] /.exec(line)!.index
  return line.slice(0, at).split(',').toSorted().join() + line.slice(at)
}

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
    let [out, parts] = [0, 0]
    for (let round = 0; round < 120; round++) {
      const model = Array.from({ length: 1 + next(6) }, () => randomSeries(next))
      const got = run(write(model, version, next), points, version, 1)
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
      const want = new Set(classicLines(model))
      expect(lines.filter((line) => !want.has(line))).toEqual([])
      const gone = [got.superseded, got.oversize, got.rejected]
      if (gone.every((counts) => counts[SAMPLES]! + counts[HISTOGRAMS]! === 0))
        expect(new Set(lines)).toEqual(want)
    }
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
