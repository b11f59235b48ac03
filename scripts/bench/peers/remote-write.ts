import { compressedBodies, loadBodies, SERIES_PER_REQUEST } from '../bodies.ts'
import { comparisonRaw } from '../comparison-raw.ts'
import { comparisonRows } from '../comparison-rows.ts'
import type { Goal, Group, Session } from '../group.ts'
import { type Compared, inTurns } from '../in-turns.ts'
import { startSluice } from '../receivers/sluice.ts'
import { startVmagent } from '../receivers/vmagent.ts'
import type { Shape } from '../shape.ts'
import type { Sink } from '../sink.ts'
import type { Table } from '../table.ts'
import { withReceivers, withSink } from '../with-sink.ts'
import { latencyGoal, sameWorkGoal, timesGoal } from './goals.ts'
import { missing } from './missing.ts'

const PREFIX = 'peers/remotewrite1/'
const SHAPES = ['pod-per-series', 'kubernetes'] as const
/** They stay in Sluice's table; vmagent has none. */
const WARM_SERIES = 10_000
/** Requests of new series, for each second that other loads last. */
const NEW_REQUESTS = 100
const CONNECTIONS = [4, 1]
const TIMES = { warm: 3, new: 1 }

type State = keyof typeof TIMES

/** Sluice under workerd beside vmagent, both given remote write 1.0. Linux only: it reads /proc. */
export const remoteWritePeersGroup: Group = {
  title: 'Remote write 1.0, beside vmagent',
  text:
    'Sluice under workerd and vmagent with the same ten rules and one origin that answers at once; 2,000 series x 10 labels a request. Pod per series: every series has a pod and an instance of its own; Kubernetes: pods of 50 series. Warm: 10,000 active series, which come again. ' +
    'New: every series of every request is one that was never sent before, and each receiver gets the same ones. ' +
    'The receivers take turns; medians over the rounds. CPU is that of the whole process until everything was sent on. Both send snappy. Sluice answers when the origin has answered; vmagent answers first and sends on from a queue. ' +
    "Added: over the lines without a receiver, which are the client straight to the origin. Sent on: the share of the samples that the rules leave, counted by decoding what the origin got in a look before the measurement. Peak MiB: the receiver's resident memory under that load.",
  names: (['warm', 'new'] as const).flatMap((state) =>
    SHAPES.map((shape) => `${PREFIX}${state}/${shape}`),
  ),
  async run(names, session) {
    const skipped = missing(PREFIX, 'vmagent')
    if (skipped.length > 0) return { tables: [], goals: [], raw: {}, skipped }
    return withSink(async (sink) => {
      const tables: Table[] = []
      const goals: Goal[] = []
      const raw: Record<string, unknown> = {}
      for (const name of names) {
        const [state, shape] = name.slice(PREFIX.length).split('/') as [State, Shape]
        const compared = await compare(name, state, shape, sink, session)
        tables.push({ title: `\`${name}\``, rows: comparisonRows(compared, 'vmagent') })
        goals.push(
          ...timesGoal(name, compared, 'vmagent', TIMES[state]),
          ...(state === 'warm' ? latencyGoal(name, compared, 'vmagent') : []),
          ...sameWorkGoal(name, compared),
        )
        raw[name] = comparisonRaw(compared)
      }
      return { tables, goals, raw }
    })
  },
}

async function compare(
  name: string,
  state: State,
  shape: Shape,
  sink: Sink,
  { build, effort, progress }: Session,
): Promise<Compared> {
  const folder = await build()
  const warm = state === 'warm' ? loadBodies({ shape, series: WARM_SERIES }) : []
  return withReceivers(
    [() => startSluice({ url: sink.url }, folder), () => startVmagent(sink.url)],
    (receivers) =>
      inTurns(receivers, sink, {
        name,
        protocol: 'remotewrite1',
        bodies: (round, connections) =>
          state === 'warm' ? warm : newSeries(shape, effort.seconds, seedOf(round, connections)),
        once: state === 'new',
        connections: CONNECTIONS,
        itemsPerRequest: SERIES_PER_REQUEST,
        effort,
        progress,
      }),
  )
}

/** Another one for each turn. */
function seedOf(round: number, connections: number): number {
  return 1000 + round * 100 + connections
}

/** Requests whose series come once. Their pods have names of their own for every seed. */
function newSeries(shape: Shape, seconds: number, seed: number): Uint8Array[] {
  const series = NEW_REQUESTS * seconds * SERIES_PER_REQUEST
  return compressedBodies(
    { shape, series, perRequest: SERIES_PER_REQUEST, seed },
    Date.now() - 1000,
  )
}
