import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { WriteRequestSchema } from '../../src/wire/gen/prometheus_pb.js'
import { RequestSchema } from '../../src/wire/gen/prometheus-write-v2_pb.js'
import {
  E_EXPANDS,
  E_PROTO,
  E_REFS,
  E_RUNS,
  E_VERSION,
  EXEMPLARS,
  HISTOGRAMS,
  METADATA,
  SAMPLES,
} from '../../src/wire/layout.ts'
import { identityKernel } from './identity-kernel.ts'
import { seeded } from './raw.ts'
import {
  faultsOf,
  linesOf,
  linesOfModel,
  randomSeries,
  writeVersion1,
  writeVersion2,
} from './round-trip.ts'

// Whatever version comes in and goes out, points are the same, compared by protobuf-es.

const pairs: [input: 1 | 2, output: 1 | 2][] = [
  [1, 1],
  [1, 2],
  [2, 1],
  [2, 2],
]
const shapes = [
  ['in one piece', { rows: 500, generation: 1 << 18, piece: 1 << 16 }, 1e6],
  ['in small pieces', { rows: 500, generation: 1 << 18, piece: 600 }, 3],
  ['a point at a time', { rows: 500, generation: 1 << 18, piece: 1 << 16 }, 1],
  [
    'in tiny pieces, with a table that turns over',
    { rows: 500, generation: 1 << 13, piece: 1500 },
    2,
  ],
  ['with few rows', { rows: 9, generation: 1 << 18, piece: 1 << 16 }, 1e6],
] as const

describe.each(pairs)('remote write %i to %i', (input, output) => {
  test.each(shapes)('%s: every point comes out once', (_, sizes, points) => {
    const next = seeded(5)
    const run = identityKernel(sizes)
    let parts = 0
    let sent = 0
    for (let round = 0; round < 400; round++) {
      const mixed = next(2) > 0
      const model = Array.from({ length: 1 + next(8) }, () => randomSeries(next, mixed))
      const body = input === 1 ? writeVersion1(model) : writeVersion2(model, next)
      const got = run(body, points, input, output)
      if (typeof got === 'number') {
        expect([E_RUNS, E_EXPANDS]).toContain(got)
        continue
      }
      parts += got.parts
      const want = linesOfModel(model)
      const out = linesOf(got.pieces, output)
      sent += out.length
      for (const kind of [SAMPLES, HISTOGRAMS, EXEMPLARS, METADATA]) {
        const { superseded, unwanted, oversize, rejected, sent } = got
        const ends = [superseded, unwanted, oversize, rejected, sent]
        expect(ends.reduce((sum, counts) => sum + counts[kind]!, 0)).toBe(got.received[kind])
      }
      const [samples, histograms, exemplars] = got.received as [number, number, number]
      expect(samples + histograms + exemplars).toBe(want.length)
      expect(got.rejected).toEqual([0, 0, 0, 0])
      // Only exemplars may stay behind, and only where there is nothing for them to travel with.
      expect(got.unwanted.slice(0, 2)).toEqual([0, 0])
      if (output === 1) expect(got.unwanted).toEqual([0, 0, 0, 0])
      const gone =
        got.superseded[0]! +
        got.superseded[1]! +
        got.unwanted[EXEMPLARS]! +
        got.oversize.reduce((a, b) => a + b, 0)
      expect(out.length + gone).toBe(want.length)
      const left = [...want]
      for (const point of out) {
        const i = left.indexOf(point)
        expect(i, point).toBeGreaterThanOrEqual(0)
        left.splice(i, 1)
      }
      if (output === 2) for (const piece of got.pieces) expect(faultsOf(piece)).toEqual([])
      if (points > 1e5 && got.parts === 0 && output === 2) {
        // Exemplars of series that have samples or histograms all go out.
        const based = new Set(
          want.filter((line) => !/ x /.test(line)).map((line) => line.split(' ')[0]),
        )
        const lost = left.filter((line) => / x /.test(line))
        expect(lost.filter((line) => based.has(line.split(' ')[0]))).toEqual([])
      }
    }
    expect(sent).toBeGreaterThan(500)
    if (sizes.rows < 10 || sizes.generation < 1 << 18) expect(parts).toBeGreaterThan(10)
  })
})

describe('mutated messages of 2.0', () => {
  test.each([1, 2] as const)(
    'are refused or come out as protobuf-es reads them, and never stray, to %i',
    (output) => {
      const next = seeded(7)
      const run = identityKernel({ rows: 300, generation: 1 << 14, piece: 2000 })
      const verdicts = { both: 0, refused: 0 }
      for (let round = 0; round < 5000; round++) {
        const model = Array.from({ length: 1 + next(5) }, () => randomSeries(next, true))
        const body = writeVersion2(model, next)
        for (let i = next(4); i >= 0; i--) body[next(body.length)] = next(4) ? next(256) : 0x80
        const cut = next(6) === 0 ? body.slice(0, next(body.length + 1)) : body
        const got = run(cut, 1 + next(20), 2, output)
        const oracle = read(cut, 2)
        if (typeof got === 'number') {
          expect([E_PROTO, E_RUNS, E_REFS, E_VERSION, E_EXPANDS]).toContain(got)
          verdicts.refused++
          continue
        }
        expect(oracle, Buffer.from(cut).toString('hex')).not.toBe('unsound')
        for (const piece of got.pieces) expect(read(piece, output)).not.toBe('unsound')
        if (oracle !== 'sound' || got.pieces.some((piece) => read(piece, output) !== 'sound'))
          continue
        verdicts.both++
        // A schema that is damaged may be one that is reduced, to other buckets.
        const bare = (line: string) => line.replace(/\/[^@]*@/, '@')
        const want = linesOf([cut], 2).map(bare)
        const out = linesOf(got.pieces, output).map(bare)
        expect(out.length).toBeLessThanOrEqual(want.length)
        expect(out.filter((point) => !want.includes(point))).toEqual([])
        if (output === 2) for (const piece of got.pieces) expect(faultsOf(piece)).toEqual([])
      }
      expect(verdicts.both).toBeGreaterThan(500)
      expect(verdicts.refused).toBeGreaterThan(500)
    },
  )

  test('random bytes are refused or empty', () => {
    const next = seeded(8)
    const run = identityKernel({ rows: 300, generation: 1 << 14, piece: 2000 })
    for (let round = 0; round < 3000; round++)
      run(
        Uint8Array.from({ length: next(60) }, () => next(256)),
        10,
        2,
        2,
      )
  })
})

/** What protobuf-es says: a request, no protobuf, or protobuf with a string that is no UTF-8 (which is the host's to judge). */
function read(body: Uint8Array, version: 1 | 2): 'sound' | 'unsound' | 'no text' {
  try {
    if (version === 1) fromBinary(WriteRequestSchema, body)
    else fromBinary(RequestSchema, body)
    return 'sound'
  } catch (error) {
    return /utf/i.test(String(error)) ? 'no text' : 'unsound'
  }
}
