import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** Another program that runs, with a folder of its own. */
export interface Program {
  readonly pid: number
  /** `127.0.0.1:PORT`, a port that was free. */
  readonly address: string
  /** Ends it and removes its folder. Resolves when it is gone. */
  stop(): Promise<void>
}

/** Starts a program and resolves once `isUp`. It never outlives this process, unless that is killed. */
export async function startProgram(
  binary: string,
  argumentsFor: (address: string, folder: string) => readonly string[],
  isUp: (address: string) => Promise<boolean>,
): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(binary, argumentsFor(address, folder), {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const killNow = () => child.kill('SIGKILL')
  process.once('exit', killNow)
  const stop = async () => {
    child.kill('SIGTERM')
    await gone
    process.removeListener('exit', killNow)
    rmSync(folder, { recursive: true, force: true })
  }
  const ended = gone.then(() => {
    throw new Error(`${binary} ended before it was up`)
  })
  try {
    await Promise.race([until(() => isUp(address)), ended])
  } catch (error) {
    await stop()
    throw error
  }
  return { pid: child.pid ?? 0, address, stop }
}

/** Asks until it is so; throws after a minute. An error means not yet. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > end) throw new Error('not within a minute')
    await setTimeout(100)
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
