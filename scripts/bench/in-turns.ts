import type { Protocol } from '../../src/batch/protocol.ts'
import type { Effort } from './group.ts'
import { type LoadResult, runLoad } from './load.ts'
import { type Measured, measure } from './measured.ts'
import type { Receiver } from './receivers/receiver.ts'
import { shareSentOn } from './share-sent-on.ts'
import type { Sink } from './sink.ts'

/** Receivers that are given the same load. */
export interface Comparison {
  /** For messages. */
  readonly name: string
  readonly protocol: Protocol
  /** Of one round on so many connections; each receiver gets the same. Those of round -1 are for warming up. */
  readonly bodies: (round: number, connections: number) => readonly Uint8Array[]
  /** Each body is sent once; else they come again for as long as a load lasts. */
  readonly once?: boolean
  readonly connections: readonly number[]
  /** Samples, or data points, of each body. */
  readonly itemsPerRequest: number
  readonly effort: Effort
  readonly progress: (text: string) => void
}

/** What came of it. */
export interface Compared {
  /** Names of the receivers. */
  readonly receivers: readonly string[]
  readonly connections: readonly number[]
  /** The results of a receiver on so many connections, a round each. */
  of(receiver: string, connections: number): readonly Measured[]
  /** The same of the client straight to the sink. */
  straight(connections: number): readonly LoadResult[]
  /** Which share of the samples each receiver sends on, by its name. */
  readonly shares: ReadonlyMap<string, number>
  readonly itemsPerRequest: number
}

/** No load lasts longer. Milliseconds. */
const LONGEST = 120_000

/** Gives all receivers the same load, one after the other, and the sink too, in several rounds. */
export async function inTurns(
  receivers: readonly Receiver[],
  sink: Sink,
  comparison: Comparison,
): Promise<Compared> {
  const { name, protocol, itemsPerRequest, once, effort, progress } = comparison
  const milliseconds = effort.seconds * 1000
  const shortly = Math.min(2000, milliseconds)

  const shares = new Map<string, number>()
  for (const receiver of receivers) {
    progress(`${name}: ${receiver.name} warms up`)
    const bodies = comparison.bodies(-1, 1)
    const load = { protocol, itemsPerRequest, bodies, connections: 1 }
    await measure(receiver, sink, { ...load, milliseconds: shortly })
    shares.set(receiver.name, await shareSentOn(receiver, sink, load))
  }

  const results = new Map<string, Measured[]>()
  const straight = new Map<number, LoadResult[]>()
  for (let round = 0; round < effort.rounds; round++) {
    for (const connections of comparison.connections) {
      const bodies = comparison.bodies(round, connections)
      const load = { protocol, bodies, connections }
      const ends = once ? { milliseconds: LONGEST, requests: bodies.length } : { milliseconds }
      for (const receiver of receivers) {
        progress(`${name}, round ${round + 1}: ${receiver.name}, connections: ${connections}`)
        const measured = await measure(receiver, sink, { ...load, ...ends, itemsPerRequest })
        append(results, keyOf(receiver.name, connections), measured)
      }
      progress(`${name}, round ${round + 1}: straight, connections: ${connections}`)
      const direct = await runLoad({ ...load, url: sink.url, milliseconds: shortly })
      append(straight, connections, direct)
    }
  }
  return {
    receivers: receivers.map(({ name }) => name),
    connections: comparison.connections,
    of: (receiver, connections) => results.get(keyOf(receiver, connections)) ?? [],
    straight: (connections) => straight.get(connections) ?? [],
    shares,
    itemsPerRequest,
  }
}

function keyOf(receiver: string, connections: number): string {
  return `${receiver} ${connections}`
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  lists.set(key, [...(lists.get(key) ?? []), value])
}
