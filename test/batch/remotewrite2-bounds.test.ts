import { describe, expect, test } from 'vitest'
import { type Batch, batchUp } from '../../src/batch/batch.ts'
import { totalOf } from '../../src/batch/counts.ts'
import type { Protocol } from '../../src/batch/protocol.ts'
import { RequestError } from '../../src/wire/request-error.ts'
import { Workspace } from '../../src/workspace.ts'
import { kernelModule } from '../kernel/load.ts'
import { config, NOW, Sluice } from './harness.ts'
import {
  type Bytes,
  double,
  exemplar,
  field,
  label,
  message,
  number,
  sample,
  series,
  text,
  varint,
} from './message.ts'
import { request, Symbols, sample2 } from './message2.ts'
import { lines1, lines2 } from './request2.ts'

// What a few bytes of remote write 2.0, or of histograms with custom buckets, may do to the house: name a large string very often, make a walk start over and over.

const T = NOW - 60_000
/** Far more than any of these takes, and far less than each took once. Milliseconds. */
const SLOW = 3000

type Part = Uint8Array | Bytes
const join = (...parts: readonly Part[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => Uint8Array.from(part))))
const wide = (no: number, payload: Uint8Array) =>
  join(varint((no << 3) | 2), varint(payload.length), payload)
const times = (n: number, one: (i: number) => Part) =>
  join(...Array.from({ length: n }, (_, i) => one(i)))
/** So many empty fields that nobody knows. */
const padding = (fields: number) => new Uint8Array(2 * fields).map((_, i) => (i % 2 ? 0 : 0x3a))

function both(more: { sluice?: string; a?: string; b?: string; table?: number } = {}): Sluice {
  const sluice = new Sluice(
    config(`
remote_write:
  - {name: a, url: "http://a.test/"${more.a ? `, ${more.a}` : ''}}
  - {name: b, url: "http://b.test/", protobuf_message: io.prometheus.write.v2.Request${more.b ? `, ${more.b}` : ''}}
sluice: {auth: none${more.sluice ? `, ${more.sluice}` : ''}}
`),
  )
  if (more.table === undefined) return sluice
  return Object.assign(sluice, { workspace: new Workspace(kernelModule, { table: more.table }) })
}

/** The body through the section without a copy of what goes out. Pieces are given back. */
function batchOf(sluice: Sluice, body: Uint8Array, protocol: Protocol = 'remotewrite2'): Batch {
  const { workspace, config } = sluice
  const batch = workspace.enter(config, ({ kernel, table, streams }) =>
    kernel.use(() =>
      batchUp(kernel, table, streams, workspace.pool, kernel.load(body), {
        protocol,
        tenant: 0,
        latest: NOW,
        maxSeries: config.limits.series,
        subrequests: config.limits.subrequests,
        held: 32 << 20,
      }),
    ),
  )
  for (const { pieces } of batch.cargos) for (const { bytes } of pieces) workspace.pool.give(bytes)
  return batch
}

function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof RequestError) return error.code
    throw error
  }
  return 'taken'
}

/** Milliseconds. */
function timed(run: () => unknown): number {
  const before = performance.now()
  run()
  return performance.now() - before
}

describe('labels of an exemplar that come to more bytes than an address has', () => {
  const big = 8 << 20
  test.each([
    ['by far', 600, 0],
    ['so that a sum of 32 bits is 0', 512, 10],
    ['so that a sum of 32 bits is 0 again', 1024, 10],
    ['so that a sum of 32 bits is small', 512, 9],
  ])('are refused, %s', (_, labels, less) => {
    const symbol = Buffer.alloc(big - less, 97)
    const refs = Array.from({ length: labels }, () => [3, 0]).flat()
    const body = join(
      ...[text(4, ''), text(4, '__name__'), text(4, 'm'), wide(4, symbol)],
      field(5, [
        ...field(1, [1, 2]),
        ...sample2(1, T),
        ...field(4, [...field(1, refs), ...double(2, 1)]),
      ]),
    )
    const sluice = both()
    const { kernel } = sluice.workspace.enter(sluice.config, (section) => section)
    expect(refusal(() => batchOf(sluice, body))).toBe('expands_too_far')
    // The kernel was not lost over it.
    expect(sluice.workspace.enter(sluice.config, (section) => section).kernel).toBe(kernel)
  })
})

describe('a large string that is named very often is looked at once', () => {
  const symbols = (size: number) =>
    join(text(4, ''), text(4, '__name__'), text(4, 'm'), wide(4, Buffer.alloc(size, 97)))
  const about = (labels: Bytes, metadata: Bytes) =>
    field(5, [...labels, ...sample2(1, T), ...field(5, metadata)])
  test.each<[string, number, (i: number) => Bytes]>([
    [
      'as help, beside ever other types',
      200_000,
      (i) => about(field(1, [1, 2]), [...number(1, i + 1), ...number(3, 3)]),
    ],
    [
      'as unit, beside ever other types',
      200_000,
      (i) => about(field(1, [1, 2]), [...number(1, i + 1), ...number(4, 3)]),
    ],
    ['as the name of a metric', 4 << 20, () => about(field(1, [1, 3]), number(1, 1))],
    [
      'as the name of a metric whose metadata there is no room for',
      4 << 20,
      () => about(field(1, [1, 3]), [...number(3, 3), ...number(4, 3)]),
    ],
  ])('%s', (_, size, one) => {
    const body = join(symbols(size), times(Math.ceil(12e9 / size), one))
    expect(timed(() => refusal(() => batchOf(both(), body)))).toBeLessThan(SLOW)
  })

  test('as help, when it is written for 2.0', () => {
    const names = times(40_000, (i) => text(4, `n${i}`))
    const body = join(
      symbols(2 << 20),
      names,
      times(40_000, (i) =>
        about(field(1, [1, ...varint(4 + i)]), [...number(1, (i % 2) + 1), ...number(3, 3)]),
      ),
    )
    const sluice = both({ b: 'queue_config: {max_samples_per_send: 10000}' })
    expect(timed(() => batchOf(sluice, body))).toBeLessThan(SLOW)
  })

  test('and metadata that is too large for 1.0 does not cut the request into parts', () => {
    const sluice = both()
    const body = join(
      symbols(4 << 20),
      times(300, () => about(field(1, [1, 2]), number(3, 3))),
    )
    const { cargos, received } = batchOf(sluice, body)
    expect(received).toMatchObject({ samples: 300, metadata: 0 })
    expect(cargos.map(({ pieces }) => pieces.length)).toEqual([1, 0])
    // 2.0 has no room for it either: it belongs to its series.
    expect(cargos[1]!.oversize.samples + cargos[1]!.superseded.samples).toBe(300)
  })
})

test('a body that goes in many parts does not walk along itself in each of them', () => {
  const body = join(
    ...[text(4, ''), text(4, '__name__'), text(4, 'm'), wide(4, Buffer.alloc(550_000, 97))],
    times(70, (i) => {
      const large = field(4, [...field(1, [3, 3]), ...double(2, 1)])
      return field(5, [...field(1, [1, 2]), ...sample2(1, T + i), ...large])
    }),
    padding(1 << 20),
  )
  // As many requests as it takes, so that nothing else ends it.
  const sluice = both({ sluice: 'limits: {subrequests: 10000}', a: 'send_exemplars: false' })
  expect(refusal(() => batchOf(sluice, body))).toBe('expands_too_far')
})

test('metadata whose length does not fit one byte is read as it is, also of series that are known', () => {
  const symbols = new Symbols()
  const one = (metadata: Bytes) => [
    ...symbols.labels([['__name__', 'm']]),
    ...sample2(1, T),
    ...metadata,
  ]
  // 0x85 0x08 is 1029; taken for 0x85, 133, the field would end with its series.
  const wrong = [0x2a, 0x85, 0x08, 1, ...field(15, Array(128).fill(0))]
  const sluice = both()
  sluice.run(request(symbols, [one([])]), 0, 'remotewrite2')
  const right = one(field(5, field(15, Array(129).fill(0))))
  const body = (last: Bytes) => request(symbols, [...Array(20).fill(one([])), last])
  expect(sluice.run(body(right), 0, 'remotewrite2').batch.received.samples).toBe(21)
  expect(() => sluice.run(body(one(wrong)), 0, 'remotewrite2')).toThrow(/not a valid/)
})

/** A histogram with custom buckets and one observation. */
const custom = (tag: 3 | 4, bounds: readonly number[], time: number): Bytes =>
  field(tag, [
    ...number(1, 1),
    ...double(3, 1),
    ...number(4, 105),
    ...field(11, number(2, 1)),
    ...field(12, [2]),
    ...number(15, time),
    ...field(16, [...new Uint8Array(Float64Array.from(bounds).buffer)]),
  ])

describe.each([1, 2] as const)('one series of histograms with ever other bounds, in %i.0', (v) => {
  const body = (n: number) => {
    const points = times(n, (i) => custom(v === 1 ? 4 : 3, [i + 1], T - n + i))
    const labels = v === 1 ? label('__name__', 'h') : field(1, [1, 2])
    const one = wide(v === 1 ? 1 : 5, join(labels, points))
    return v === 1 ? one : join(text(4, ''), text(4, '__name__'), text(4, 'h'), one)
  }

  test('is walked once, not for each of them', () => {
    const sluice = both()
    const { cargos } = batchOf(sluice, body(4000), `remotewrite${v}`)
    expect(cargos[0]).toMatchObject({ expanded: 4000, made: 16_000 })
    // Known by now, it takes as long.
    const again = timed(() => batchOf(sluice, body(4000), `remotewrite${v}`))
    const anew = timed(() => batchOf(both(), body(4000), `remotewrite${v}`))
    expect(anew).toBeLessThan(20 * again + 500)
  })

  test('leaves no points behind of a walk that was given up', () => {
    // Exemplars are written anew from 2.0: for every miss again, they would fill the room for points.
    const large = field(4, [...field(1, [3, 3]), ...double(2, 1), ...number(3, T)])
    const id = 'x'.repeat(100_000)
    const points = times(30, (i) => custom(v === 1 ? 4 : 3, [i + 1], T + i))
    const one =
      v === 1
        ? wide(1, join(label('__name__', 'h'), points, exemplar({ a: id }, 1, T)))
        : wide(5, join(field(1, [1, 2]), points, large, large))
    const symbols = [text(4, ''), text(4, '__name__'), text(4, 'h'), text(4, id)]
    const { cargos } = batchOf(both(), join(...(v === 1 ? [] : symbols), one), `remotewrite${v}`)
    expect(cargos[0]).toMatchObject({ expanded: 30, made: 120 })
    expect(cargos[0]!.pieces.reduce((sum, { counts }) => sum + counts.exemplars, 0)).toBe(v)
  })

  test('that no table can hold is refused, and does not turn it over for ever', () => {
    const sluice = both({ table: 65_536 })
    const bounds = (k: number) => Array.from({ length: 60 }, (_, i) => i + k / 10)
    const points = Array.from({ length: 8 }, (_, k) => custom(v === 1 ? 4 : 3, bounds(k), T + k))
    const symbols = new Symbols()
    const large =
      v === 1
        ? message(series(label('__name__', 'h'), ...points))
        : request(symbols, [[...symbols.labels([['__name__', 'h']]), ...points.flat()]])
    for (let round = 0; round < 3; round++) {
      expect(refusal(() => batchOf(sluice, large, `remotewrite${v}`))).toBe('series_too_large')
      expect(batchOf(sluice, body(1), `remotewrite${v}`).cargos[0]!.made).toBe(4)
    }
  })
})

test('series that stand in for histograms count as series of the body', () => {
  const bounds = Array.from({ length: 96 }, (_, i) => i)
  const body = (n: number) =>
    message(
      ...Array.from({ length: n }, (_, i) =>
        series(label('__name__', `h${i}`), custom(4, bounds, T)),
      ),
    )
  const sluice = both({ sluice: 'limits: {series: 1000}' })
  for (let round = 0; round < 2; round++) {
    expect(batchOf(sluice, body(10), 'remotewrite1').series).toBe(1000)
    expect(refusal(() => batchOf(sluice, body(11), 'remotewrite1'))).toBe('too_many_series')
  }
})

test('an exemplar that fits no piece does not take the place of the next one', () => {
  const sluice = both({ b: 'max_bytes_per_send: 1KB' })
  const at = (i: number, size: number) => exemplar({ id: 'x'.repeat(size) }, i, T + i)
  const body = message(
    series(label('__name__', 'm'), sample(1, T), at(0, 2000), at(1, 5), at(2, 3000), at(3, 6)),
  )
  const outcome = sluice.run(body)
  const cargo = outcome.batch.cargos.find(({ stream }) => stream.message === 2)!
  const raw = outcome.raw[outcome.batch.cargos.indexOf(cargo)]!
  expect(lines2(raw, T).map((line) => line.slice(0, 6))).toEqual(['m 1@0', 'm x1@1'])
  expect(cargo.oversize.exemplars).toBe(1)
  expect(totalOf(cargo.unwanted)).toBe(2)
})

test('metadata of 1.0 that is not UTF-8 does not go out with the series that are', () => {
  const sluice = both()
  const bad = (no: number) => field(3, [...text(2, 'm'), ...field(no, [0xff])])
  const body = message(
    bad(4),
    bad(5),
    field(3, [...text(2, 'm'), ...text(4, 'é')]),
    field(3, field(2, [0xc3])),
    series(label('__name__', 'm'), sample(1, T)),
  )
  const outcome = sluice.run(body)
  expect(lines1(outcome, 0, T)).toEqual(['m 1@0', '# m 0 é/'])
  expect(outcome.batch.rejected).toMatchObject([{ code: 'invalid_utf8', counts: { metadata: 3 } }])
  expect(outcome.batch.received.metadata).toBe(4)
})
