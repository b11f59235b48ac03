import { parseConfig } from '../../../src/config/parse.ts'
import { type BenchConfigOptions, benchConfigText } from '../bench-config.ts'
import type { Group, Session } from '../group.ts'
import { largeValues } from '../large-values.ts'
import { type LoadResult, runLoad } from '../load.ts'
import { cpuSeconds, peakMebibytes } from '../process-use.ts'
import { startSluice } from '../receivers/sluice.ts'
import { withReceivers, withSink } from '../with-sink.ts'

const PREFIX = 'proxy/large-values'
const VALUE = 1024 * 1024
/** Bodies are small, as they say the same all over: that leaves room for the table. */
const LIMITS = { body: '2MB', label_value: '1MB' }

/** Large label values under workerd. Linux only: it reads /proc. */
export const largeValuesGroup: Group = {
  title: 'Label values of 1 MB, under workerd',
  text: `A request of ten series, each with a label value of 1 MB, to Sluice under plain workerd, over and over on one connection; no rules. An isolate has 128 MB: the same with values of 10 MB is \`receive/large-values\`, in Node. Conflict: the origin answers 409 and so Sluice 400. A generation of the series table holds eight of the ten, so every request meets two of them anew.`,
  names: [PREFIX, `${PREFIX}/conflict`],
  async run(names, session) {
    const problem = problemOf({ limits: LIMITS })
    if (problem !== undefined)
      return { tables: [], goals: [], raw: {}, skipped: [`${PREFIX}: skipped, ${problem}`] }
    const found = await withSink(async (sink) => {
      const all = []
      for (const name of names) {
        session.progress(name)
        const isConflict = name !== PREFIX
        const url = isConflict ? sink.conflictUrl : sink.url
        all.push({ name, ...(await push(url, isConflict ? 400 : 204, session)) })
      }
      return all
    })
    const rows = found.map(({ name, requests, cpu, p50, p99, peak, errors }) => ({
      case: name,
      requests: String(requests),
      'CPU per request': `${((1000 * cpu) / requests).toFixed(1)} ms`,
      'p50 ms': p50.toFixed(1),
      'p99 ms': p99.toFixed(1),
      'peak MiB': peak.toFixed(0),
      errors: String(errors),
    }))
    return { tables: [{ rows }], goals: [], raw: found }
  },
}

async function push(
  url: string,
  status: number,
  { build, effort }: Session,
): Promise<LoadResult & { cpu: number; peak: number }> {
  const folder = await build()
  const silent = () => undefined // a conflict has a line in the log
  const start = () => startSluice({ url, rules: 'none', limits: LIMITS }, folder, silent)
  return withReceivers([start], async ([sluice]) => {
    const { pid } = sluice
    const bodies = [largeValues(VALUE, Date.now() - 1000)]
    const load = { url: sluice.url!, protocol: 'remotewrite1' as const, bodies, connections: 1 }
    const first = await runLoad({ ...load, status, milliseconds: 30_000, requests: 1 })
    if (first.errors > 0) throw new Error(`the request was not taken: ${first.firstError}`)
    const before = cpuSeconds(pid)
    const result = await runLoad({ ...load, status, milliseconds: effort.seconds * 1000 })
    return { ...result, cpu: cpuSeconds(pid) - before, peak: peakMebibytes(pid) }
  })
}

/** What is wrong with the config. */
function problemOf(options: BenchConfigOptions): string | undefined {
  const { config, problems } = parseConfig(benchConfigText(options), {})
  return config === undefined ? problems[0]?.message : undefined
}
