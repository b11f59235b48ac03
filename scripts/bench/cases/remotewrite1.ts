import { benchConfig } from '../bench-config.ts'
import { compressedBodies, inTurn } from '../bodies.ts'
import type { BenchCase, Work } from '../case.ts'
import { plainWay } from '../plain.ts'
import { inProcess } from '../section.ts'
import type { Shape } from '../shape.ts'

/** So many requests come in turn. */
const REQUESTS = 10
const SERIES = 2000

/** A body in, compressed payloads out, with all series known (warm) or none (new). */
export const remoteWrite1Cases: readonly BenchCase[] = (['warm', 'new'] as const).flatMap((state) =>
  (['pod-per-series', 'kubernetes'] as const).map((shape) => ({
    name: `remotewrite1/${state}/${shape}`,
    items: SERIES,
    unit: 'series' as const,
    make: () => ways(state, shape),
  })),
)

function ways(state: 'warm' | 'new', shape: Shape): { sluice: Work; plain: Work } {
  const config = benchConfig()
  const bodies = compressedBodies({ shape, series: SERIES * REQUESTS, perRequest: SERIES })
  const { run, empty } = inProcess(config)
  const plain = plainWay(config.origins[0].writeRelabelConfigs)
  const [ours, theirs] = [inTurn(bodies), inTurn(bodies)]
  for (const body of bodies) run(body)
  if (run(bodies[0]).missed > 0) throw new Error('BUG: the table does not hold them all')
  return {
    sluice: { before: state === 'new' ? empty : undefined, run: () => run(ours()) },
    plain: { run: () => plain(theirs()) },
  }
}
