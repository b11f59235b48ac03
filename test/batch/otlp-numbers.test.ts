import { describe, expect, test } from 'vitest'
import { configWith, type More, NOW, Sluice } from './harness.ts'
import { field } from './message.ts'
import { delta, rawGauge, run, time } from './otlp-lines.ts'
import { bitsOf, readOutput } from './otlp-output.ts'
import {
  attributes,
  counter,
  gauge,
  type NumberPoint,
  nanos,
  point,
  requestOf,
  resourceOf,
  T,
} from './otlp-request.ts'

describe('numbers', () => {
  test('marked as missing are stale, by the bit and not by the number', () => {
    const flags = (flags: number) => point(1, { flags, attributes: attributes({ f: `${flags}` }) })
    expect(run(requestOf(gauge('g', flags(0), flags(1), flags(2), flags(3)))).lines).toEqual([
      'g,f=0 1',
      'g,f=1 stale',
      'g,f=2 1',
      'g,f=3 stale',
    ])
  })

  test('marked as missing need no value', () => {
    const gone = { timeUnixNano: nanos(T), flags: 1 }
    expect(run(requestOf(counter('c', gone))).lines).toEqual(['c_total stale'])
  })

  test('keep the bits of their NaN', () => {
    const nan = [0x21, 0x2a, 0, 0, 0, 0, 0, 0xf0, 0x7f]
    const body = rawGauge(field(1, [...time, ...nan]))
    const { raw } = new Sluice(configWith()).run(body, 0, 'otlp')
    const samples = readOutput(raw[0]!)['__name__="g"']!.samples
    expect(Object.values(samples)).toEqual(['7ff000000000002a'])
  })

  test.each([
    [-(2n ** 63n), -(2 ** 63)],
    [2n ** 63n - 1n, 2 ** 63],
    [2n ** 53n + 1n, 2 ** 53],
    [-1n, -1],
    [0n, 0],
  ])('that are the integer %s become doubles', (value, want) => {
    const one: NumberPoint = { timeUnixNano: nanos(T), value: { case: 'asInt', value } }
    expect(run(requestOf(gauge('g', one))).lines).toEqual([`g ${want}`])
  })

  test.each([1n, 999_999n, 1_000_000n, nanos(NOW)])(
    'of the time %s have it in ms',
    (timeUnixNano) => {
      const resource = { 'service.name': 's', more: 'x' }
      const body = resourceOf(resource, gauge('g', point(1, { timeUnixNano })))
      const output = readOutput(new Sluice(configWith()).run(body, 0, 'otlp').raw[0]!)
      const samples = { [String(timeUnixNano / 1_000_000n)]: bitsOf(1) }
      expect(Object.values(output).map((points) => points.samples)).toEqual([samples, samples])
    },
  )
})

describe('target_info', () => {
  const resource = { 'service.name': 's', more: 'x' }
  const samples = (body: Uint8Array, more: More = {}) => {
    const { raw } = new Sluice(configWith('[]', more)).run(body, 0, 'otlp')
    const found = Object.entries(readOutput(raw[0]!)).find(([name]) => name.includes('target_info'))
    return Object.keys(found?.[1].samples ?? {}).map((ms) => Number(ms) - T)
  }
  const at = (...times: number[]) =>
    gauge('g', ...times.map((ms) => point(1, { timeUnixNano: nanos(T + ms) })))

  test('has a sample every two and a half minutes, and at the last point', () => {
    expect(samples(resourceOf(resource, at(-400_000, 0)))).toEqual([
      -400_000, -250_000, -100_000, 0,
    ])
    expect(samples(resourceOf(resource, at(-300_000, 0)))).toEqual([-300_000, -150_000, 0])
    expect(samples(resourceOf(resource, at(0)))).toEqual([0])
  })

  test('counts points that are rejected, but none without a time or of the future', () => {
    expect(samples(resourceOf(resource, delta(1, point(1))))).toEqual([0])
    const bad = gauge('g', point(1, { timeUnixNano: 0n }), point(1, { timeUnixNano: 2n ** 63n }))
    expect(samples(resourceOf(resource, bad))).toEqual([])
  })

  test('of a point of 1970 does not fill half a century', () => {
    expect(samples(resourceOf(resource, at(0, 1 - T)))).toHaveLength(577)
  })

  test('is not made where the config says so', () => {
    expect(samples(resourceOf(resource, at(0)), { otlp: 'target_info: false' })).toEqual([])
  })

  test('is its own in the table of each config', () => {
    // Labels carry what one table calls them; a name that is the same object in two of them would be another label in the second.
    const first = new Sluice(configWith())
    first.run(requestOf(...'abcdefgh'.split('').map((name) => gauge(name, point(1)))), 0, 'otlp')
    first.run(resourceOf(resource, at(0)), 0, 'otlp')
    expect(samples(resourceOf(resource, at(0)))).toEqual([0])
  })
})
