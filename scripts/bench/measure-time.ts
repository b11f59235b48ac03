import { measure } from 'mitata'
import type { Ways, Work } from './case.ts'
import { median } from './median.ts'

/** Turns that the ways take: what disturbs the machine for a while then disturbs both. */
const ROUNDS = 3
/** Nanoseconds that each turn measures at least, and operations. */
const TURN = 250e6
const LEAST = 4
/** Nanoseconds until the code is warm, at least, and operations. */
const WARM_UP = 1e9
const WARM_UPS = 5

/** A median, nanoseconds, of so many samples. */
export interface Timed {
  readonly time: number
  readonly samples: number
}

/** Times both ways in turns, with mitata. `quick`: one short turn each, cold. */
export async function measureTime(
  ways: Ways,
  quick = false,
): Promise<{ sluice: Timed; plain?: Timed }> {
  const works = ways.plain ? [ways.sluice, ways.plain] : [ways.sluice]
  const samples: number[][] = works.map(() => [])
  if (!quick) for (const work of works) await warmUp(work)
  for (let round = 0; round < (quick ? 1 : ROUNDS); round++) {
    for (const [i, work] of works.entries()) samples[i].push(...(await turn(work, quick)))
  }
  const [sluice, plain] = samples.map((all) => ({ time: median(all), samples: all.length }))
  return { sluice, plain }
}

/** Runs the work until the engine has compiled what it will. */
export async function warmUp({ before, run }: Work): Promise<void> {
  const end = process.hrtime.bigint() + BigInt(WARM_UP)
  for (let i = 0; i < WARM_UPS || process.hrtime.bigint() < end; i++) {
    before?.()
    await run()
  }
}

async function turn({ before, run }: Work, quick: boolean): Promise<readonly number[]> {
  const options = { min_cpu_time: quick ? TURN / 10 : TURN, min_samples: quick ? 1 : LEAST }
  if (before === undefined) return (await measure(run, options)).samples
  // A parameter is computed before each operation, outside of its time.
  const withBefore = function* () {
    yield { 0: before, bench: (_: unknown) => run() }
  }
  return (await measure(withBefore as unknown as () => unknown, options)).samples
}
