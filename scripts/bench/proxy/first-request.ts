import { setTimeout } from 'node:timers/promises'
import { compressedBodies } from '../bodies.ts'
import { type CpuTime, cpuTime } from '../cpu-time.ts'
import type { Goal, Group } from '../group.ts'
import { runLoad } from '../load.ts'
import { median } from '../median.ts'
import type { Receiver } from '../receivers/receiver.ts'
import { startSluice } from '../receivers/sluice.ts'
import type { Shape } from '../shape.ts'
import { type Sink, startSink } from '../sink.ts'
import { timeText } from '../table.ts'

const PREFIX = 'remotewrite1/first-request/'
const SERIES = 2000
/** Fresh processes; the median counts. */
const PROCESSES = 7
/** What the first request may cost: a free plan's isolate has 10 ms, a paid one's more. Nanoseconds. */
const GOAL = 15e6

/** Each a request: one after the other to the same fresh process. */
const REQUESTS = ['first', 'second, other series', 'third, the same again']

/** One request: CPU and wall time, nanoseconds. */
interface Spent extends CpuTime {
  readonly wall: number
}

/** The first requests of a fresh workerd. */
export const firstRequestGroup: Group = {
  title: 'The first request of a fresh isolate',
  text:
    `2,000 series x 10 labels, ten rules, one origin, to a workerd that has only answered \`GET /-/healthy\` yet: no code is compiled, no series known. Medians of ${PROCESSES} fresh processes. ` +
    "The isolate's CPU is that of the thread that runs the Worker, HTTP in and out included; with it in “all threads” are those that compile and collect garbage.",
  names: (['pod-per-series', 'kubernetes'] as const).map((shape) => PREFIX + shape),
  async run(names, { build, progress, effort }) {
    const processes = effort.quick ? 1 : PROCESSES
    const folder = await build()
    const sink = await startSink()
    const rows: Record<string, string>[] = []
    const goals: Goal[] = []
    const raw: Record<string, Spent[][]> = {}
    try {
      for (const name of names) {
        progress(name)
        const spent: Spent[][] = REQUESTS.map(() => [])
        for (let i = 0; i < processes; i++) {
          const one = await freshProcess(name.slice(PREFIX.length) as Shape, sink, folder)
          for (const [k, request] of one.entries()) spent[k].push(request)
        }
        raw[name] = spent
        const middle = (k: number, of: keyof Spent) => median(spent[k].map((one) => one[of]))
        for (const [k, request] of REQUESTS.entries()) {
          rows.push({
            case: name,
            request,
            "isolate's CPU": timeText(middle(k, 'main')),
            'all threads': timeText(middle(k, 'all')),
            'to the answer': timeText(middle(k, 'wall')),
          })
        }
        const main = middle(0, 'main')
        const text = `${name}: 15 ms of CPU at the most`
        goals.push({ text, measured: timeText(main), met: main <= GOAL })
      }
    } finally {
      await sink.stop()
    }
    return { tables: [{ rows }], goals, raw }
  },
}

async function freshProcess(shape: Shape, sink: Sink, build: string): Promise<Spent[]> {
  // Of now: the Worker's clock is real.
  const options = { shape, series: 2 * SERIES, perRequest: SERIES }
  const [first, second] = compressedBodies(options, Date.now() - 1000)
  const sluice = await startSluice({ url: sink.url }, build)
  try {
    await setTimeout(200) // what a start leaves to be done
    const spent: Spent[] = []
    for (const body of [first, second, first]) spent.push(await send(sluice, body))
    return spent
  } finally {
    await sluice.stop()
  }
}

async function send({ pid, url }: Receiver, body: Uint8Array): Promise<Spent> {
  const before = cpuTime(pid)
  const load = { url: url!, bodies: [body], connections: 1, milliseconds: 10_000, requests: 1 }
  const { errors, firstError, p50 } = await runLoad({ ...load, protocol: 'remotewrite1' })
  if (errors > 0) throw new Error(`the request was not taken: ${firstError}`)
  const after = cpuTime(pid)
  return { all: after.all - before.all, main: after.main - before.main, wall: p50 * 1e6 }
}
