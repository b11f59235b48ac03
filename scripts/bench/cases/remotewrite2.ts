import { benchConfig } from '../bench-config.ts'
import { compressedBodies, inTurn } from '../bodies.ts'
import type { BenchCase, Ways } from '../case.ts'
import { plainConversion } from '../plain-conversion.ts'
import { inProcess } from '../section.ts'
import type { Shape } from '../shape.ts'
import { version2Of } from '../version2.ts'

const REQUESTS = 10
const SERIES = 2000
const DIRECTIONS = ['2-2', '2-1', '1-2'] as const

/** Between the versions of remote write, all series known. */
export const remoteWrite2Cases: readonly BenchCase[] = DIRECTIONS.flatMap((direction) =>
  (['pod-per-series', 'kubernetes'] as const).map((shape) => ({
    name: `remotewrite2/${direction}/${shape}`,
    items: SERIES,
    unit: 'series' as const,
    make: () => ways(direction, shape),
  })),
)

function ways(direction: (typeof DIRECTIONS)[number], shape: Shape): Ways {
  const [from, to] = direction.split('-').map(Number) as [1 | 2, 1 | 2]
  const config = benchConfig({ message: to })
  const bodies = bodiesOf(from, shape, REQUESTS)
  const protocol = from === 2 ? 'remotewrite2' : 'remotewrite1'
  const { run } = inProcess(config, protocol)
  const plain = plainConversion(config, protocol)
  const [ours, theirs] = [inTurn(bodies), inTurn(bodies)]
  for (const body of bodies) run(body)
  if (run(bodies[0]!).missed > 0) throw new Error('BUG: the table does not hold them all')
  return { sluice: { run: () => run(ours()) }, plain: { run: () => plain(theirs()) } }
}

/** Requests of one version, compressed. */
export function bodiesOf(version: 1 | 2, shape: Shape, requests: number): Uint8Array[] {
  const bodies = compressedBodies({ shape, series: SERIES * requests, perRequest: SERIES })
  return version === 1 ? bodies : bodies.map(version2Of)
}
