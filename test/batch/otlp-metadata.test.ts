import { describe, expect, test } from 'vitest'
import { configWith, Sluice } from './harness.ts'
import { field } from './message.ts'
import { beside, okPoint } from './otlp-lines.ts'
import { attributes, gauge, point, requestOf } from './otlp-request.ts'

describe('metadata', () => {
  const families = (sluice: Sluice, body: Uint8Array) =>
    sluice
      .run(body, 0, 'otlp')
      .out[0]!.flatMap(({ metadata }) => metadata)
      .map((m) => `${m.metricFamilyName} ${m.type} ${m.help} ${m.unit}`)

  test('goes out with the first request of a minute', () => {
    const sluice = new Sluice(configWith())
    const body = requestOf({ ...gauge('g', point(1)), description: 'Help', unit: 'By/s' })
    expect(families(sluice, body)).toEqual(['g_bytes_per_second 2 Help bytes_per_second'])
    expect(families(sluice, body)).toEqual([])
  })

  test('has no help that is not UTF-8, and no unit of a hundred thousand letters', () => {
    const metric = [...field(1, [0x67]), ...field(2, [0xff]), ...field(5, okPoint)]
    const body = Uint8Array.from(field(1, field(2, field(2, metric))))
    expect(families(new Sluice(configWith()), body)).toEqual(['g 2  '])
    const unit = 'u'.repeat(100_000)
    const limits = { sluice: 'limits: {labels: 3, label_name: 10, label_value: 100}' }
    const sluice = new Sluice(
      configWith('[]', {
        ...limits,
        otlp: 'translation_strategy: UnderscoreEscapingWithoutSuffixes',
      }),
    )
    expect(families(sluice, requestOf({ ...gauge('g', point(1)), unit }))).toEqual(['g 2  '])
  })

  test('is not made of metrics whose points are all rejected', () => {
    const bad = gauge('bad', point(1, { attributes: attributes({ '': 'x' }) }))
    expect(families(new Sluice(configWith()), beside(bad))).toEqual(['before 2  ', 'after 2  '])
  })
})
