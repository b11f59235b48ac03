import { describe, expect, test } from 'vitest'
import type { RunFacts } from '../../../../scripts/generate/verify/run-facts.ts'
import type { StoredSeries } from '../../../../scripts/generate/verify/stored-points.ts'
import { createTally, type Piece, samplesOf } from '../../../../scripts/generate/verify/tally.ts'
import { type FactsOptions, factsOf, START, storedOf } from './facts.ts'

type Mutable = {
  labels: Record<string, string>
  points: { timestamp: number; read: 'value' | 'count'; text: string }[]
}

const whole = (facts: RunFacts): Piece => ({
  first: 0,
  end: facts.chunks.series,
  after: START - 1,
  until: START + 1e6,
})

/** What is found when a receiver has what `change` makes of all that was sent. */
function tallied(
  options: FactsOptions,
  change: (stored: Mutable[]) => Mutable[] | undefined,
  piece?: Piece,
) {
  const facts = factsOf(options)
  const stored = storedOf(facts) as unknown as Mutable[]
  const tally = createTally(facts, piece ?? whole(facts))
  for (const series of (change(stored) ?? stored) as StoredSeries[]) tally.take(series)
  const { missing, acknowledged } = tally
  const findings = tally.close()
  const listed = findings.listed.map(({ kind, labels, timestamp, sent, found, what }) =>
    [kind, labels.pod, timestamp - START, sent, found, what]
      .filter((one) => one !== undefined)
      .join(' '),
  )
  return {
    listed,
    totals: findings.totals,
    missing,
    acknowledged,
    found: tally.found,
    added: [...tally.added],
  }
}

const NOTHING = { lost: 0, doubled: 0, changed: 0, unsent: 0 }

describe('a receiver that has all', () => {
  test.each<[string, FactsOptions]>([
    ['gauges', {}],
    ['native histograms', { kind: 'histogram' }],
    ['explicit histograms', { kind: 'histogram', protocol: 'otlp' }],
    ['series that are replaced', { churn: true, rounds: 7 }],
    ['a last request that is shorter', { series: 5 }],
    ['series of several parts', { series: 1003, perRequest: 300, rounds: 2 }],
  ])('has nothing wrong: %s', (_, options) => {
    const { totals, missing, acknowledged, found } = tallied(options, () => undefined)
    expect([totals, missing]).toEqual([NOTHING, 0])
    expect([acknowledged, found]).toEqual(
      Array(2).fill((options.series ?? 4) * (options.rounds ?? 3)),
    )
  })
})

describe('it is found that a sample is', () => {
  test.each<[string, (stored: Mutable[]) => Mutable[] | undefined, string[]]>([
    [
      'lost',
      ([, one]) => {
        one!.points.splice(1, 1)
        return undefined
      },
      ['lost p-1 1000 3'],
    ],
    [
      'lost with all of its series',
      (stored) => stored.slice(1),
      ['lost p-0 0 1', 'lost p-0 1000 3', 'lost p-0 2000 5'],
    ],
    [
      'doubled',
      (stored) => [...stored, { ...stored[2]!, points: [stored[2]!.points[1]!] }],
      ['doubled p-2 1001 4 4'],
    ],
    [
      'there three times',
      ([one]) => {
        one!.points.push(one!.points[0]!, one!.points[0]!)
        return undefined
      },
      ['doubled p-0 0 1 1', 'doubled p-0 0 1 1'],
    ],
    [
      'doubled by a label that was added',
      (stored) => [
        ...stored,
        { points: [stored[0]!.points[0]!], labels: { ...stored[0]!.labels, replica: 'b' } },
      ],
      ['doubled p-0 0 1 1'],
    ],
    [
      'changed in its value',
      ([one]) => {
        one!.points[2]!.text = '4.5'
        return undefined
      },
      ['changed p-0 2000 5 4.5'],
    ],
    [
      'that of another request',
      ([one]) => {
        one!.points[2]!.text = '3'
        return undefined
      },
      ['changed p-0 2000 5 3'],
    ],
    [
      'a stale marker',
      ([one]) => {
        one!.points[0]!.text = 'stale'
        return undefined
      },
      ['changed p-0 0 1 stale'],
    ],
    [
      'changed in its kind',
      ([one]) => {
        one!.points[0]!.read = 'count'
        return undefined
      },
      ['changed p-0 0 1 1 it is a native histogram'],
    ],
    [
      'changed in its labels',
      ([one]) => {
        one!.points.length = 1
        one!.labels.pod = 'x'
        return undefined
      },
      [
        'changed x 0 1 1 the label pod is "x", sent was "p-0"',
        'lost p-0 1000 3',
        'lost p-0 2000 5',
      ],
    ],
    [
      'without a label',
      (stored) => {
        stored.length = 4
        delete stored[3]!.labels.pod
        stored[3]!.points.splice(0, 2)
        return undefined
      },
      [
        'changed 2001 6 6 the label pod is missing, sent was "p-3"',
        'lost p-3 1 2',
        'lost p-3 1001 4',
      ],
    ],
    [
      'another metric',
      (stored) => {
        stored[0]!.labels.__name__ = 'm_total'
        stored[0]!.points.splice(1)
        return stored
      },
      [
        'changed p-0 0 1 1 the label __name__ is "m_total", sent was "m"',
        'lost p-0 1000 3',
        'lost p-0 2000 5',
      ],
    ],
    [
      'of a time that was never sent',
      ([one]) => {
        one!.points.push({ timestamp: START + 5, read: 'value', text: '7' })
        return undefined
      },
      ['unsent p-0 5 7'],
    ],
    [
      'of a series that was never sent',
      (stored) => [
        ...stored,
        { labels: { ...stored[0]!.labels, generate_series: '4' }, points: [stored[0]!.points[0]!] },
      ],
      ['unsent p-0 0 1'],
    ],
    [
      'of no series that can be told',
      (stored) => [
        ...stored,
        { labels: { pod: 'x', generate_part: '0' }, points: [stored[0]!.points[0]!] },
      ],
      ['unsent x 0 1'],
    ],
  ])('%s', (_, change, listed) => {
    const found = tallied({}, change)
    expect(found.listed.sort()).toEqual(listed.sort())
    const sum = Object.values(found.totals).reduce((a, b) => a + b, 0)
    expect(sum).toBe(listed.length)
  })
})

describe('what was not acknowledged', () => {
  const options = { unacknowledged: ['0.1'] }

  test('may be there', () => {
    const { totals, found, acknowledged } = tallied(options, () => undefined)
    expect([totals, acknowledged, found]).toEqual([NOTHING, 10, 12])
  })

  test('may be missing', () => {
    const { totals, found } = tallied(options, (stored) => {
      stored[0]!.points.splice(1, 1)
      return undefined
    })
    expect([totals, found]).toEqual([NOTHING, 11])
  })

  test('must be right where it is there', () => {
    const { listed } = tallied(options, (stored) => {
      stored[0]!.points[1]!.text = '99'
      stored[1]!.points.push(stored[1]!.points[1]!)
      return undefined
    })
    expect(listed).toEqual(['changed p-0 1000 3 99', 'doubled p-1 1000 3 3'])
  })
})

test('samples of a series that was replaced have to be in the one that took its place', () => {
  const { listed } = tallied(
    { churn: true, series: 1, perRequest: 1, rounds: 3 },
    ([first, second]) => {
      first!.points.push(second!.points.shift()!)
      return undefined
    },
  )
  expect(listed).toEqual(['changed p-0-0 2000 3 3 the label pod is "p-0-0", sent was "p-0-1"'])
})

describe('other forms of histograms', () => {
  const part = (series: Mutable, suffix: string, read: 'value' | 'count'): Mutable => ({
    labels: { ...series.labels, __name__: `m${suffix}`, le: '1' },
    points: series.points.map((point) => ({ ...point, read })),
  })

  test.each([
    ['native ones as series with _count', 'remotewrite1', '_count', 'value'],
    ['explicit ones as native ones', 'otlp', '', 'count'],
  ] as const)('are as good: %s', (_, protocol, suffix, read) => {
    const options = { kind: 'histogram', protocol } as const
    const { totals, found } = tallied(options, (stored) =>
      stored.flatMap((series) => [
        part(series, suffix, read),
        part(series, '_bucket', 'value'),
        part(series, '_sum', 'value'),
      ]),
    )
    expect([totals, found]).toEqual([NOTHING, 12])
  })

  test('do not hide a float where a native one was sent', () => {
    const { totals } = tallied({ kind: 'histogram' }, (stored) =>
      stored.map((one) => part(one, '', 'value')),
    )
    expect(totals).toEqual({ ...NOTHING, changed: 12 })
  })
})

describe('a piece', () => {
  const facts = factsOf({ series: 10, perRequest: 3, rounds: 4 })
  const piece: Piece = { first: 2, end: 7, after: START + 999, until: START + 2001 }

  test('is of some series and times', () => {
    // Rounds 1 and 2 of chunks 0 and 1, of chunk 2 the time of round 2 is too late.
    expect(samplesOf(facts, piece)).toBe(1 * 2 + 3 * 2 + 1 * 1)
  })

  test('passes over times outside of it', () => {
    const tally = createTally(facts, piece)
    for (const series of storedOf(facts).slice(2, 7)) tally.take(series)
    expect([tally.missing, tally.found, tally.close().totals]).toEqual([0, 9, NOTHING])
  })
})

test('the first hundred are listed, all are counted', () => {
  const { listed, totals } = tallied({ series: 200, perRequest: 50 }, () => [])
  expect([listed.length, totals.lost]).toEqual([100, 600])
})

test('labels that were added are told', () => {
  const { added, totals } = tallied({}, (stored) => {
    stored[0]!.labels.cluster = 'x'
    return undefined
  })
  expect([added, totals]).toEqual([['cluster'], NOTHING])
})
