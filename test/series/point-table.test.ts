import { describe, expect, test } from 'vitest'
import { config, configWith, type Outcome, Sluice, seriesText } from '../batch/harness.ts'
import {
  attributes,
  counter,
  gauge,
  histogram,
  nanos,
  point,
  requestOf,
  resourceOf,
  T,
} from '../batch/otlp-request.ts'

const text = ({ out }: Outcome, stream = 0) =>
  out[stream]!.flatMap(({ timeseries }) =>
    timeseries.map(({ labels, samples }) =>
      `${seriesText(labels).replaceAll('"', '')} ${samples.map((s) => s.value)}`.replace(
        '__name__=',
        '',
      ),
    ),
  ).sort()

const latency = histogram('latency', {
  explicitBounds: [1, 2],
  bucketCounts: [1n, 2n, 3n],
  count: 6n,
  sum: 9,
  attributes: attributes({ pod: 'p' }),
})

describe('series of a point', () => {
  test('are dropped one by one by the rules of an origin', () => {
    const rules =
      '[{source_labels: [le], regex: "2", action: drop}, {regex: pod, action: labeldrop}]'
    const outcome = new Sluice(configWith(rules)).run(requestOf(latency), 0, 'otlp')
    expect(text(outcome)).toEqual([
      'latency_bucket,le=+Inf 6',
      'latency_bucket,le=1 1',
      'latency_count 6',
      'latency_sum 9',
    ])
    expect(outcome.batch.cargos[0]!.dropped.samples).toBe(1)
  })

  test.each([
    ['16KB', 20_000, 0],
    ['65535', 65_535, 1],
    ['65535', 65_536, 0],
    ['1MB', 300_000, 1],
    ['1MB', 1_048_576, 1],
    ['1MB', 1_048_577, 0],
  ])('may have values as long as limits.label_value says: %s, %i bytes', (limit, bytes, points) => {
    const sluice = new Sluice(configWith('[]', { sluice: `limits: {label_value: ${limit}}` }))
    const long = gauge('m', point(1, { attributes: attributes({ a: 'x'.repeat(bytes) }) }))
    const { out, batch } = sluice.run(requestOf(long), 0, 'otlp')
    expect(out[0]!.flatMap(({ timeseries }) => timeseries)).toHaveLength(points)
    expect(batch.points!.rejected).toHaveLength(1 - points)
  })

  test('are dropped one by one by ingress rules, and counted', () => {
    const sluice =
      'relabel_configs: [{source_labels: [__name__], regex: ".*_bucket|target_info", action: drop}]'
    const body = resourceOf({ 'service.name': 's', more: 'x' }, latency)
    const outcome = new Sluice(configWith('[]', { sluice })).run(body, 0, 'otlp')
    expect(text(outcome)).toEqual(['latency_count,job=s,pod=p 6', 'latency_sum,job=s,pod=p 9'])
    expect(outcome.batch.dropped.samples).toBe(4)
    expect(outcome.batch.points!.rejected).toEqual([])
  })

  test('have external labels, and are each origin’s own', () => {
    const both = config(`
global: {external_labels: {region: eu}}
remote_write:
  - {name: a, url: "http://a.test/"}
  - {name: b, url: "http://b.test/", write_relabel_configs: [{regex: pod, action: labeldrop}]}
sluice: {auth: none}`)
    const body = requestOf(gauge('g', point(1, { attributes: attributes({ pod: 'p' }) })))
    const outcome = new Sluice(both).run(body, 0, 'otlp')
    expect(text(outcome, 0)).toEqual(['g,pod=p,region=eu 1'])
    expect(text(outcome, 1)).toEqual(['g,region=eu 1'])
  })

  test('that become equal by rules are one, of equal times the last', () => {
    const of = (pod: string, value: number, ms = T) =>
      point(value, { timeUnixNano: nanos(ms), attributes: attributes({ pod }) })
    const body = requestOf(gauge('g', of('a', 1), of('b', 2), of('c', 3, T - 5)))
    const outcome = new Sluice(configWith('[{regex: pod, action: labeldrop}]')).run(body, 0, 'otlp')
    expect(text(outcome)).toEqual(['g 3,2'])
    expect(outcome.batch.cargos[0]!.superseded.samples).toBe(1)
  })

  test('over a limit take the point with them, not its neighbours', () => {
    const sluice = 'limits: {labels: 3}'
    const of = (pairs: Record<string, string>) => point(1, { attributes: attributes(pairs) })
    const fits = gauge('g', of({ a: '1', b: '2' }), of({ a: '1', b: '2', c: '3' }))
    // Its buckets have one label more than its sum.
    const over = histogram('h', { count: 1n, sum: 1, attributes: attributes({ a: '1', b: '2' }) })
    const body = requestOf(fits, over, counter('c', of({ a: '1' })))
    const outcome = new Sluice(configWith('[]', { sluice })).run(body, 0, 'otlp')
    expect(text(outcome)).toEqual(['c_total,a=1 1', 'g,a=1,b=2 1'])
    expect(outcome.batch.points!.rejected).toEqual([{ code: 'too_many_labels', count: 2 }])
  })

  test('of a target_info over a limit are missing, its points are not', () => {
    const many = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`k${i}`, 'v']))
    const body = resourceOf({ 'service.name': 's', ...many }, gauge('g', point(1)))
    const outcome = new Sluice(configWith()).run(body, 0, 'otlp')
    expect(text(outcome)).toEqual(['g,job=s 1'])
    expect(outcome.batch.points!.rejected).toEqual([])
  })
})
