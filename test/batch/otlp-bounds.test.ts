import { toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { ExportMetricsServiceRequestSchema } from '../../src/wire/gen/opentelemetry_pb.js'
import { RequestError } from '../../src/wire/request-error.ts'
import { Workspace } from '../../src/workspace.ts'
import { kernelModule } from '../kernel/load.ts'
import { seeded } from '../kernel/raw.ts'
import { configWith, type Outcome, Sluice } from './harness.ts'
import { fill, join, runLoaded, wrap } from './otlp-load.ts'
import {
  anyRequest,
  attributes,
  bytesOf,
  bytesOfRequest,
  counter,
  gauge,
  listOf,
  nanos,
  point,
  requestOf,
  resourceOf,
  stringOf,
  T,
} from './otlp-request.ts'
import { scramble } from './otlp-scramble.ts'

// What strangers may send to cost much: every body is done with in time that grows with its bytes.

const MB = 1_000_000
/** For 4 MB, on a slow machine, with tests beside: what grows faster than its bytes takes minutes. */
const SLOW = 6000
const bytes = (...numbers: number[]) => Uint8Array.from(numbers)
const text = (value: string) => new TextEncoder().encode(value)
const time = bytes(0x19, ...new Uint8Array(BigUint64Array.of(nanos(T)).buffer))
const value = bytes(0x21, ...new Uint8Array(Float64Array.of(1).buffer))

const metrics = (...all: Uint8Array[]) => wrap(1, wrap(2, ...all))
const counterOf = (...points: Uint8Array[]) =>
  metrics(wrap(2, wrap(1, text('m')), wrap(7, bytes(16, 2), ...points)))
const gaugeOf = (...points: Uint8Array[]) =>
  metrics(wrap(2, wrap(1, text('m')), wrap(5, ...points)))
const pointOf = (...fields: Uint8Array[]) => wrap(1, time, value, ...fields)
const attribute = (key: string, value: Uint8Array) => wrap(7, wrap(1, text(key)), wrap(2, value))
const exotic = (i: number) =>
  wrap(5, attribute('b', wrap(7, bytes(i & 255, (i >> 8) & 255, i >> 16))))
const many = (n: number, one: (i: number) => Uint8Array) =>
  join(Array.from({ length: n }, (_, i) => one(i)))
/** A resource and two points, one of 1970. */
const targets = (i: number) =>
  wrap(
    1,
    wrap(
      1,
      wrap(
        1,
        ...[text('service.name')].map((key) => wrap(1, key)),
        wrap(2, wrap(1, text(`s${i}`))),
      ),
      wrap(1, wrap(1, text('more')), wrap(2, wrap(1, text('x')))),
    ),
    wrap(
      2,
      wrap(
        2,
        wrap(1, text('m')),
        wrap(5, wrap(1, bytes(0x19, 0, 0, 0, 1, 0, 0, 0, 0), value), pointOf()),
      ),
    ),
  )

describe('bodies that are made to cost much', () => {
  test.each<[string, () => Uint8Array]>([
    ['two million empty resources', () => fill(wrap(1), 4 * MB)],
    ['two million empty scopes', () => wrap(1, fill(wrap(2), 4 * MB))],
    ['two million empty metrics', () => metrics(fill(wrap(2), 4 * MB))],
    ['two million empty points', () => gaugeOf(fill(wrap(1), 4 * MB))],
    [
      'metrics of other names whose points are all rejected',
      () => metrics(many(200_000, (i) => wrap(2, wrap(1, text(`m${i}`)), wrap(5, wrap(1))))),
    ],
    ['one point of a million exemplars', () => counterOf(pointOf(fill(wrap(5), 4 * MB)))],
    [
      'one point of exemplars that the host writes',
      () => counterOf(pointOf(many(150_000, exotic))),
    ],
    [
      'one long point of exemplars that the host writes',
      () => counterOf(pointOf(fill(bytes(0x40, 0), 4 * MB), many(3000, exotic))),
    ],
    [
      'points of exemplars that the host writes',
      () => counterOf(many(1000, (i) => pointOf(many(200, (j) => exotic(i * 200 + j))))),
    ],
    ['one point of two million flags', () => gaugeOf(pointOf(fill(bytes(0x40, 0), 4 * MB)))],
    ['one point of two million attributes', () => gaugeOf(pointOf(fill(wrap(7), 4 * MB)))],
    ['resources of half a century', () => many(20_000, targets)],
    [
      'values that stand in each other',
      () => {
        let deep: Uint8Array = wrap(1, text('x'))
        for (let i = 0; i < 60; i++) deep = wrap(5, wrap(1, deep))
        return gaugeOf(many(20_000, (i) => pointOf(attribute(`k${i}`, deep))))
      },
    ],
    [
      'groups that stand in each other',
      () => {
        const groups = join([fill(bytes(0x83, 0x3f), 160), fill(bytes(0x84, 0x3f), 160)])
        return gaugeOf(pointOf(fill(groups, 4 * MB)))
      },
    ],
    [
      'attributes that make label values of megabytes',
      () =>
        gaugeOf(
          many(4, (i) =>
            pointOf(
              attribute(`k${i}`, wrap(5, wrap(1, wrap(1, new Uint8Array(1_900_000).fill(1))))),
            ),
          ),
        ),
    ],
    [
      'bounds of thousands of series that are rejected',
      () => {
        const bounds = new Uint8Array(
          Float64Array.from({ length: 4000 }, (_, i) => i % 3999).buffer,
        )
        const one = (i: number) => wrap(1, time, wrap(9, wrap(1, text(`k${i}`))), wrap(7, bounds))
        return metrics(wrap(2, wrap(1, text('m')), wrap(9, bytes(16, 2), many(200, one))))
      },
    ],
  ])(
    '%s',
    (_, body) => {
      const limits = 'limits: {labels: 127, label_name: 65535, label_value: 1MB}'
      const sluice = new Sluice(configWith('[]', { sluice: limits }))
      const message = body()
      const start = performance.now()
      try {
        runLoaded(sluice, message)
      } catch (error) {
        expect(error).toBeInstanceOf(RequestError)
        expect((error as RequestError).status).toBe(413)
      }
      expect(performance.now() - start).toBeLessThan(SLOW)
      // And the section is as good as ever.
      expect(runLoaded(sluice, requestOf(gauge('after', point(1)))).received.samples).toBe(1)
    },
    60_000,
  )

  test('exemplars that fill a whole table with what they have, though not its point', () => {
    class Small extends Sluice {
      override readonly workspace = new Workspace(kernelModule, { table: 40_000 })
    }
    const big = (i: number) => ({
      timeUnixNano: nanos(T),
      filteredAttributes: attributes({ k: bytesOf(...new Uint8Array(3000).fill(i)) }),
    })
    const exemplars = Array.from({ length: 12 }, (_, i) => big(i))
    const sluice = new Small(configWith())
    const { batch, out } = sluice.run(requestOf(counter('c', point(1, { exemplars }))), 0, 'otlp')
    expect(batch.turnOvers).toBeGreaterThan(0)
    expect(out[0]![0]!.timeseries[0]!.samples).toHaveLength(1)
    expect(batch.received.exemplars).toBe(12)
  })

  test('label values far longer than their attributes never leave their place', () => {
    // Small limits make small regions: the text of this one is six times as long as its bytes.
    const limits = 'limits: {labels: 2, label_name: 10, label_value: 20, decoded: 2MB}'
    const sluice = new Sluice(configWith('[]', { sluice: limits }))
    const value = listOf(stringOf('\u0001'.repeat(120_000)))
    const bad = gauge('bad', point(1, { attributes: [{ key: 'a', value }] }))
    const request = requestOf(gauge('before', point(1)), bad, gauge('after', point(2)))
    for (let i = 0; i < 3; i++) {
      const { batch, out } = sluice.run(request, 0, 'otlp')
      expect(batch.points!.rejected).toEqual([{ code: 'label_value_too_long', count: 1 }])
      const names = out[0]!.flatMap(({ timeseries }) => timeseries.map((one) => one.labels))
      expect(names.map((labels) => labels.map(({ value }) => value).join())).toEqual([
        'before',
        'after',
      ])
    }
  })
})

describe('what one request left in memory', () => {
  const SECRET = 'canary-of-another-tenant'
  const secrets = resourceOf(
    { 'service.name': SECRET, more: SECRET.repeat(50) },
    ...Array.from({ length: 60 }, (_, i) => ({
      ...counter(
        `${SECRET}_${i}`,
        point(i, {
          attributes: attributes({ [`${SECRET}_${i}`]: SECRET.repeat(9) }),
          exemplars: [{ timeUnixNano: nanos(T), filteredAttributes: attributes({ k: SECRET }) }],
        }),
      ),
      description: SECRET.repeat(20),
    })),
  )

  test('is in no answer and no piece of a later one, however damaged', () => {
    const next = seeded(77)
    const origin = 'send_exemplars: true'
    const sluice = new Sluice(configWith('[]', { origin }))
    const seen = { sound: 0, refused: 0 }
    for (let round = 0; round < 1200; round++) {
      if (round % 10 === 0) sluice.run(secrets, 1, 'otlp')
      const plain = toBinary(ExportMetricsServiceRequestSchema, anyRequest(next))
      const body = next(2) ? scramble(plain, next) : plain
      if (body.length === 0) continue
      for (let i = 1 + next(5); i > 0; i--) body[next(body.length)] = next(3) ? next(256) : 0xff
      const cut = next(3) ? body : body.slice(0, next(body.length))
      const outcome = attempt(sluice, cut)
      seen[outcome ? 'sound' : 'refused']++
      if (outcome === undefined) continue
      expect(outcome.join()).not.toContain(SECRET.slice(0, 12))
    }
    expect(seen.sound).toBeGreaterThan(100)
    expect(seen.refused).toBeGreaterThan(300)
  }, 60_000)

  /** Pieces and refusals as text; undefined when the body is refused. */
  function attempt(sluice: Sluice, body: Uint8Array): string[] | undefined {
    let outcome: Outcome
    try {
      outcome = sluice.run(body, 0, 'otlp')
    } catch (error) {
      // A damaged string in a piece is no UTF-8 where nobody looks.
      if (!(error instanceof RequestError)) throw error
      expect(error.message).not.toContain(SECRET.slice(0, 12))
      return undefined
    }
    const pieces = outcome.raw.flat().map((piece) => Buffer.from(piece).toString('latin1'))
    return [...pieces, ...outcome.batch.refusals]
  }
})

test('tenants share no points', () => {
  // The point, and that its resource has no target_info.
  const sluice = new Sluice(configWith())
  const body = requestOf(gauge('g', point(1)))
  expect(sluice.run(body, 0, 'otlp').batch.missed).toBe(2)
  expect(sluice.run(body, 1, 'otlp').batch.missed).toBe(2)
  expect(sluice.run(body, 0, 'otlp').batch.missed).toBe(0)
  expect(sluice.run(body, 1, 'otlp').batch.missed).toBe(0)
})

test('points of one resource in two places are points of one resource', () => {
  const of = (v: number) => ({
    resource: { attributes: attributes({ 'service.name': 's', more: 'x' }) },
    scopeMetrics: [{ metrics: [gauge('g', point(v))] }],
  })
  const { batch, out } = new Sluice(configWith()).run(
    bytesOfRequest({ resourceMetrics: [of(1), of(2)] }),
    0,
    'otlp',
  )
  const all = out[0]!.flatMap(({ timeseries }) => timeseries.map((one) => one.samples))
  expect(all.map((samples) => samples.map((sample) => sample.value))).toEqual([[2], [1]])
  expect(batch.cargos[0]!.superseded.samples).toBe(2)
})
