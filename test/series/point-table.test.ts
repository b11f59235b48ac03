import { describe, expect, test } from 'vitest'
import { config, configWith, type Outcome, Sluice, seriesText } from '../batch/harness.ts'
import {
  attributes,
  bytesOfRequest,
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

  const twice = [...attributes({ 'service.name': 's', k: 'x' }), ...attributes({ k: 'y' })]
  const many = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`k${i}`, 'v']))

  test.each([
    {
      what: 'with more labels than a series may have',
      of: attributes({ 'service.name': 's', ...many }),
      code: 'too_many_labels',
      why: 'series target_info{} is over limits.labels',
    },
    {
      what: 'over a limit after rules',
      sluice: 'limits: {labels: 2}',
      of: attributes({ 'service.name': 's', a: '1', b: '2' }),
      code: 'too_many_labels',
      why: 'series target_info{} is over limits.labels',
    },
    {
      what: 'with a key of which no name can be made',
      of: attributes({ 'service.name': 's', '--': 'x' }),
      code: 'attribute_name',
      why: 'series target_info{} has an attribute of whose key no label name can be made',
    },
    {
      what: 'with a label twice',
      otlp: 'translation_strategy: NoTranslation',
      of: twice,
      code: 'duplicate_label',
      why: 'series target_info{} has a label twice',
    },
  ])(
    'of a target_info $what are rejected, its points are not',
    ({ of, code, why, otlp, sluice }) => {
      const more = { ...(otlp && { otlp }), ...(sluice && { sluice }) }
      const names = otlp ? { global: 'metric_name_validation_scheme: utf8' } : {}
      const points = [point(2), point(1, { timeUnixNano: nanos(T - 200_000) })]
      const scopeMetrics = [{ metrics: [gauge('g', ...points)] }]
      const body = bytesOfRequest({
        resourceMetrics: [{ resource: { attributes: of }, scopeMetrics }],
      })
      const own = new Sluice(configWith('[]', { ...more, ...names }))
      // Met for the first time, and known.
      for (let i = 0; i < 2; i++) {
        const outcome = own.run(body, 0, 'otlp')
        const { batch } = outcome
        expect(text(outcome)).toEqual(['g,job=s 1,2'])
        expect(batch.points!.rejected).toEqual([])
        // One each 150 s, as those that go out.
        expect(batch.rejected).toMatchObject([{ code, counts: { samples: 3 } }])
        expect(batch.refusals).toEqual([why])
      }
    },
  )
})
