import type { CaseResult } from './case.ts'
import type { Results } from './case-group.ts'
import type { Goal } from './group.ts'
import { bytesText, ratioText, timeText } from './table.ts'

/** How much faster than the plain way. */
export function remoteWrite1Goals(results: Results): Goal[] {
  return [...results.values()].flatMap((result) =>
    atLeast(result, result.name.startsWith('remotewrite1/warm/') ? 15 : 4),
  )
}

/** Between the versions. */
export function remoteWrite2Goals(results: Results): Goal[] {
  return [...results.values()].flatMap((result) => atLeast(result, 12))
}

const OTLP_GOALS: ReadonlyMap<string, number> = new Map([
  ['otlp/warm', 15],
  ['otlp/new', 4],
  ['otlp/histograms', 8],
])

/** OTLP, against the way through objects. */
export function otlpGoals(results: Results): Goal[] {
  return [...results.values()].flatMap((result) =>
    atLeast(result, OTLP_GOALS.get(result.name) ?? 1),
  )
}

function atLeast({ name, sluice, plain }: CaseResult, wanted: number): Goal[] {
  if (plain === undefined) return []
  const ratio = plain.time / sluice.time
  return [
    {
      text: `${name}: at least ${wanted} times the plain way`,
      measured: ratioText(ratio),
      met: ratio >= wanted,
    },
  ]
}

const MOST_HEAP = 64 * 1024

/** What a request may allocate. */
export function heapGoals(results: Results): Goal[] {
  const goals = [...results.values()].map(
    ({ name, sluice }): Goal => ({
      text: `${name}: under 64 KiB`,
      measured: bytesText(sluice.bytes),
      met: sluice.bytes < MOST_HEAP,
    }),
  )
  const small = results.get('heap/200')?.sluice.bytes
  if (small === undefined) return goals
  for (const name of ['heap/20000', 'heap/20000/two-payloads']) {
    const large = results.get(name)?.sluice.bytes
    if (large === undefined) continue
    const text = `${name}: within a factor of 2 of heap/200`
    goals.push({ text, measured: ratioText(large / small), met: large <= 2 * small })
  }
  return goals
}

/** How far apart the times per sample may be. */
const SPREAD = 1.25

/** A long series is to cost as much a sample as a longer one. */
export function seriesOfGoals(results: Results): Goal[] {
  const perSample = [1000, 10_000, 100_000].flatMap((n) => {
    const result = results.get(`series-of/${n}`)
    return result ? [result.sluice.time / n] : []
  })
  if (perSample.length < 3) return []
  const [least, most] = [Math.min(...perSample), Math.max(...perSample)]
  return [
    {
      text: 'series-of/{1000,10000,100000}: times per sample within 25 % of each other',
      measured: `${timeText(least)} to ${timeText(most)}, ${((most / least - 1) * 100).toFixed(0)} %`,
      met: most <= least * SPREAD,
    },
  ]
}
