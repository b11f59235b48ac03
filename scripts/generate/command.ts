import { Command, InvalidArgumentError, Option } from 'commander'
import { formatDuration, parseDuration } from '../../src/config/duration.ts'
import { type PresetName, presets } from './presets.ts'
import type { Encoding, Protocol } from './request-writer.ts'

/** What the command line says. */
export interface CommandLine {
  readonly url: string
  readonly protocol: Protocol
  readonly encoding?: Encoding
  readonly preset?: PresetName
  /** Each `name=template`. */
  readonly label: readonly string[]
  readonly series: number
  readonly samplesPerRequest: number
  /** Samples a second. */
  readonly rate?: number
  readonly vus?: number
  /** Durations are milliseconds. */
  readonly duration: number
  readonly interval?: number
  readonly timeout: number
  readonly maxInFlight: number
  readonly header: readonly string[]
  readonly bearerEnv?: string
  readonly basicEnv?: string
  readonly json?: boolean
  readonly verify?: string
  readonly verifyWait: number
  readonly verifyHeader: readonly string[]
  readonly verifyBearerEnv?: string
  readonly verifyBasicEnv?: string
}

const PROTOCOLS: readonly Protocol[] = ['remotewrite1', 'remotewrite2', 'otlp', 'otlp-json']
const ENCODINGS: readonly Encoding[] = ['snappy', 'zstd', 'gzip', 'none']
const MOST_CONNECTIONS = 10_000

/** What holds when neither it nor its alternative is given. */
export const DEFAULT_VUS = 4
export const DEFAULT_PRESET: PresetName = 'node_exporter'

/** The command, to be parsed. It exits with 2 when an option is wrong. */
export function createCommand(): Command {
  const command = new Command('npm run generate --')
    .description(
      'Puts load on a receiver of remote write or OTLP, and can look whether it kept what it took.',
    )
    .helpOption('-h, --help', 'print this')
    .addHelpText('after', HELP)
    .allowExcessArguments(false)
  const options = [
    ...[...targetOptions(), ...seriesOptions()],
    ...[...loadOptions(), ...headerOptions('')],
    new Option('--json', 'print the summary as JSON, and nothing else on stdout'),
    ...verifyOptions(),
  ]
  for (const option of options) command.addOption(option)
  return command
}

const HELP = `
Presets:
${Object.entries(presets)
  .map(([name, { description }]) => `  ${name.padEnd(15)} ${description}\n`)
  .join('')}
In templates \${series_id} is the number of the series, from 0; \${series_id/10} and \${series_id%10} work too.

Exit status: 0; 1 when --verify finds something, or nothing was acknowledged; 2 when an option is wrong; 130 after
Ctrl-C. See docs/generate.md.`

function targetOptions(): Option[] {
  return [
    new Option(
      '--url <url>',
      'where to send, path and all: http://127.0.0.1:8787/api/v1/write',
    ).makeOptionMandatory(),
    new Option('--protocol <name>', 'what to send').choices(PROTOCOLS).default('remotewrite1'),
    new Option('--encoding <name>', 'how to compress: by default snappy, for OTLP gzip').choices(
      ENCODINGS,
    ),
  ]
}

function seriesOptions(): Option[] {
  return [
    new Option(
      '--preset <name>',
      `series that look like life, see below (default: "${DEFAULT_PRESET}")`,
    ).choices(Object.keys(presets)),
    list('--label <name=template>', 'a label, instead of a preset; several may be given'),
    new Option('--series <n>', 'how many series')
      .argParser(integer(1, 100_000_000))
      .default(10_000),
    new Option('--samples-per-request <n>', 'series of a request, one sample each')
      .argParser(integer(1, 1_000_000))
      .default(2000),
    time(
      '--interval <time>',
      "between a series' samples, by their own times (default: they have the time of day)",
      1,
    ),
  ]
}

function loadOptions(): Option[] {
  return [
    new Option('--rate <n>', 'samples a second, whatever the receiver does').argParser(positive),
    new Option(
      '--vus <n>',
      `so many requests at a time, each after an answer (default: ${DEFAULT_VUS})`,
    ).argParser(integer(1, MOST_CONNECTIONS)),
    new Option('--max-in-flight <n>', 'requests in flight at most, with --rate')
      .argParser(integer(1, MOST_CONNECTIONS))
      .default(256),
    time('--duration <time>', 'how long', 1, 365 * 86_400_000).default(30_000, '30s'),
    time('--timeout <time>', 'for an answer', 1).default(30_000, '30s'),
  ]
}

function headerOptions(prefix: '' | 'verify-'): Option[] {
  const as = (text: string, option: string) => (prefix === '' ? text : `as --${option}`)
  return [
    list(
      `--${prefix}header <header>`,
      as("'Name: value' to send along; several may be given", 'header'),
    ),
    new Option(
      `--${prefix}bearer-env <name>`,
      as('the environment variable that holds a bearer token', 'bearer-env'),
    ),
    new Option(`--${prefix}basic-env <name>`, as('the one that holds user:password', 'basic-env')),
  ]
}

function verifyOptions(): Option[] {
  return [
    new Option(
      '--verify <url>',
      'afterwards ask for all that was sent: base URL of a Prometheus, or of a Sluice with its embedded origin',
    ),
    time('--verify-wait <time>', 'how long to wait for what is still on its way', 0).default(
      30_000,
      '30s',
    ),
    ...headerOptions('verify-'),
  ]
}

function list(flags: string, description: string): Option {
  const collect = (text: string, before: readonly string[]): readonly string[] => [...before, text]
  return new Option(flags, description).argParser(collect).default([], 'none')
}

/** From `min` milliseconds to a day or, with `--duration`, a year: timers hold no more than 24 days. */
function time(flags: string, description: string, min: number, max = 86_400_000): Option {
  return new Option(flags, description).argParser((text) => {
    const milliseconds = parseDuration(text)
    if (milliseconds === undefined || milliseconds < min) {
      throw new InvalidArgumentError('Wanted a duration such as 500ms, 30s or 1h30m.')
    }
    if (milliseconds <= max) return milliseconds
    throw new InvalidArgumentError(`Wanted ${formatDuration(max)} at the most.`)
  })
}

function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (number >= min && number <= max) return number
    throw new InvalidArgumentError(`Wanted a whole number from ${min} to ${max}.`)
  }
}

function positive(text: string): number {
  const number = /^[0-9]{1,12}(\.[0-9]{1,6})?$/.test(text) ? Number(text) : 0
  if (number > 0) return number
  throw new InvalidArgumentError('Wanted a number above 0.')
}
