import { describe, expect, test } from 'vitest'
import { batchUp } from '../../src/batch/batch.ts'
import { totalOf } from '../../src/batch/counts.ts'
import { RequestError } from '../../src/wire/request-error.ts'
import { Workspace } from '../../src/workspace.ts'
import { kernelModule } from '../kernel/load.ts'
import { seeded } from '../kernel/raw.ts'
import { config, configWith, NOW, Sluice } from './harness.ts'
import {
  type Bytes,
  field,
  label,
  message,
  number,
  sample,
  series,
  text,
  varint,
} from './message.ts'

// What a body may do to the house: hold it up, fill it up.

const T = NOW - 60_000
const named = (name: string, ...fields: Bytes[]) => series(label('__name__', name), ...fields)
const broken = field(1, [0x0a, 9, 1])

/** With a table that is soon full. */
class SmallTable extends Sluice {
  override readonly workspace = new Workspace(kernelModule, { table: 65_536 })
}

describe('a number of more than 64 bits is refused', () => {
  /** v in ten bytes, the last of which has a bit that does not fit. */
  const huge = (v: number) => [...varint(v, 9).slice(0, 9), 2]
  const point = sample(1, T)
  test.each<[string, Bytes]>([
    [
      'as a length in a label',
      named('m', field(1, [0x0a, ...huge(1), 97, ...text(2, 'v')]), point),
    ],
    ['as a tag in a label', named('m', field(1, [...huge(10), 1, 97, ...text(2, 'v')]), point)],
    ['in what a label has besides', named('m', field(1, [...text(1, 'a'), 56, ...huge(1)]), point)],
    ['as the length of a label', named('m', [0x0a, ...huge(3), ...text(1, 'a')], point)],
    ['as a length in metadata', field(3, [0x12, ...huge(1), 97])],
    ['as a time', named('m', field(2, [0x10, ...huge(T)]))],
    ['as the length of a series', [0x0a, ...huge(point.length), ...point]],
  ])('%s', (_, bytes) => {
    const sluice = new Sluice(configWith())
    expect(() => sluice.run(message(bytes))).toThrow(/not a valid prometheus.WriteRequest/)
  })

  test('and one of 64 bits is not', () => {
    const first = named('m', field(2, number(2, -1n << 63n)))
    const { out } = new Sluice(configWith()).run(message(first))
    expect(out[0]![0]!.timeseries[0]!.samples[0]!.timestamp).toBe(-1n << 63n)
  })
})

test('a tag has five bytes at the most', () => {
  const run = (tag: Bytes) =>
    new Sluice(configWith()).run(message([...tag, ...named('m').slice(1)])).batch
  expect(run(varint(10, 4)).series).toBe(1)
  expect(() => run(varint(10, 5))).toThrow(/not a valid prometheus.WriteRequest/)
})

describe('groups', () => {
  const nested = (n: number) => [...Array(n).fill(0x5b), ...Array(n).fill(0x5c)]
  test.each<[string, boolean, Bytes]>([
    ['in each other', true, [0x5b, 0x63, 0x08, 0x01, 0x64, 0x5c]],
    ['that end as another one', false, [0x5b, 0x64]],
    ['that end crosswise', false, [0x5b, 0x63, 0x5c, 0x64]],
    ['without an end', false, [0x5b, 0x5b, 0x5c]],
    ['ninety deep', true, nested(90)],
    ['deeper than that', false, nested(91)],
    ['very much deeper', false, nested(30_000)],
  ])('%s: are they taken? %s', (_, taken, group) => {
    for (const bytes of [
      group,
      named('m', sample(1, T), group),
      named('m', field(1, [...text(1, 'a'), ...text(2, 'b'), ...group]), sample(1, T)),
      named('m', field(2, [...number(2, T), ...group])),
    ]) {
      const run = () => new Sluice(configWith()).run(message(bytes))
      if (taken) expect(run().batch.rejected).toEqual([])
      else expect(run).toThrow(/not a valid prometheus.WriteRequest/)
    }
  })
})

test('all labels of a key that is too long to be looked up are checked', () => {
  const run = (last: Bytes) =>
    new Sluice(configWith()).run(
      message(named('m', sample(1, T), label('x', 'v'.repeat(1_200_000)), last)),
    )
  expect(run(label('a', 'b')).batch.rejected.map(({ code }) => code)).toEqual(['too_many_labels'])
  expect(() => run(broken)).toThrow(/not a valid prometheus.WriteRequest/)
})

test('a table that is full of labels without series makes room', () => {
  const sluice = new SmallTable(configWith())
  for (let i = 0; i < 60; i++) {
    const labels = Array.from({ length: 20 }, (_, j) => label(`l${j}`, `${i} `.repeat(30)))
    const body = message(series(...labels, broken, sample(1, T)))
    expect(() => sluice.run(body)).toThrow(/not a valid prometheus.WriteRequest/)
  }
  const body = message(named('up', label('x', 'v'.repeat(10_000)), sample(1, T)))
  expect(sluice.run(body).out[0]).toHaveLength(1)
})

test('a series that no table can hold is refused, and the next body is none the worse', () => {
  const sluice = new SmallTable(configWith())
  const large = message(
    named('up', label('x', 'v'.repeat(15_000)), label('y', 'v'.repeat(15_000)), sample(1, T)),
  )
  for (let i = 0; i < 3; i++) {
    expect(() => sluice.run(large)).toThrow(/too large for the series table/)
    const body = message(named('up', label('i', `${i}`), sample(1, T)))
    expect(sluice.run(body).out[0]).toHaveLength(1)
  }
})

describe('requests to origins', () => {
  const many = (n: number) => message(named('m', ...Array.from({ length: n }, () => [0x12, 0])))

  test('are not made by the thousand before there are too many', () => {
    const fine = 'queue_config: {max_samples_per_send: 1}'
    for (const [bytes, fails] of [
      [1e6, false],
      [100, true],
    ] as const) {
      const sluice = new Sluice(configWith('[]', { origin: fine, bytes }))
      const { pool } = sluice.workspace
      const { copy } = pool
      let made = 0
      pool.copy = (bytes) => {
        made++
        return copy(bytes)
      }
      if (fails) expect(() => sluice.run(many(20_000))).toThrow(/limits.subrequests is 50/)
      else expect(sluice.run(many(20_000)).out[0]).toHaveLength(1)
      expect(made).toBeLessThanOrEqual(100)
    }
  })

  test('suffice for a body that goes in parts, whatever the first part could do with', () => {
    for (let subrequests = 12; subrequests < 90; subrequests += 3) {
      const yaml = config(`
remote_write:
  - {name: a, url: "http://a.test/", queue_config: {max_samples_per_send: 10}}
  - {name: b, url: "http://b.test/", queue_config: {max_samples_per_send: 7}}
sluice: {auth: none, limits: {subrequests: ${subrequests}}}`)
      const body = message(
        ...Array.from({ length: 400 }, (_, i) => named(`m${i}`, label('i', `${i}`), sample(i, T))),
      )
      const { batch } = new SmallTable(yaml).run(body)
      expect(batch.turnOvers).toBeGreaterThan(0)
      expect(batch.cargos.flatMap(({ pieces }) => pieces).length).toBeLessThanOrEqual(subrequests)
      for (const { pieces } of batch.cargos)
        expect(pieces.reduce((sum, { counts }) => sum + totalOf(counts), 0)).toBe(400)
    }
  })

  test('that are cut anew count what is left out once', () => {
    const yaml = config(`
remote_write:
  - {name: a, url: "http://a.test/", queue_config: {max_samples_per_send: 30}}
  - name: b
    url: "http://b.test/"
    queue_config: {max_samples_per_send: 1}
    send_exemplars: false
    write_relabel_configs: [{source_labels: [__name__], regex: "m1.*", action: drop}, {target_label: i, replacement: same}]
sluice: {auth: none, limits: {subrequests: 10}}`)
    const body = message(
      ...Array.from({ length: 100 }, (_, i) =>
        named(`m${i % 50}`, label('i', `${i}`), sample(i, T), field(3, number(3, T))),
      ),
    )
    const { batch } = new Sluice(yaml).run(body)
    const [a, b] = batch.cargos
    expect(a!.pieces).toHaveLength(1)
    expect(b!.dropped).toMatchObject({ samples: 22, exemplars: 22 })
    expect(b!.unwanted).toMatchObject({ samples: 0, exemplars: 78 })
    expect(b!.superseded.samples).toBe(39)
    expect(b!.pieces.map(({ counts }) => counts.samples)).toEqual([39])
  })
})

test('pieces take no more memory than they may, and none when they would', () => {
  const sluice = new Sluice(configWith('[]', { bytes: 20_000 }))
  const next = seeded(3)
  const noise = () => Array.from({ length: 30 }, () => next(36).toString(36)).join('')
  const body = message(
    ...Array.from({ length: 4000 }, (_, i) => named(`${noise()}${i}`, sample(1, T))),
  )
  const { workspace } = sluice
  const run = (most: number) =>
    workspace.enter(sluice.config, ({ kernel, table, streams }) =>
      kernel.use(() => {
        const options = {
          protocol: 'remotewrite1',
          tenant: 0,
          latest: NOW,
          maxSeries: 1e5,
          subrequests: 50,
          held: most,
        } as const
        const n = kernel.load(body)
        return batchUp(kernel, table, streams, workspace.pool, n, options).cargos[0]!.pieces
      }),
    )
  const pieces = run(1e6)
  const held = pieces.reduce((sum, { bytes }) => sum + bytes.buffer.byteLength, 0)
  for (const { bytes } of pieces) workspace.pool.give(bytes)
  expect(run(held)).toHaveLength(pieces.length)
  expect(workspace.pool.idle).toBe(0)
  expect(() => run(held - 1)).toThrow(RequestError)
  expect(workspace.pool.idle).toBe(held)
})
