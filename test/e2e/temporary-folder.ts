import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let made: string[] | undefined

/** A new folder whose name begins with `prefix`. It is removed when this process ends, if it is still there. */
export function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  folders().push(folder)
  return folder
}

/** One listener for all of them: Node warns of a leak when there are more than ten. */
function folders(): string[] {
  if (made !== undefined) return made
  const all: string[] = []
  process.once('exit', () => {
    for (const folder of all) rmSync(folder, { recursive: true, force: true })
  })
  made = all
  return all
}
