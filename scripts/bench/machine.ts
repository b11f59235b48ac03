import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, loadavg, platform, release, totalmem } from 'node:os'
import { join } from 'node:path'

/** What numbers are taken on, as a line of text: processor, memory, system, how busy it is now. */
export function machineText(): string {
  const [{ model }] = cpus()
  const memory = `${(totalmem() / 1024 ** 3).toFixed(1)} GiB`
  return `${model}, ${cpus().length} cores, ${memory}, ${platform()} ${release()}, load average ${loadavg()[0].toFixed(2)} at the start`
}

/** What numbers are taken with. */
export function versionsText(): string {
  const { node, v8 } = process.versions
  return `node ${node} (V8 ${v8}), workerd ${versionOf('workerd', 'wrangler')}, snappyjs ${versionOf('snappyjs')}, @bufbuild/protobuf ${versionOf('@bufbuild/protobuf')}`
}

/** `2026-12-01 02:27 UTC`. */
export function timeOfRun(now = new Date()): string {
  return `${now.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** Of a package, or of one that another package brought. */
function versionOf(name: string, of?: string): string {
  const here = createRequire(import.meta.url)
  const require = of === undefined ? here : createRequire(here.resolve(`${of}/package.json`))
  const paths = require.resolve.paths(name) ?? []
  for (const path of paths) {
    try {
      return JSON.parse(readFileSync(join(path, name, 'package.json'), 'utf8')).version
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return 'unknown'
}
