import { describe, expect, test } from 'vitest'
import { configWith, Sluice } from './harness.ts'
import { type Bytes, field } from './message.ts'
import { okPoint, one, run, time } from './otlp-lines.ts'
import { gauge, listOf, point, requestOf, resourceOf, stringOf } from './otlp-request.ts'

describe('bodies that are refused', () => {
  const refused = (body: Bytes | Uint8Array) => () =>
    new Sluice(configWith()).run(Uint8Array.from(body), 0, 'otlp')

  test.each<[string, Bytes]>([
    ['with a field that overruns', [10, 9, 0]],
    ['that ends inside a point', field(1, field(2, field(2, field(5, field(1, [0x19, 1, 2])))))],
    ['with a group that does not end', [0x83, 0x3f]],
    ['with two resources in one', field(1, [...field(1, []), ...field(1, [])])],
    [
      'with a metric of two kinds',
      field(1, field(2, field(2, [...field(5, okPoint), ...field(7, [])]))),
    ],
    [
      'with a time of another wire type',
      field(1, field(2, field(2, field(5, field(1, [0x18, 1]))))),
    ],
    [
      'with a broken attribute of a point that is rejected anyway',
      field(1, field(2, field(2, field(5, field(1, field(7, [10, 9])))))),
    ],
    [
      'with a broken attribute of an exemplar',
      field(
        1,
        field(
          2,
          field(
            2,
            field(7, [16, 2, ...field(1, [...time, ...one, ...field(5, field(7, [18, 3]))])]),
          ),
        ),
      ),
    ],
    ['with a tag of number 0', [0]],
    ['with a length of 2^64', [10, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]],
  ])('%s', (_, body) => {
    expect(refused(body)).toThrow('not a valid ExportMetricsServiceRequest')
  })

  test('with values that stand too deep in each other', () => {
    let deep = stringOf('x')
    for (let i = 0; i < 64; i++) deep = listOf(deep)
    const of = (value: typeof deep) =>
      requestOf(gauge('g', point(1, { attributes: [{ key: 'a', value }] })))
    expect(run(of(deep)).points.rejected).toEqual([])
    expect(refused(of(listOf(deep)))).toThrow('not a valid')
  })

  test.each([
    ['a metric without points', requestOf(gauge('g'))],
    ['a metric without data', requestOf({ name: 'm' })],
    ['nothing', new Uint8Array()],
    ['a resource alone', resourceOf({ a: 'b', 'service.name': 's' })],
  ])('but one with %s is not, and nothing is sent', (_, request) => {
    const { batch, points } = run(request)
    expect(batch.cargos[0]!.pieces).toEqual([])
    expect([points.received, batch.received.samples]).toEqual([0, 0])
  })
})
