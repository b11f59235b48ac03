import { type Chunks, chunksOf } from './chunks.ts'
import { type CommandLine, DEFAULT_PRESET, DEFAULT_VUS } from './command.ts'
import { checkDistinct } from './distinct-series.ts'
import { OptionProblem } from './option-problem.ts'
import { presets } from './presets.ts'
import { type Target, targetOf } from './request-headers.ts'
import type { Encoding, Protocol } from './request-writer.ts'
import { type SeriesSet, seriesSet } from './series-set.ts'

/** What is to be done: the command line, checked. Times are milliseconds. */
export interface Plan {
  readonly target: Target
  readonly protocol: Protocol
  readonly encoding: Encoding
  readonly set: SeriesSet
  readonly chunks: Chunks
  /** Open loop with a rate, in samples a second, or closed loop. */
  readonly load: { readonly rate: number; readonly maxInFlight: number } | { readonly vus: number }
  readonly duration: number
  readonly interval?: number
  readonly timeout: number
  readonly json: boolean
  readonly verify?: { readonly target: Target; readonly wait: number }
}

type Environment = Readonly<Record<string, string | undefined>>

/** The timer would not keep up anyway. */
const MOST_REQUESTS_A_SECOND = 100_000
const MOST_CHUNKS = 10_000_000

/** Checks the command line as a whole. Throws an OptionProblem. */
export function planOf(given: CommandLine, env: Environment): Plan {
  const { protocol, rate, vus, duration, interval, timeout, series, samplesPerRequest } = given
  if (rate !== undefined && vus !== undefined) {
    throw new OptionProblem('--rate and --vus are two ways to load: leave one')
  }
  const chunks = chunksOf(series, Math.min(samplesPerRequest, series))
  if (chunks.count > MOST_CHUNKS) {
    throw new OptionProblem(
      `--series make more than ${MOST_CHUNKS} requests: raise --samples-per-request`,
    )
  }
  if (rate !== undefined && rate / chunks.perRequest > MOST_REQUESTS_A_SECOND) {
    throw new OptionProblem(
      `--rate: more than ${MOST_REQUESTS_A_SECOND} requests a second: raise --samples-per-request`,
    )
  }
  const target = targetOf(given.url, given, env)
  return {
    target,
    protocol,
    encoding: given.encoding ?? (protocol.startsWith('otlp') ? 'gzip' : 'snappy'),
    set: setOf(given),
    chunks,
    load:
      rate === undefined ? { vus: vus ?? DEFAULT_VUS } : { rate, maxInFlight: given.maxInFlight },
    duration,
    ...(interval !== undefined && { interval }),
    timeout,
    json: given.json ?? false,
    ...verifyOf(given, env, target),
  }
}

function setOf({ preset, label, series }: CommandLine): SeriesSet {
  if (label.length === 0) return presets[preset ?? DEFAULT_PRESET].series()
  if (preset !== undefined) {
    throw new OptionProblem('--preset and --label both say which series there are: leave one')
  }
  const labels: Record<string, string> = {}
  for (const text of label) {
    const equals = text.indexOf('=')
    const name = text.slice(0, equals)
    if (equals < 1) throw new OptionProblem(`--label ${JSON.stringify(text)}: wanted name=template`)
    if (Object.hasOwn(labels, name)) throw new OptionProblem(`--label: ${name} is there twice`)
    labels[name] = text.slice(equals + 1)
  }
  const set = asOption('--label', () => seriesSet({ labels }))
  checkDistinct(set, series)
  return set
}

function verifyOf(given: CommandLine, env: Environment, target: Target): Pick<Plan, 'verify'> {
  const { verify, verifyHeader, verifyBearerEnv, verifyBasicEnv, verifyWait } = given
  if (verify === undefined) return {}
  const options = {
    header: verifyHeader,
    ...(verifyBearerEnv !== undefined && { bearerEnv: verifyBearerEnv }),
    ...(verifyBasicEnv !== undefined && { basicEnv: verifyBasicEnv }),
  }
  const asked = targetOf(verify, options, env, 'verify-')
  // Credentials are not for other hosts.
  const headers =
    asked.url.origin === target.url.origin ? { ...target.headers, ...asked.headers } : asked.headers
  return { verify: { target: { ...asked, headers }, wait: verifyWait } }
}

/** What others say of what this option holds, as an OptionProblem. */
export function asOption<T>(option: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error) throw new OptionProblem(`${option}: ${error.message}`)
    throw error
  }
}
