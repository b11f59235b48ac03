import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildWorker, readBuild } from './build-worker.ts'
import { checkListen, hostAndPort, isLoopback, localUrl } from './listen-address.ts'
import { StartProblem } from './start-problem.ts'
import { type WorkerdRun, workerdConfig } from './workerd-config.ts'
import { startWorkerd, type WorkerdProcess } from './workerd-process.ts'

/** How to serve the Worker. */
export interface ServeOptions {
  /** Becomes the binding SLUICE_CONFIG. Not checked here: a bad one makes the Worker say so. */
  readonly configText?: string
  readonly host: string
  /** 0: a free one. */
  readonly port: number
  /** Where the embedded origin keeps what it stores; made when it is missing. */
  readonly dataDir: string
  /** Each becomes a binding. Never written to a disk. */
  readonly env?: Readonly<Record<string, string>>
  /** A folder that `buildWorker` filled; without it the Worker is built. */
  readonly build?: string
  /** Gets what workerd and the Worker print; stderr when missing. */
  readonly output?: (text: string) => void
}

/** A Worker that is being served by workerd. */
export interface Served {
  /** As `http://127.0.0.1:8787`. */
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Exit code of workerd; 128 and more for a signal. */
  readonly exited: Promise<number>
  /** Ends workerd; what is under way gets ten seconds. */
  stop(): Promise<void>
}

/** Names of bindings that `env` may not take. */
const RESERVED = new Set(['SLUICE_CONFIG', 'SLUICE_OPEN'])

/** Tells the Worker that only this machine can connect, so that it may do without auth. */
const OPEN = { SLUICE_OPEN: 'loopback' }

/** Where a certificate store may be, and the time zone: all that workerd sees of this process' environment. */
const PASSED = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'TZ']

/**
 * Serves the Worker with plain workerd and resolves when it answers `GET /-/healthy`. On a loopback host it gets the
 * binding SLUICE_OPEN, which lets it do without auth. Throws a StartProblem when the address is taken, or the Worker
 * can't be built or started.
 */
export async function serve(options: ServeOptions): Promise<Served> {
  const { host, port, env = {}, configText } = options
  await checkListen(host, port)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', removeFolder)
  try {
    const buildDir = options.build === undefined ? join(folder, 'build') : resolve(options.build)
    if (options.build === undefined) await buildWorker(buildDir)
    const build = readBuild(buildDir)
    const taken = new Set([...RESERVED, ...build.durableObjects.map(({ binding }) => binding)])
    const clash = Object.keys(env).find((name) => taken.has(name))
    if (clash !== undefined) throw new StartProblem(`the config may not use \${${clash}}`)

    if (configText !== undefined) writeFileSync(join(folder, 'config'), configText, { mode: 0o600 })
    const config = join(folder, 'workerd.capnp')
    const run: WorkerdRun = {
      address: hostAndPort(host, port),
      dataDir: madeFolder(options.dataDir),
      texts: isLoopback(host) ? OPEN : {},
      files: configText === undefined ? {} : { SLUICE_CONFIG: 'config' },
      fromEnvironment: Object.keys(env),
    }
    writeFileSync(config, workerdConfig(build, run))
    const workerd = startWorkerd(config, buildDir, { ...passed(), ...env }, outputOf(options))
    return await whenHealthy(workerd, host, port)
  } finally {
    // workerd has read all of it by now, or never will.
    process.removeListener('exit', removeFolder)
    removeFolder()
  }
}

async function whenHealthy(workerd: WorkerdProcess, host: string, wanted: number): Promise<Served> {
  const { pid, exited, stop } = workerd
  try {
    const port = await workerd.listening
    const url = localUrl(host, port)
    await answers(`${url}/-/healthy`, exited)
    return { url, port, pid, exited, stop }
  } catch (cause) {
    await stop()
    const why = cause instanceof Error ? cause.message : String(cause)
    // Something took the port since it was looked at: say what the look would have said.
    if (/address already in use/i.test(why)) await checkListen(host, wanted)
    throw new StartProblem(why, { cause })
  }
}

/** Asks until there is a 2xx, at most ten seconds, and no longer than the process lives. */
async function answers(url: string, exited: Promise<number>): Promise<void> {
  const deadline = Date.now() + 10_000
  let last = 'no answer'
  let ended: number | undefined
  exited.then((code) => {
    ended = code
  })
  while (ended === undefined && Date.now() < deadline) {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(2000) })
      if (answer.ok) return
      last = `${answer.status} ${(await answer.text()).slice(0, 200)}`
    } catch (cause) {
      last = String(cause)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(ended === undefined ? `${url}: ${last}` : `workerd ended with ${ended}`)
}

function madeFolder(dir: string): string {
  try {
    mkdirSync(dir, { recursive: true })
  } catch (cause) {
    throw new StartProblem(`the data folder can't be made: ${cause}`, { cause })
  }
  return resolve(dir)
}

function outputOf({ output }: ServeOptions): (text: string) => void {
  return output ?? ((text) => void process.stderr.write(text))
}

function passed(): Record<string, string> {
  return Object.fromEntries(
    PASSED.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
