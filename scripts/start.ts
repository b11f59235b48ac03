import { constants } from 'node:os'
import { join, relative } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { readConfigFile, readDevVars } from './config-file.ts'
import { greeting } from './greeting.ts'
import { checkListen, isLoopback } from './listen-address.ts'
import { whenOrphaned } from './orphaned.ts'
import { type Served, serve } from './serve.ts'
import { StartProblem } from './start-problem.ts'

// npm start [-- --config FILE --port N --host H --data DIR]: builds the Worker and serves it with plain workerd.

/** The config that is part of the Worker. */
const BUNDLED = join(import.meta.dirname, '../sluice.yaml')

interface Options {
  readonly config?: string
  readonly port: number
  readonly host: string
  readonly data: string
  readonly build?: string
}

const options = new Command('npm start --')
  .description('Builds Sluice and serves it with plain workerd.')
  .option('--config <file>', 'a config; without it, the sluice.yaml beside package.json is used')
  .option('--port <n>', 'port to listen on, 0 for any free one', portNumber, 8787)
  .option('--host <host>', 'address to listen on', '127.0.0.1')
  .option('--data <dir>', 'where the embedded origin keeps what it stores', '.sluice/data')
  .option('--build <dir>', 'serve this build instead of making one')
  .allowExcessArguments(false)
  .parse()
  .opts<Options>()

let served: Served | undefined
let stopping = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // Before there is anything to stop, and when asked again: at once.
    if (!served || stopping) process.exit(128 + constants.signals[signal])
    stopping = true
    served.stop()
  })
}

whenOrphaned(() => process.kill(process.pid, 'SIGTERM'))

try {
  await run(options)
} catch (problem) {
  if (!(problem instanceof StartProblem)) throw problem
  console.error(problem.message)
  process.exit(1)
}

async function run({ host, port, data, build, config: given }: Options): Promise<void> {
  const environment = { ...readDevVars('.dev.vars'), ...process.env }
  const file = given ?? relative('.', BUNDLED)
  const openWithoutAuth = given === undefined && isLoopback(host)
  const { text, env, config, problems } = readConfigFile(file, environment, { openWithoutAuth })
  if (given !== undefined) {
    if (config === undefined) throw new StartProblem(problems.join('\n'))
    for (const warning of problems) console.error(warning)
  }
  await checkListen(host, port)
  if (build === undefined) console.error('Building the Worker, about 3 seconds ...')
  const configText = given === undefined ? undefined : text
  served = await serve({ configText, env, host, port, dataDir: data, build })
  console.error(greeting({ host, port: served.port, dataDir: data, config, problems }))
  const code = await served.exited
  if (!stopping) console.error(`workerd ended with ${code}`)
  process.exit(stopping ? code : code || 1)
}

function portNumber(text: string): number {
  if (!/^[0-9]{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError('wanted a number from 0 to 65535.')
  }
  return Number(text)
}
