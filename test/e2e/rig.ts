import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { peerBinary } from '../../scripts/peers.ts'
import { launch, type RunningProcess, tail, waitUntilReady } from './process.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Everything one test started. It ends with the test, whatever became of it. */
export interface Rig {
  /** A new empty folder that goes away with the rig. */
  folder(name: string): string
  /** Runs `stop` when the test is over; the last one given goes first. */
  onEnd(stop: () => Promise<void>): void
  /** Prints the end of `log()` under `name` when the test fails. */
  showOnFailure(name: string, log: () => string): void
  /** Starts a program of `npm run peers` and waits until `readyUrl` answers 2xx. */
  start(binary: string, args: readonly string[], readyUrl: string): Promise<RunningProcess>
}

/** Call in a `describe` block: it gives each test a rig of its own. */
export function useRig(): Rig {
  let root: string | undefined
  let folders = 0
  let endings: (() => Promise<void>)[] = []
  let logs: { name: string; log: () => string }[] = []

  const rig: Rig = {
    folder(name) {
      root ??= temporaryFolder('sluice-e2e-')
      const path = join(root, `${folders++}-${name}`)
      mkdirSync(path)
      return path
    },
    onEnd: (stop) => void endings.push(stop),
    showOnFailure: (name, log) => void logs.push({ name, log }),
    async start(binary, args, readyUrl) {
      const path = peerBinary(binary)
      if (path === undefined) throw new Error(`${binary} is missing: npm run peers`)
      const running = launch(path, args, join(rig.folder(binary), 'log'))
      rig.onEnd(running.stop)
      rig.showOnFailure(binary, running.log)
      await waitUntilReady(running, readyUrl)
      return running
    },
  }

  afterEach(async ({ task }) => {
    const failed = task.result?.state === 'fail'
    for (const { name, log } of failed ? logs : []) console.error(`--- ${name}\n${tail(log())}`)
    for (const stop of endings.reverse()) await stop()
    if (root !== undefined) rmSync(root, { recursive: true, force: true })
    root = undefined
    endings = []
    logs = []
  })
  return rig
}
