import type { Goal } from '../group.ts'
import type { Compared } from '../in-turns.ts'
import { middle } from '../measured.ts'
import { ratioText } from '../table.ts'

/** On so many connections goals are looked at. */
const CONNECTIONS = 4
/** Shares that receivers may be apart, and still do the same work. */
const SAME = 0.005

/** So many times the samples per CPU-second of another receiver. */
export function timesGoal(name: string, { of }: Compared, other: string, wanted: number): Goal[] {
  const [ours, theirs] = [of('Sluice', CONNECTIONS), of(other, CONNECTIONS)]
  if (ours.length === 0 || theirs.length === 0) return []
  const ratio = middle(ours, 'samplesPerCpuSecond') / middle(theirs, 'samplesPerCpuSecond')
  return [
    {
      text: `${name}, ${CONNECTIONS} connections: ${wanted === 1 ? 'not below' : `at least ${wanted} times`} the samples per CPU-second of ${other}`,
      measured: ratioText(ratio),
      met: ratio >= wanted,
    },
  ]
}

/** A p99 below that of another receiver, which answers before it sends on. */
export function latencyGoal(name: string, { of }: Compared, other: string): Goal[] {
  const [ours, theirs] = [of('Sluice', CONNECTIONS), of(other, CONNECTIONS)]
  if (ours.length === 0 || theirs.length === 0) return []
  const [our99, their99] = [middle(ours, 'p99'), middle(theirs, 'p99')]
  return [
    {
      text: `${name}, ${CONNECTIONS} connections: p99 below that of ${other}`,
      measured: `${our99.toFixed(1)} ms, ${other} ${their99.toFixed(1)} ms`,
      met: our99 < their99,
    },
  ]
}

/** All receivers do the same work: they send on the same share of the samples. */
export function sameWorkGoal(name: string, { shares }: Compared): Goal[] {
  if (shares.size < 2) return []
  const all = [...shares.values()]
  const text = [...shares].map(([who, share]) => `${who} ${(100 * share).toFixed(1)} %`)
  return [
    {
      text: `${name}: all send on the same share of the samples`,
      measured: text.join(', '),
      met: Math.max(...all) - Math.min(...all) <= SAME,
    },
  ]
}
