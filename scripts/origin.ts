import { readFileSync } from 'node:fs'
import { Command, InvalidArgumentError } from 'commander'
import { closestWord } from '../src/config/closest-word.ts'
import { parseSize } from '../src/config/size.ts'
import { checkListen } from './listen-address.ts'
import { listeningText } from './origin/listening-text.ts'
import { PROBLEMS, type ProblemCode } from './origin/problems.ts'
import { readScript, readStepText, type ScriptRead } from './origin/read-script.ts'
import { reportText } from './origin/report-text.ts'
import type { Script } from './origin/script.ts'
import { MAX_BODY, MAX_DECODED, startOrigin } from './origin/start-origin.ts'
import { whenOrphaned } from './orphaned.ts'
import { StartProblem } from './start-problem.ts'

// npm run origin [-- --port N --script FILE …]: an origin that checks what it gets and answers as told. See docs/origin.md.

interface Options {
  readonly port: number
  readonly host: string
  readonly script?: string
  readonly step: readonly string[]
  readonly seed?: number
  readonly lenient?: boolean
  readonly allow: readonly ProblemCode[]
  readonly keep: number
  readonly maxBody: number
  readonly maxDecoded: number
  readonly json?: boolean
}

const CODES = Object.keys(PROBLEMS) as ProblemCode[]

const options = new Command('npm run origin --')
  .description('Serves an origin that takes remote write and OTLP, checks it, and answers as told.')
  .option('--port <n>', 'port to listen on, 0 for any free one', integer(0, 65_535), 9300)
  .option('--host <host>', 'address to listen on', '127.0.0.1')
  .option('--script <file>', 'what it does to requests, YAML or JSON: see docs/origin.md')
  .option(
    '--step <step>',
    "one more step: 'status: 503, every: 10'; several may be given",
    (text: string, before: readonly string[]) => [...before, text],
    [],
  )
  .option('--seed <n>', 'of all that is random', integer(0, 2 ** 31 - 1))
  .option('--lenient', 'answer 2xx to what is wrong, and list it')
  .option('--allow <codes>', 'the same for these kinds of problems, such as duplicate', codes, [])
  .option('--keep <n>', 'points to keep for queries', integer(1, 2 ** 30), 5_000_000)
  .option('--max-body <size>', 'largest body, such as 64MB', size, MAX_BODY)
  .option('--max-decoded <size>', 'largest body once decoded', size, MAX_DECODED)
  .option('--json', 'print the summary as JSON')
  .allowExcessArguments(false)
  .parse()
  .opts<Options>()

whenOrphaned(() => process.kill(process.pid, 'SIGTERM'))

try {
  await run(options)
} catch (problem) {
  if (!(problem instanceof StartProblem)) throw problem
  console.error(problem.message)
  process.exit(1)
}

async function run(given: Options): Promise<void> {
  const { host, port, lenient, allow, keep, maxBody, maxDecoded, json } = given
  const script = scriptOf(given)
  await checkListen(host, port)
  const allowed = new Set(lenient ? CODES : allow)
  const origin = await startOrigin({ host, port, script, allowed, keep, maxBody, maxDecoded })
  console.error(listeningText(host, origin.port))
  let stopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, async () => {
      if (stopping) process.exit(1)
      stopping = true
      await origin.stop()
      const report = origin.report()
      console.log(json ? JSON.stringify(report, null, 2) : `\n${reportText(report)}`)
      process.exit(0)
    })
  }
}

/** The steps of the file, then those of the command line. */
function scriptOf({ script: file, step, seed }: Options): Script {
  const read = [
    ...(file === undefined ? [] : [readScript(fileText(file), file)]),
    ...step.map(readStepText),
  ].map(scriptIn)
  return { seed: seed ?? read[0]?.seed ?? 1, steps: read.flatMap(({ steps }) => steps) }
}

function scriptIn(read: ScriptRead): Script {
  if ('script' in read) return read.script
  throw new StartProblem(read.problems.join('\n'))
}

function fileText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new StartProblem(`${file} can't be read: ${(cause as Error).message}`, { cause })
  }
}

function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (number >= min && number <= max) return number
    throw new InvalidArgumentError(`wanted a whole number from ${min} to ${max}.`)
  }
}

function size(text: string): number {
  const bytes = parseSize(text)
  if (bytes !== undefined && bytes >= 1 && bytes < 2 ** 32) return bytes
  throw new InvalidArgumentError('wanted a size such as 512KB or 64MB, below 4GB.')
}

function codes(text: string): ProblemCode[] {
  return text.split(',').map((word) => {
    const code = CODES.find((one) => one === word.trim())
    if (code !== undefined) return code
    const meant = closestWord(word.trim(), CODES)
    const hint = meant === undefined ? `one of ${CODES.join(', ')}` : `did you mean ${meant}?`
    throw new InvalidArgumentError(`${JSON.stringify(word)} is no kind of problem: ${hint}`)
  })
}
