import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'

/** The Worker that stands in for Sluice. */
export const STANDIN = join(import.meta.dirname, 'worker')

/** What a test made, to be undone when it is over: the last first. */
const endings: (() => unknown)[] = []

afterEach(async () => {
  while (endings.length > 0) await endings.pop()?.()
})

/** Runs `end` when the test is over. */
export function atEnd(end: () => unknown): void {
  endings.push(end)
}

/** An empty folder that goes away with the test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'scripts-test-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A port of 127.0.0.1 that something listens on until the test is over. */
export async function takenPort(): Promise<number> {
  const server: Server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as { port: number }).port
}
