import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { eventually } from './eventually.ts'

/** A program that runs beside the tests. */
export interface RunningProcess {
  readonly pid: number
  /** It has ended, by itself or by `stop`. */
  readonly ended: boolean
  /** All it wrote so far. */
  log(): string
  /** SIGTERM, and SIGKILL when it is still there after 10 s. Resolves when it is gone; may be called twice. */
  stop(): Promise<void>
}

// Vitest takes process.exit away from its workers, so what is to be done at exit is done here when a signal ends them.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    process.emit('exit', 1)
    process.kill(process.pid, 'SIGKILL')
  })
}

/** A port on the loopback that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/** Starts the program at `path` with its output in `logFile`. It never outlives this process. */
export function launch(path: string, args: readonly string[], logFile: string): RunningProcess {
  const log = openSync(logFile, 'a')
  const child = spawn(path, args, { stdio: ['ignore', log, log] })
  closeSync(log)
  const killNow = () => child.kill('SIGKILL')
  process.once('exit', killNow)
  child.once('exit', () => process.removeListener('exit', killNow))
  return {
    pid: child.pid ?? 0,
    get ended() {
      return hasEnded(child)
    },
    log: () => readFileSync(logFile, 'utf8'),
    stop: () => end(child),
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const impatient = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await gone
  clearTimeout(impatient)
}

/** Waits until `url` answers 2xx; when it doesn't within 30 s, or the program ends before, throws with the end of its log. */
export async function waitUntilReady(running: RunningProcess, url: string): Promise<void> {
  const failed = (cause?: unknown) => new Error(`no start:\n${tail(running.log())}`, { cause })
  const readyOrEnded = async () => running.ended || (await fetch(url)).ok
  try {
    await eventually(`an answer of ${url}`, readyOrEnded)
  } catch (cause) {
    throw failed(cause)
  }
  if (running.ended) throw failed()
}

/** The last 30 lines of a log. */
export function tail(log: string): string {
  return log.trimEnd().split('\n').slice(-30).join('\n')
}
