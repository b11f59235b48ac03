import type { Protocol } from '../../src/batch/protocol.ts'
import { type LoadOptions, type LoadResult, runLoad } from './load.ts'
import { median } from './median.ts'
import { cpuSeconds, peakMebibytes, resetPeak } from './process-use.ts'
import type { Receiver } from './receivers/receiver.ts'
import type { Sink } from './sink.ts'

/** What one load told about one receiver. */
export interface Measured extends LoadResult {
  readonly samplesPerSecond: number
  readonly samplesPerCpuSecond: number
  /** Bytes that arrived at the origin for each sample that was sent to the receiver. */
  readonly bytesPerSample: number
  /** Most memory while it was under load, where the system allows to ask for that; else since it began. MiB. */
  readonly peak: number
}

/** A load on a receiver. */
export interface MeasureOptions extends Omit<LoadOptions, 'url'> {
  /** Samples, or data points, of each body. */
  readonly itemsPerRequest: number
}

/** Runs one load and waits until the receiver has sent everything on; all CPU until then is its. */
export async function measure(
  receiver: Receiver,
  sink: Sink,
  { itemsPerRequest, ...load }: MeasureOptions,
): Promise<Measured> {
  const { pid } = receiver
  resetPeak(pid)
  const [cpu, { bytes }] = [cpuSeconds(pid), await sink.counts()]
  const result = await runLoad({ ...load, url: urlFor(receiver, load.protocol) })
  await receiver.drained()
  const samples = (result.requests - result.errors) * itemsPerRequest
  return {
    ...result,
    samplesPerSecond: samples / result.seconds,
    samplesPerCpuSecond: samples / (cpuSeconds(pid) - cpu),
    bytesPerSample: ((await sink.counts()).bytes - bytes) / samples,
    peak: peakMebibytes(pid),
  }
}

/** Where a receiver takes this protocol. */
export function urlFor({ name, url, otlpUrl }: Receiver, protocol: Protocol): string {
  const found = protocol === 'otlp' ? otlpUrl : url
  if (found === undefined) throw new Error(`BUG: ${name} does not take ${protocol}`)
  return found
}

/** The median of one number over the rounds; NaN when there is none. */
export function middle<F extends string>(
  results: readonly Readonly<Record<F, number>>[],
  field: F,
): number {
  return median(results.map((one) => one[field]))
}

/** How many requests went wrong, and the first of them. */
export function errorText(results: readonly LoadResult[]): string {
  const count = results.reduce((sum, { errors }) => sum + errors, 0)
  const first = results.find(({ firstError }) => firstError !== undefined)?.firstError
  return first === undefined ? '0' : `${count} (${first.split('\n')[0].slice(0, 80)})`
}
