import { expect } from 'vitest'
import type { Prometheus } from './prometheus.ts'
import { printedPoints } from './query-api.ts'
import { LATENCY } from './scrapes.ts'

// What 2.0 says of a series besides its points, as a Prometheus shows it: type, unit, start times.

/** Features with which a Prometheus shows what 2.0 says of a series besides its points: type, unit, start times. */
export const SHOWING = [
  'type-and-unit-labels',
  'st-storage',
  'use-start-timestamps',
  'promql-experimental-functions',
]

/** Expects type and unit of each family as the sender knows them. */
export async function showsMetadata(showing: Prometheus, time: number, from: 1 | 2): Promise<void> {
  const all = await showing.query(
    'count by (__name__, __type__, __unit__) ({__name__=~".+"})',
    time,
  )
  const found = all.map(({ metric }) => [metric.__name__, [metric.__type__, metric.__unit__]])
  const latency = from === 2 ? LATENCY : `${LATENCY}_bucket`
  expect(Object.fromEntries(found)).toMatchObject({
    e2e_requests_total: ['counter', undefined],
    e2e_special: ['gauge', undefined],
    e2e_native_seconds: ['histogram', undefined],
    e2e_native_gauge: ['gaugehistogram', undefined],
    [latency]: ['histogram', undefined],
    // A sender of 1.0 says nothing of what is its own.
    up: from === 2 ? ['gauge', 'targets'] : [undefined, undefined],
  })
}

/** Expects the start times that the sender has made up: of its first scrape, whose values it leaves out. */
export async function showsStarts(showing: Prometheus, time: number, from: 1 | 2): Promise<void> {
  const latency = from === 2 ? LATENCY : `${LATENCY}_sum`
  for (const [name, job] of [
    ['e2e_requests_total', 'text'],
    ['e2e_native_seconds', 'native'],
    [latency, 'text'],
  ] as const) {
    const scrapes = printedPoints(await showing.query(`up{job="${job}"}[10m]`, time))
    const first = Math.min(...[...scrapes.values()].flat().map(({ time }) => time))
    const starts = await showing.query(`start_timestamp(${name}{job="${job}"})`, time)
    const seen = new Set(starts.map(({ value }) => Math.round(Number(value?.[1]) * 1000)))
    expect([...seen], `start of ${name}`).toEqual([from === 2 ? first : 0])
  }
}
