import { create, fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { lastPoint } from '../../src/embedded/point-text.ts'
import { TimeSeriesSchema } from '../../src/wire/gen/prometheus_pb.js'

type Init = MessageInitShape<typeof TimeSeriesSchema>

const point = (series: Init) => lastPoint(create(TimeSeriesSchema, series))

/** A TimeSeries with one Sample of these eight bytes and no timestamp. */
const ofBits = (hex: string) =>
  lastPoint(
    fromBinary(
      TimeSeriesSchema,
      Uint8Array.from([0x12, 9, 9, ...Buffer.from(hex, 'hex').reverse()]),
    ),
  )

describe('the value of a sample', () => {
  it.each([
    [1.5, '1.5'],
    [0, '0'],
    [-0, '-0'],
    [1e300, '1e+300'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
    [Number.NaN, 'NaN'],
  ])('%s is %s', (value, text) => {
    expect(point({ samples: [{ value }] })?.value).toBe(text)
  })

  it.each([
    ['7ff0000000000002', 'stale'],
    ['7ff8000000000001', 'NaN'],
    ['7ff8000000000002', 'NaN'],
  ])('of the bits %s is %s', (bits, text) => {
    expect(ofBits(bits)?.value).toBe(text)
  })
})

describe('the value of a native histogram', () => {
  it.each<[string, NonNullable<Init['histograms']>[number], string]>([
    ['integer', { count: { case: 'countInt', value: 12n }, sum: 3.25 }, 'count 12, sum 3.25'],
    ['float', { count: { case: 'countFloat', value: 1.5 }, sum: -1 }, 'count 1.5, sum -1'],
    ['without a count', { sum: 1 }, 'count 0, sum 1'],
    ['with a sum that is no number', { sum: Number.NaN }, 'count 0, sum NaN'],
  ])('%s', (_, histogram, text) => {
    expect(point({ histograms: [histogram] })?.value).toBe(text)
  })
})

describe('lastPoint', () => {
  it('is the point with the latest time', () => {
    const samples = [
      { value: 1, timestamp: 1000n },
      { value: 3, timestamp: 3000n },
      { value: 2, timestamp: 2000n },
    ]
    expect(point({ samples })).toEqual({ value: '3', timestamp: 3000 })
  })

  it('is the last one sent where times are equal', () => {
    const samples = [
      { value: 1, timestamp: 1n },
      { value: 2, timestamp: 1n },
    ]
    expect(point({ samples })?.value).toBe('2')
  })

  it('is the sample where it is later than the histogram', () => {
    const both = { samples: [{ value: 1, timestamp: 2n }], histograms: [{ timestamp: 1n }] }
    expect(point(both)?.value).toBe('1')
  })

  it('is nothing for a series without samples and histograms', () => {
    expect(point({ exemplars: [{ value: 1 }] })).toBeUndefined()
  })
})
