import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

// npm run peers [-- NAME…]: builds the real programs that the end-to-end tests and the benchmark talk to.

const root = join(import.meta.dirname, '..')
const outDir = join(root, '.peers')

/** A module folder under test/peers and what `go build` makes of it. */
interface Recipe {
  readonly packages: readonly string[]
  readonly binaries: readonly string[]
  readonly flags: readonly string[]
  /** What a first build took on two cores; seconds once Go's build cache is warm. */
  readonly minutes: number
}

const recipes: Record<string, Recipe> = {
  prometheus: {
    packages: ['prometheus', 'promtool'].map(
      (cmd) => `github.com/prometheus/prometheus/cmd/${cmd}`,
    ),
    binaries: ['prometheus', 'promtool'],
    flags: ['-tags', 'remove_all_sd'],
    minutes: 3.5,
  },
  victoriametrics: {
    packages: ['victoria-metrics', 'vmagent'].map(
      (app) => `github.com/VictoriaMetrics/VictoriaMetrics/app/${app}`,
    ),
    binaries: ['victoria-metrics', 'vmagent'],
    flags: [],
    minutes: 1,
  },
  thanos: {
    packages: ['github.com/thanos-io/thanos/cmd/thanos'],
    binaries: ['thanos'],
    // Without this tag Thanos panics on the first write.
    flags: ['-tags', 'slicelabels'],
    minutes: 3.5,
  },
  otelcol: { packages: ['.'], binaries: ['otelcol'], flags: [], minutes: 2.5 },
}

/** Where the built program `binary` is, or undefined when `npm run peers` has not built it. */
export function peerBinary(binary: string): string | undefined {
  const path = join(outDir, binary)
  return existsSync(path) ? path : undefined
}

function goArguments({ packages, flags }: Recipe): string[] {
  return ['build', '-buildvcs=false', ...flags, '-o', `${outDir}/`, ...packages]
}

/** Hash of all that decides what is built: the module's files and the command. */
function pin(name: string, recipe: Recipe): string {
  const folder = join(root, 'test/peers', name)
  const hash = createHash('sha256').update(JSON.stringify([recipe.flags, recipe.packages]))
  for (const file of readdirSync(folder).sort()) {
    if (/^go\.(mod|sum)$|\.go$/.test(file))
      hash.update(file).update(readFileSync(join(folder, file)))
  }
  return hash.digest('hex')
}

const stampFile = (binary: string) => join(outDir, `${binary}.stamp`)

function isBuilt(name: string, recipe: Recipe): boolean {
  const wanted = pin(name, recipe)
  return recipe.binaries.every(
    (binary) =>
      peerBinary(binary) !== undefined &&
      existsSync(stampFile(binary)) &&
      readFileSync(stampFile(binary), 'utf8') === wanted,
  )
}

/** Builds one peer, with Go's own output shown. False when Go said no. */
function build(name: string, recipe: Recipe): boolean {
  const started = Date.now()
  console.log(
    `peers: building ${recipe.binaries.join(', ')}: about ${recipe.minutes} min on two cores the first time, seconds with a warm build cache`,
  )
  const { status } = spawnSync('go', goArguments(recipe), {
    cwd: join(root, 'test/peers', name),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) {
    console.error(`peers: ${name} could not be built (go build ended with ${status})`)
    return false
  }
  for (const binary of recipe.binaries) writeFileSync(stampFile(binary), pin(name, recipe))
  console.log(`peers: ${name} is there after ${Math.round((Date.now() - started) / 1000)} s`)
  return true
}

/** Builds what is missing among `names`, all of them when none is named. The process's exit code. */
function main(names: readonly string[]): number {
  const unknown = names.filter((name) => !Object.hasOwn(recipes, name))
  if (unknown.length > 0) {
    console.error(
      `peers: unknown: ${unknown.join(', ')}. There are: ${Object.keys(recipes).join(', ')}`,
    )
    return 1
  }
  mkdirSync(outDir, { recursive: true })
  const wanted = names.length > 0 ? names : Object.keys(recipes)
  const missing = wanted.filter((name) => !isBuilt(name, recipes[name]))
  if (missing.length === 0) {
    console.log(`peers: ${wanted.join(', ')}: there already, in ${relative(root, outDir)}/`)
    return 0
  }
  if (spawnSync('go', ['version']).error) {
    console.error(
      `peers: ${missing.join(', ')} can't be built without Go (1.26 or newer). Everything else works without; the tests that need them are skipped.`,
    )
    return 1
  }
  const minutes = missing.reduce((sum, name) => sum + recipes[name].minutes, 0)
  console.log(`peers: missing: ${missing.join(', ')}; at most ${Math.ceil(minutes)} min in all`)
  return missing.map((name) => build(name, recipes[name])).every(Boolean) ? 0 : 1
}

if (process.argv[1] === import.meta.filename) process.exitCode = main(process.argv.slice(2))
