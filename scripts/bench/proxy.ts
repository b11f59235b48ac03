import { peerBinary } from '../peers.ts'
import { compressedBodies } from './bodies.ts'
import type { Goal, Group, Report } from './group.ts'
import { errorText, inTurns, type Measured, measure, middle, ROUNDS, SECONDS } from './in-turns.ts'
import { runLoad } from './load.ts'
import { peakMebibytes, type Receiver, startSluice, startVmagent } from './peers.ts'
import type { BodyOptions } from './shape.ts'
import { type Sink, startSink } from './sink.ts'
import { countText, ratioText } from './table.ts'

const SERIES_PER_REQUEST = 2000
const CONNECTIONS = [4, 1]
/** Active series of the comparison: they stay in Sluice's table; vmagent has none. */
const WARM_SERIES = 10_000
const ACTIVE_SERIES = [10_000, 100_000, 1_000_000]
/** What Sluice is to reach on four connections: samples per CPU-second to vmagent's. */
const GOAL = 2.5

const VMAGENT = 'proxy/vmagent'
const ACTIVE = 'proxy/active-series'

/** Sluice under workerd beside vmagent. Linux only: it reads /proc. */
export const vmagentGroup: Group = {
  title: 'The whole proxy beside vmagent',
  text:
    `Sluice under workerd and vmagent with the same ten rules and one origin that answers at once; ${SERIES_PER_REQUEST} series x 10 labels a request, every series its own pod, ${countText(WARM_SERIES)} of them active; medians of ${ROUNDS} rounds of ${SECONDS} s in turns. ` +
    'CPU is that of the whole process until everything was sent on. Sluice answers when the origin has answered; vmagent answers first and sends on from a queue. ' +
    "The lines without a receiver are the client straight to the origin: what of the latencies is not the receivers'.",
  names: [VMAGENT],
  run: (_, { build, progress }) => withSink(async (sink) => compare(sink, await build(), progress)),
}

/** Sluice under workerd with more and more active series. Linux only. */
export const activeSeriesGroup: Group = {
  title: 'More and more active series',
  text: `Sluice under workerd as above, 4 connections, ${SECONDS} s each after all series have been there once. All of them come in turn: the worst order for a table that can't hold them.`,
  names: [ACTIVE],
  run: (_, { build, progress }) =>
    withSink(async (sink) => activeSeries(sink, await build(), progress)),
}

async function withSink(work: (sink: Sink) => Promise<Report>): Promise<Report> {
  const sink = await startSink()
  try {
    return await work(sink)
  } finally {
    await sink.stop()
  }
}

async function compare(
  sink: Sink,
  build: string,
  progress: (text: string) => void,
): Promise<Report> {
  if (peerBinary('vmagent') === undefined) {
    const skipped = [`${VMAGENT}: skipped, vmagent is not built (npm run peers -- victoriametrics)`]
    return { tables: [], goals: [], raw: {}, skipped }
  }
  const bodies = slices({ shape: 'pod-per-series', series: WARM_SERIES })
  const receivers = [await startSluice(sink.url, build), await startVmagent(sink.url)].filter(
    (receiver) => receiver !== undefined,
  )
  try {
    const { rows, of, raw } = await inTurns(receivers, sink, {
      name: VMAGENT,
      bodies,
      connections: CONNECTIONS,
      itemsPerRequest: SERIES_PER_REQUEST,
      urlOf: ({ url }) => url!,
      beside: 'vmagent',
      progress,
    })
    const all = [...rows, ...(await withoutProxy(sink, bodies))]
    return { tables: [{ rows: all }], goals: goalsOf(of(4)), raw }
  } finally {
    for (const receiver of receivers) await receiver.stop()
  }
}

function goalsOf([ours, theirs]: readonly (readonly Measured[])[]): Goal[] {
  const ratio = middle(ours, 'samplesPerCpuSecond') / middle(theirs, 'samplesPerCpuSecond')
  const [our99, their99] = [middle(ours, 'p99'), middle(theirs, 'p99')]
  return [
    {
      text: `${VMAGENT}, 4 connections: at least ${GOAL} times vmagent's samples per CPU-second`,
      measured: ratioText(ratio),
      met: ratio >= GOAL,
    },
    {
      text: `${VMAGENT}, 4 connections: p99 below vmagent's`,
      measured: `${our99.toFixed(1)} ms, vmagent ${their99.toFixed(1)} ms`,
      met: our99 < their99,
    },
  ]
}

/** The client straight to the sink: what of the latencies above is not the receivers'. */
async function withoutProxy(
  { url }: Sink,
  bodies: readonly Uint8Array[],
): Promise<Record<string, string>[]> {
  const rows: Record<string, string>[] = []
  for (const connections of CONNECTIONS) {
    const result = await runLoad({ url, bodies, connections, milliseconds: 2000 })
    rows.push({
      receiver: '(none)',
      connections: String(connections),
      'samples per second': countText((result.requests * SERIES_PER_REQUEST) / result.seconds),
      'p50 ms': result.p50.toFixed(1),
      'p99 ms': result.p99.toFixed(1),
      errors: errorText([result]),
    })
  }
  return rows
}

async function activeSeries(
  sink: Sink,
  build: string,
  progress: (text: string) => void,
): Promise<Report> {
  const rows: Record<string, string>[] = []
  const raw: unknown[] = []
  for (const shape of ['pod-per-series', 'kubernetes'] as const) {
    for (const series of ACTIVE_SERIES) {
      progress(`${ACTIVE}: ${countText(series)}, ${shape}`)
      const bodies = slices({ shape, series })
      const sluice = await startSluice(sink.url, build)
      try {
        // Once through all series first, so that what is measured is what comes back.
        const url = sluice.url!
        const itemsPerRequest = SERIES_PER_REQUEST
        const first = { bodies, connections: 4, milliseconds: 120_000, requests: bodies.length }
        await measure(sluice, sink, { url, itemsPerRequest, ...first })
        const before = await tableCounts(sluice)
        const load = { bodies, connections: 4, milliseconds: SECONDS * 1000 }
        const measured = await measure(sluice, sink, { url, itemsPerRequest, ...load })
        const after = await tableCounts(sluice)
        const [hits, misses] = [after.hits - before.hits, after.misses - before.misses]
        const hitRate = hits / (hits + misses)
        raw.push({ shape, series, hitRate, ...measured })
        rows.push({
          shape,
          'active series': countText(series),
          'hit rate': `${(100 * hitRate).toFixed(1)} %`,
          'turn-overs': String(after.turnOvers - before.turnOvers),
          'samples per CPU-second': countText(measured.samplesPerCpuSecond),
          'p50 ms': measured.p50.toFixed(1),
          'p99 ms': measured.p99.toFixed(1),
          'bytes out per sample': measured.bytesPerSample.toFixed(1),
          'peak MiB': peakMebibytes(sluice.pid).toFixed(0),
          errors: errorText([measured]),
        })
      } finally {
        await sluice.stop()
      }
    }
  }
  return { tables: [{ rows }], goals: [], raw }
}

async function tableCounts(
  sluice: Receiver,
): Promise<{ hits: number; misses: number; turnOvers: number }> {
  return {
    hits: await sluice.ownMetric('sluice_table_hits_total'),
    misses: await sluice.ownMetric('sluice_table_misses_total'),
    turnOvers: await sluice.ownMetric('sluice_table_turn_overs_total'),
  }
}

/** Bodies for a load: of each slice of the series, as often as it takes to have times that go on for a while. */
function slices(options: BodyOptions): Uint8Array[] {
  const count = Math.ceil(options.series / SERIES_PER_REQUEST)
  const stamps = Math.max(1, Math.floor(200 / count))
  const start = Date.now() - stamps * 1000
  const perRequest = SERIES_PER_REQUEST
  return Array.from({ length: stamps }, (_, i) =>
    compressedBodies({ ...options, perRequest }, start + i * 1000),
  ).flat()
}
