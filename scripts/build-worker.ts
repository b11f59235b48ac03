import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, extname, join, parse } from 'node:path'
import { StartProblem } from './start-problem.ts'

const root = join(import.meta.dirname, '..')
const require = createRequire(import.meta.url)

/** A module of the Worker's bundle: how workerd is to take it. */
export interface WorkerModule {
  readonly name: string
  readonly kind: 'esModule' | 'wasm' | 'text' | 'data'
}

/** What a built Worker needs to run, besides its files. Written beside them by `buildWorker`. */
export interface WorkerBuild {
  /** The entry comes first. */
  readonly modules: readonly WorkerModule[]
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  readonly durableObjects: readonly { readonly binding: string; readonly className: string }[]
}

const MANIFEST = 'worker.json'
const KINDS: Record<string, WorkerModule['kind']> = {
  '.js': 'esModule',
  '.wasm': 'wasm',
  '.yaml': 'text',
  '.txt': 'text',
  '.bin': 'data',
}

/**
 * Wrangler asks the network for its own news, and for a description of the place it runs in, unless it is told not to.
 */
const QUIET = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

/**
 * Bundles the Worker as wrangler.toml says (which builds the kernel first) into the folder `outDir`. Throws a
 * StartProblem with what wrangler printed when that fails. Takes about three seconds; needs no network.
 */
export async function buildWorker(outDir: string): Promise<void> {
  const [{ entry, ...settings }] = await Promise.all([readSettings(), bundle(outDir)])
  const modules = readdirSync(outDir).flatMap((name): WorkerModule[] => {
    const kind = KINDS[extname(name)]
    return kind ? [{ name, kind }] : []
  })
  modules.sort((a, b) => Number(b.name === entry) - Number(a.name === entry))
  const build: WorkerBuild = { modules, ...settings }
  writeFileSync(join(outDir, MANIFEST), JSON.stringify(build, null, 2))
}

/** Reads what `buildWorker` left in `dir`. */
export function readBuild(dir: string): WorkerBuild {
  try {
    return JSON.parse(readFileSync(join(dir, MANIFEST), 'utf8'))
  } catch (cause) {
    throw new StartProblem(`${dir} holds no build of Sluice: ${cause}`, { cause })
  }
}

/** Entry, date, flags and Durable Objects as wrangler.toml has them, so they are said in one place. */
async function readSettings(): Promise<Omit<WorkerBuild, 'modules'> & { entry: string }> {
  // Loading wrangler takes a second, which passes while the bundle is built in a process of its own.
  const { unstable_readConfig } = await import('wrangler')
  const file = unstable_readConfig({ config: join(root, 'wrangler.toml') }, { hideWarnings: true })
  const { main, compatibility_date } = file
  if (!main || !compatibility_date) {
    throw new StartProblem('wrangler.toml lacks main or compatibility_date')
  }
  return {
    entry: `${parse(main).name}.js`,
    compatibilityDate: compatibility_date,
    compatibilityFlags: file.compatibility_flags,
    durableObjects: file.durable_objects.bindings.map(
      (binding: { name: string; class_name: string }) => ({
        binding: binding.name,
        className: binding.class_name,
      }),
    ),
  }
}

async function bundle(outDir: string): Promise<void> {
  const wrangler = join(require.resolve('wrangler/package.json'), '../bin/wrangler.js')
  const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const child = spawn(process.execPath, [wrangler, 'deploy', '--dry-run', '--outdir', outDir], {
    cwd: root,
    env: { ...process.env, ...QUIET, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new StartProblem(`the Worker could not be built:\n${printed.trim()}`)
}
