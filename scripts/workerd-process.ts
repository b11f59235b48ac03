import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import type { Readable } from 'node:stream'

/** A `workerd serve` that runs. */
export interface WorkerdProcess {
  readonly pid: number
  /** The port it listens on; rejects with the end of what it printed when it ends before it listens. */
  readonly listening: Promise<number>
  /** Its exit code, 128 and more for a signal. Never rejects. */
  readonly exited: Promise<number>
  /** SIGTERM, and SIGKILL when it is still there after ten seconds. Resolves when it is gone; may be called twice. */
  stop(): Promise<void>
}

const GRACE = 10_000
/** Characters of output kept until it listens, to explain why it does not. */
const KEPT = 4000

/**
 * Starts `workerd serve CONFIG` with modules from `importDir`. Its environment is `env` alone. `output` gets what it
 * prints, once it listens. It is in a process group of its own, so that Ctrl-C reaches it by `stop` only, and it never outlives this
 * process, unless that is killed.
 */
export function startWorkerd(
  config: string,
  importDir: string,
  env: Readonly<Record<string, string>>,
  output: (text: string) => void,
): WorkerdProcess {
  const child = spawn(workerdBinary(), ['serve', '--control-fd=3', '-I', importDir, config], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  let printed = ''
  let started = false
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      if (started) output(text)
      else printed = (printed + text).slice(-KEPT)
    })
  }
  const killNow = () => child.kill('SIGKILL')
  process.once('exit', killNow)

  const exited = new Promise<number>((resolve) => {
    child.once('error', (error) => {
      printed += error.message
      resolve(127)
    })
    child.once('close', (code, signal) => resolve(code ?? 128 + (SIGNALS[signal ?? ''] ?? 0)))
  })
  exited.then(() => process.removeListener('exit', killNow))

  return {
    pid: child.pid ?? 0,
    exited,
    listening: Promise.race([
      portOf(child.stdio[3] as Readable).then((port) => {
        started = true
        if (printed !== '') output(printed)
        return port
      }),
      exited.then((code) => {
        throw new Error(`workerd ended with ${code}:\n${printed.trim()}`)
      }),
    ]),
    stop: () => end(child, exited),
  }
}

const SIGNALS: Record<string, number> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
}

/** The binary that belongs to wrangler, wherever npm put it. */
function workerdBinary(): string {
  const require = createRequire(import.meta.url)
  return createRequire(require.resolve('wrangler/package.json'))('workerd').default
}

/** Reads workerd's control messages, a line of JSON each, up to the one that tells the port. */
function portOf(control: Readable): Promise<number> {
  return new Promise((resolve) => {
    let text = ''
    control.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        const message = JSON.parse(line)
        if (message.event === 'listen') resolve(message.port)
      }
    })
  })
}

async function end(child: ChildProcess, exited: Promise<number>): Promise<void> {
  child.kill('SIGTERM')
  const impatient = setTimeout(() => child.kill('SIGKILL'), GRACE)
  await exited
  clearTimeout(impatient)
}
