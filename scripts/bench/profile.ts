import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { caseNamed, cases } from './cases.ts'
import { warmUp } from './measure-time.ts'
import {
  functionShares,
  profileMemory,
  profileTime,
  type SampledProfile,
} from './sampled-profile.ts'
import { tableText } from './table.ts'

// npm run profile -- CASE [--plain --memory --seconds N --top N]: where the time of one case goes, or its memory.

const root = join(import.meta.dirname, '../..')
const outDir = join(root, '.sluice/profiles')

interface Options {
  readonly plain: boolean
  readonly memory: boolean
  readonly seconds: string
  readonly top: string
}

const program = new Command('npm run profile --')
  .description('Profiles one case of the benchmark in a process of its own.')
  .argument('<case>', 'name of a case: npm run bench -- --list')
  .option('--plain', 'the plain way instead of Sluice', false)
  .option('--memory', 'what allocates, instead of what takes time', false)
  .option('--seconds <n>', 'how long to look', '4')
  .option('--top <n>', 'how many functions to show', '30')
  .action((name: string, options: Options) => {
    if (!cases.some((one) => one.name === name)) program.error(`there is no case ${name}`)
    // A process that has the named kernel from its start.
    if (process.env.SLUICE_BENCH_KERNEL !== undefined) return profile(name, options)
    const folder = mkdtempSync(join(tmpdir(), 'sluice-profile-'))
    const SLUICE_BENCH_KERNEL = join(folder, 'kernel.wasm')
    buildNamedKernel(SLUICE_BENCH_KERNEL)
    const { status } = spawnSync(process.execPath, process.argv.slice(1), {
      stdio: 'inherit',
      env: { ...process.env, SLUICE_BENCH_KERNEL },
    })
    rmSync(folder, { recursive: true, force: true })
    process.exitCode = status ?? 1
  })

/** The kernel as it is shipped, but with the names of its functions. */
function buildNamedKernel(file: string): void {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const words: string[] = scripts['build:kernel'].split(' ')
  words[words.indexOf('-o') + 1] = file
  const [asc, ...args] = [...words, '--debug']
  const command = join(root, 'node_modules/.bin', asc)
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('the kernel could not be built')
}

async function profile(name: string, { plain, memory, seconds, top }: Options): Promise<void> {
  const ways = caseNamed(name).make()
  const work = plain ? ways.plain : ways.sluice
  if (work === undefined) throw new Error(`${name} has no plain way`)
  await warmUp(work)
  let runs = 0
  const found = await (memory ? profileMemory : profileTime)(async () => {
    const end = performance.now() + Number(seconds) * 1000
    for (; performance.now() < end; runs++) {
      work.before?.()
      await work.run()
    }
  })
  print(name, found, runs, Number(top))
}

function print(name: string, found: SampledProfile, runs: number, top: number): void {
  mkdirSync(outDir, { recursive: true })
  const file = join(outDir, `${name.replaceAll('/', '-')}.cpuprofile`)
  writeFileSync(file, JSON.stringify({ startTime: 0, endTime: 0, ...found }))
  const share = (part: number) => `${(100 * part).toFixed(1)} %`
  const rows = functionShares(found)
    .filter(({ self }) => self > 0)
    .slice(0, top)
    .map(({ name, place, self, total }) => {
      return { self: share(self), total: share(total), function: name, where: place }
    })
  console.log(`${name}: ${runs} operations\n\n${tableText({ rows })}\n`)
  console.log(`The whole profile, for the browser's developer tools: ${file}`)
}

await program.parseAsync()
