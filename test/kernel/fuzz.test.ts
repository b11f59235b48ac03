import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { type TimeSeries, WriteRequestSchema } from '../../src/wire/gen/prometheus_pb.js'
import { E_PROTO, E_RUNS, E_VERSION } from '../../src/wire/layout.ts'
import {
  type Bytes,
  exemplar,
  histogram,
  label,
  message,
  metadata,
  sample,
  series,
} from '../batch/message.ts'
import { identityKernel } from './identity-kernel.ts'
import { seeded } from './raw.ts'

// What the kernel makes of a body is compared with protobuf-es.

const fields: ((next: (n: number) => number) => Bytes)[] = [
  (next) => sample(next(5), 1.7e12 + next(6), next(3)),
  (next) => sample(next(5), 1.7e12 + next(6)),
  (next) => sample(0, 1.7e12 + next(6)),
  (next) => histogram(1 + next(5), 1.7e12 + next(4)),
  (next) => exemplar({ trace_id: `t${next(3)}` }, next(9), 1.7e12 + next(4)),
  (next) => label(`l${next(6)}`, `v${next(4)}`),
  () => [0x38, 0x07],
]

function randomMessage(next: (n: number) => number): Uint8Array {
  const parts = Array.from({ length: 1 + next(8) }, () => {
    if (next(9) === 0) return metadata(next(8), `m${next(5)}`, 'help')
    const labels = [
      label('__name__', `m${next(4)}`),
      ...Array.from({ length: next(4) }, (_, i) => label(`l${i}`, `v${next(3)}`)),
    ]
    const points = Array.from({ length: next(6) }, () => fields[next(fields.length)]!(next))
    return series(...labels, ...points)
  })
  return message(...parts)
}

/** Every point of a request as text, with its series' labels as sent. */
function pointsOf(requests: readonly Uint8Array[]): string[] {
  const points: string[] = []
  for (const request of requests) {
    const { timeseries, metadata } = fromBinary(WriteRequestSchema, request)
    for (const series of timeseries) points.push(...seriesPoints(series))
    for (const { metricFamilyName, type, help } of metadata)
      points.push(`${metricFamilyName} ${type} ${help}`)
  }
  return points.sort()
}

function seriesPoints({ labels, samples, histograms, exemplars }: TimeSeries): string[] {
  const name = labels.map(({ name, value }) => `${name}=${value}`).join()
  return [
    ...samples.map((s) => `${name} s ${s.value} ${s.timestamp}`),
    ...histograms.map((h) => `${name} h ${h.sum} ${h.timestamp} ${h.positiveDeltas}`),
    ...exemplars.map((e) => `${name} x ${e.value} ${e.timestamp} ${e.labels.map((l) => l.value)}`),
  ]
}

describe('random messages', () => {
  test.each([
    ['in one piece', { rows: 500, generation: 1 << 18, piece: 1 << 16 }, 1e6],
    ['in small pieces', { rows: 500, generation: 1 << 18, piece: 300 }, 3],
    [
      'with a table that turns over all the time',
      { rows: 500, generation: 1 << 13, piece: 1 << 16 },
      1e6,
    ],
    ['with few rows', { rows: 6, generation: 1 << 18, piece: 1 << 16 }, 1e6],
  ])('%s come out with every point', (_, sizes, points) => {
    const next = seeded(5)
    const run = identityKernel(sizes)
    let turned = 0
    for (let round = 0; round < 600; round++) {
      const body = randomMessage(next)
      const got = run(body, points)
      if (typeof got === 'number') {
        expect(got).toBe(E_RUNS)
        continue
      }
      turned += got.parts
      const want = pointsOf([body])
      const out = pointsOf(got.pieces)
      // What is superseded is gone from `out`; all else is there, and nothing that was not sent.
      expect(out.length + got.superseded[0]! + got.superseded[1]!).toBe(want.length)
      const left = [...want]
      for (const point of out) {
        const i = left.indexOf(point)
        expect(i, point).toBeGreaterThanOrEqual(0)
        left.splice(i, 1)
      }
    }
    if (sizes.rows === 6 || sizes.generation < 1 << 18) expect(turned).toBeGreaterThan(10)
  })

  test('merged series are in time order', () => {
    const next = seeded(6)
    const run = identityKernel({ rows: 500, generation: 1 << 18, piece: 1 << 16 })
    for (let round = 0; round < 300; round++) {
      const body = message(
        ...Array.from({ length: 2 + next(4) }, () =>
          series(label('__name__', 'm'), sample(next(9), 1.7e12 + next(9))),
        ),
      )
      const got = run(body, 1e6)
      if (typeof got === 'number') throw new Error(`refused: ${got}`)
      const times = fromBinary(WriteRequestSchema, got.pieces[0]!).timeseries[0]!.samples.map(
        (s) => s.timestamp,
      )
      expect(times).toEqual([...new Set(times)].sort())
    }
  })
})

describe('mutated messages', () => {
  test('are refused or come out as protobuf-es reads them, and never stray', () => {
    const next = seeded(7)
    const run = identityKernel({ rows: 300, generation: 1 << 14, piece: 2000 })
    const verdicts = { both: 0, stricter: 0 }
    for (let round = 0; round < 6000; round++) {
      const body = randomMessage(next)
      for (let i = next(4); i >= 0; i--) body[next(body.length)] = next(4) ? next(256) : 0x80
      const cut = next(6) === 0 ? body.slice(0, next(body.length + 1)) : body
      const got = run(cut, 1 + next(20))
      const oracle = read(cut)
      if (typeof got === 'number') {
        expect([E_PROTO, E_RUNS, E_VERSION]).toContain(got)
        if (oracle === 'sound') verdicts.stricter++ // wire types of known fields, which protobuf-es does not look at
        continue
      }
      // Nothing that is no protobuf passes, and what passes is protobuf again.
      expect(oracle, Buffer.from(cut).toString('hex')).not.toBe('unsound')
      for (const piece of got.pieces) expect(read(piece)).not.toBe('unsound')
      if (oracle !== 'sound') continue
      verdicts.both++
      const want = pointsOf([cut])
      const out = pointsOf(got.pieces)
      expect(out.length).toBeLessThanOrEqual(want.length)
      expect(out.filter((point) => !want.includes(point))).toEqual([])
    }
    expect(verdicts.both).toBeGreaterThan(500)
    expect(verdicts.stricter).toBeLessThan(verdicts.both)
  })

  test('of random bytes are refused or empty', () => {
    const next = seeded(8)
    const run = identityKernel({ rows: 300, generation: 1 << 14, piece: 2000 })
    for (let round = 0; round < 3000; round++)
      run(
        Uint8Array.from({ length: next(60) }, () => next(256)),
        10,
      )
  })
})

/** What protobuf-es says: a request, no protobuf, or protobuf with a string that is no UTF-8 (which is the host's to judge). */
function read(body: Uint8Array): 'sound' | 'unsound' | 'no text' {
  try {
    fromBinary(WriteRequestSchema, body)
    return 'sound'
  } catch (error) {
    return /utf/i.test(String(error)) ? 'no text' : 'unsound'
  }
}
