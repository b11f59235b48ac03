import { type LoadOptions, type LoadResult, runLoad } from './load.ts'
import { median } from './median.ts'
import { cpuSeconds, peakMebibytes, type Receiver } from './peers.ts'
import type { Sink } from './sink.ts'
import { countText } from './table.ts'

/** Rounds of a comparison, in which the receivers take turns; seconds of each load. */
export const ROUNDS = 3
export const SECONDS = 6

/** What one load told about one receiver. */
export interface Measured extends LoadResult {
  readonly samplesPerCpuSecond: number
  readonly bytesPerSample: number
}

type Field = 'samplesPerCpuSecond' | 'p50' | 'p99' | 'bytesPerSample'

/** The median of one number. */
export function middle(results: readonly Measured[], field: Field): number {
  return median(results.map((one) => one[field]))
}

/** Receivers that are given the same load. */
export interface Comparison {
  /** For messages. */
  readonly name: string
  readonly bodies: readonly Uint8Array[]
  readonly headers?: Readonly<Record<string, string>>
  readonly connections: readonly number[]
  /** Samples, or data points, of each body. */
  readonly itemsPerRequest: number
  readonly urlOf: (receiver: Receiver) => string
  /** Name of the receiver that the others are compared with. */
  readonly beside: string
  readonly progress: (text: string) => void
}

/** What came of it: lines of a table; and the results of all receivers, in their order, on so many connections. */
export interface Compared {
  readonly rows: Record<string, string>[]
  of(connections: number): readonly (readonly Measured[])[]
  readonly raw: unknown
}

/** Gives all receivers the same load, one after the other, in several rounds. */
export async function inTurns(
  receivers: readonly Receiver[],
  sink: Sink,
  comparison: Comparison,
): Promise<Compared> {
  const { name, bodies, headers, itemsPerRequest, urlOf, progress } = comparison
  const load = (receiver: Receiver, connections: number, milliseconds: number) =>
    measure(receiver, sink, {
      url: urlOf(receiver),
      bodies,
      headers,
      itemsPerRequest,
      connections,
      milliseconds,
    })
  for (const receiver of receivers) await load(receiver, 1, 2000)
  const results = new Map<string, Measured[]>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const connections of comparison.connections) {
      for (const receiver of receivers) {
        const key = `${receiver.name} ${connections}`
        progress(`${name}, round ${round + 1}: ${receiver.name}, connections: ${connections}`)
        const measured = await load(receiver, connections, SECONDS * 1000)
        results.set(key, [...(results.get(key) ?? []), measured])
      }
    }
  }
  const of = (connections: number) =>
    receivers.map(({ name }) => results.get(`${name} ${connections}`) ?? [])
  const besideAt = receivers.findIndex((receiver) => receiver.name === comparison.beside)
  const rows = comparison.connections.flatMap((connections) =>
    receivers.map((receiver, i) => {
      const all = of(connections)
      return row(receiver, connections, all[i]!, comparison, all[besideAt] ?? [])
    }),
  )
  return { rows, of, raw: Object.fromEntries(results) }
}

/** One line of the table. `other` is what it is compared with. */
function row(
  { name, pid }: Receiver,
  connections: number,
  measured: readonly Measured[],
  { itemsPerRequest, beside }: Comparison,
  other: readonly Measured[],
): Record<string, string> {
  const of = (field: Field) => middle(measured, field)
  const theirs = middle(other, 'samplesPerCpuSecond')
  return {
    receiver: name,
    connections: String(connections),
    'samples per CPU-second': countText(of('samplesPerCpuSecond')),
    [`to ${beside}`]: theirs ? `${(of('samplesPerCpuSecond') / theirs).toFixed(2)} x` : '',
    'samples per second': countText(
      median(measured.map(({ requests, seconds }) => (requests * itemsPerRequest) / seconds)),
    ),
    'p50 ms': of('p50').toFixed(1),
    'p99 ms': of('p99').toFixed(1),
    'bytes out per sample': of('bytesPerSample').toFixed(1),
    'peak MiB': peakMebibytes(pid).toFixed(0),
    errors: errorText(measured),
  }
}

/** Runs one load and waits until the receiver has sent everything on; all CPU until then is its. */
export async function measure(
  receiver: Receiver,
  sink: Sink,
  { itemsPerRequest, ...load }: LoadOptions & { readonly itemsPerRequest: number },
): Promise<Measured> {
  const [cpu, { bytes }] = [cpuSeconds(receiver.pid), await sink.counts()]
  const result = await runLoad(load)
  await receiver.drained()
  const samples = (result.requests - result.errors) * itemsPerRequest
  return {
    ...result,
    samplesPerCpuSecond: samples / (cpuSeconds(receiver.pid) - cpu),
    bytesPerSample: ((await sink.counts()).bytes - bytes) / samples,
  }
}

/** How many went wrong, and the first of them. */
export function errorText(results: readonly LoadResult[]): string {
  const count = results.reduce((sum, { errors }) => sum + errors, 0)
  const first = results.find(({ firstError }) => firstError !== undefined)?.firstError
  return first === undefined ? '0' : `${count} (${first.split('\n')[0].slice(0, 80)})`
}
