import { loadBodies, SERIES_PER_REQUEST } from '../bodies.ts'
import type { Group } from '../group.ts'
import { errorText, measure } from '../measured.ts'
import type { Receiver } from '../receivers/receiver.ts'
import { startSluice } from '../receivers/sluice.ts'
import { countText } from '../table.ts'
import { withReceivers, withSink } from '../with-sink.ts'

const NAME = 'proxy/active-series'
const ACTIVE_SERIES = [10_000, 100_000, 1_000_000]
const CONNECTIONS = 4

/** Sluice under workerd with more and more active series. Linux only: it reads /proc. */
export const activeSeriesGroup: Group = {
  title: 'More and more active series',
  text: `Sluice under workerd, ten rules, ${CONNECTIONS} connections, after all series have been there once. All of them come in turn: the worst order for a table that can't hold them.`,
  names: [NAME],
  run: (_, { build, effort, progress }) =>
    withSink(async (sink) => {
      const rows: Record<string, string>[] = []
      const raw: unknown[] = []
      const folder = await build()
      for (const shape of ['pod-per-series', 'kubernetes'] as const) {
        for (const series of effort.quick ? ACTIVE_SERIES.slice(0, 1) : ACTIVE_SERIES) {
          progress(`${NAME}: ${countText(series)}, ${shape}`)
          const bodies = loadBodies({ shape, series })
          const start = () => startSluice({ url: sink.url }, folder)
          await withReceivers([start], async ([sluice]) => {
            const load = {
              protocol: 'remotewrite1' as const,
              itemsPerRequest: SERIES_PER_REQUEST,
              bodies,
              connections: CONNECTIONS,
            }
            // Once through all series first, so that what is measured is what comes back.
            const once = { milliseconds: 120_000, requests: bodies.length }
            await measure(sluice, sink, { ...load, ...once })
            const before = await tableCounts(sluice)
            const milliseconds = effort.seconds * 1000
            const measured = await measure(sluice, sink, { ...load, milliseconds })
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
              'peak MiB': measured.peak.toFixed(0),
              errors: errorText([measured]),
            })
          })
        }
      }
      return { tables: [{ rows }], goals: [], raw }
    }),
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
