import { describe, expect, test } from 'vitest'
import { configWith, Sluice } from './harness.ts'
import { lines, run } from './otlp-lines.ts'
import { bitsOf, readOutput, STALE } from './otlp-output.ts'
import { attributes, exponential, histogram, requestOf } from './otlp-request.ts'

describe('histograms', () => {
  test.each<[string, Parameters<typeof histogram>[1], string[]]>([
    [
      'whose last bound is +Inf have that bucket once',
      { explicitBounds: [1, 2, Infinity], bucketCounts: [5n, 2n, 3n, 0n], count: 10n, sum: 1 },
      ['h_bucket,le=+Inf 10', 'h_bucket,le=1 5', 'h_bucket,le=2 7', 'h_count 10', 'h_sum 1'],
    ],
    [
      'with as many counts as bounds have +Inf from their count',
      { explicitBounds: [1, 2], bucketCounts: [5n, 2n], count: 10n },
      ['h_bucket,le=+Inf 10', 'h_bucket,le=1 5', 'h_bucket,le=2 7', 'h_count 10'],
    ],
    [
      'without buckets have +Inf',
      { count: 3n, sum: 9 },
      ['h_bucket,le=+Inf 3', 'h_count 3', 'h_sum 9'],
    ],
    [
      'without counts have +Inf alone',
      { explicitBounds: [1, 2], count: 3n },
      ['h_bucket,le=+Inf 3', 'h_count 3'],
    ],
    [
      'whose count is not that of their buckets say what they say',
      { explicitBounds: [1], bucketCounts: [5n, 2n], count: 100n, sum: -2 },
      ['h_bucket,le=+Inf 100', 'h_bucket,le=1 5', 'h_count 100', 'h_sum -2'],
    ],
    [
      'of no observations with a sum keep it',
      { count: 0n, sum: 4, bucketCounts: [0n] },
      ['h_bucket,le=+Inf 0', 'h_count 0', 'h_sum 4'],
    ],
    [
      'with a sum of zero have it',
      { count: 0n, sum: 0 },
      ['h_bucket,le=+Inf 0', 'h_count 0', 'h_sum 0'],
    ],
    [
      'that are gone are stale, but for a sum that they never had',
      { explicitBounds: [1], bucketCounts: [0n, 0n], flags: 3 },
      ['h_bucket,le=+Inf stale', 'h_bucket,le=1 stale', 'h_count stale'],
    ],
    [
      'have bounds in plain decimals',
      { explicitBounds: [-1e-7, 1e21], bucketCounts: [1n, 1n, 1n], count: 3n },
      [
        'h_bucket,le=+Inf 3',
        'h_bucket,le=-0.0000001 1',
        'h_bucket,le=1000000000000000000000 2',
        'h_count 3',
      ],
    ],
  ])('%s', (_, one, want) => {
    expect(run(requestOf(histogram('h', one))).lines).toEqual(want)
  })

  test('attributes named as our labels lose to them', () => {
    const own = attributes({ le: '9', __name__: 'evil' })
    const one = { attributes: own, count: 1n, bucketCounts: [1n], sum: 2 }
    expect(run(requestOf(histogram('h', one))).lines).toEqual([
      'h_bucket,le=+Inf 1',
      'h_count,le=9 1',
      'h_sum,le=9 2',
    ])
  })

  test('a view that changes the bounds under one name never gets an old le', () => {
    const sluice = new Sluice(configWith())
    const of = (...explicitBounds: number[]) =>
      requestOf(histogram('h', { explicitBounds, bucketCounts: [1n, 2n, 3n], count: 6n }))
    const bodies = [of(1, 2), of(1, 3), of(1, 2), of(1.5, 2), of(1, 2.0000000000000004)]
    const seen = bodies.map((body) =>
      lines(readOutput(sluice.run(body, 0, 'otlp').raw[0]!))
        .filter((line) => line.includes('le='))
        .map((line) => line.replace('h_bucket,le=', '')),
    )
    expect(seen).toEqual([
      ['+Inf 6', '1 1', '2 3'],
      ['+Inf 6', '1 1', '3 3'],
      ['+Inf 6', '1 1', '2 3'],
      ['+Inf 6', '1.5 1', '2 3'],
      ['+Inf 6', '1 1', '2.0000000000000004 3'],
    ])
  })

  test('of one metric and several views in one request stay apart', () => {
    const of = (...explicitBounds: number[]) => ({
      explicitBounds,
      count: 2n,
      bucketCounts: [1n, 1n],
    })
    expect(run(requestOf(histogram('h', of(1), of(7)))).lines).toEqual([
      'h_bucket,le=+Inf 2',
      'h_bucket,le=1 1',
      'h_bucket,le=7 1',
      'h_count 2',
    ])
  })

  test('exponential ones of scale 20 are merged down to 8, count and sum as they are', () => {
    const positive = { offset: -5, bucketCounts: [1n, 0n, 2n, 3n, 4n, 5n, 6n] }
    const { lines } = run(requestOf(exponential('h', { scale: 20, count: 21n, sum: 3, positive })))
    expect(lines).toEqual([`h h 8 n21 s${bitsOf(3)} z0 +0:10,1:11 -`])
  })

  test('exponential ones that are gone are stale by their sum', () => {
    const { lines } = run(requestOf(exponential('h', { scale: 3, count: 7n, sum: 3, flags: 1 })))
    expect(lines).toEqual([`h h 3 n0 s${STALE} z0 + -`])
  })
})
