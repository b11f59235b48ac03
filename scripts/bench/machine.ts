import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, loadavg, platform, release, totalmem } from 'node:os'
import { join } from 'node:path'

/** What the numbers were taken on, as lines of text. */
export function machineLines(now = new Date()): string[] {
  const [{ model }] = cpus()
  const memory = `${(totalmem() / 1024 ** 3).toFixed(1)} GiB`
  return [
    `${now.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    `${model}, ${cpus().length} cores, ${memory}, ${platform()} ${release()}, load average ${loadavg()[0].toFixed(2)} at the start`,
    `node ${process.versions.node} (V8 ${process.versions.v8}), workerd ${versionOf('workerd', 'wrangler')}, snappyjs ${versionOf('snappyjs')}, @bufbuild/protobuf ${versionOf('@bufbuild/protobuf')}`,
  ]
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
