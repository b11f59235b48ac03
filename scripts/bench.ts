import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { documentText, type Run, reportText } from './bench/document.ts'
import type { Effort, Group, Session } from './bench/group.ts'
import { groups } from './bench/groups.ts'
import { machineText, timeOfRun, versionsText } from './bench/machine.ts'
import { peerGroups } from './bench/peer-groups.ts'
import { peerVersions } from './bench/peers/versions.ts'
import { type Selected, selectCases } from './bench/select.ts'
import { buildWorker } from './build-worker.ts'

// npm run bench [-- FILTER --json FILE --write --quick --list], npm run bench:peers [the same]: measures, prints tables. See bench/README.md.

const DOCUMENT = join(import.meta.dirname, '../docs/benchmarks.md')
const WHOLE: Effort = { rounds: 3, seconds: 6, quick: false }
const QUICK: Effort = { rounds: 1, seconds: 1, quick: true }

interface Options {
  readonly peers?: boolean
  readonly json?: string
  readonly write?: boolean
  readonly quick?: boolean
  readonly list?: boolean
}

const program = new Command('npm run bench --')
  .description('Measures Sluice beside the plain way, or beside other programs, and prints tables.')
  .argument('[filter]', 'a regex: only cases whose name matches')
  .option('--peers', 'beside vmagent and the OpenTelemetry Collector: npm run bench:peers')
  .option('--list', 'print the names of the cases and measure nothing')
  .option('--json <file>', 'write the numbers behind the tables too')
  .option('--write', 'write what was measured into docs/benchmarks.md: whole sections')
  .option('--quick', 'a short look at whether it runs; never written into the document')
  .action((filter: string | undefined, options: Options) => main(filter, options))

async function main(filter: string | undefined, options: Options): Promise<void> {
  const chosen = options.peers ? peerGroups : groups
  const selected = select(chosen, filter)
  if (options.list) {
    for (const name of selected.flatMap(({ names }) => names)) console.log(name)
    return
  }
  const writes = options.write && !options.quick
  // A section is of one run.
  const wanted = writes ? selected.map(({ group }) => ({ group, names: group.names })) : selected
  const run: Run = {
    time: timeOfRun(),
    text: `\`${commandOf(filter, options)}\`, ${machineText()}; ${versionsText()}${options.peers ? `; ${peerVersions()}` : ''}`,
  }
  console.log(`${run.time}: ${run.text}`)
  const { texts, raw } = await runAll(wanted, run, options.quick ? QUICK : WHOLE)
  if (options.json !== undefined)
    writeFileSync(options.json, JSON.stringify({ run, results: raw }, null, 2))
  if (writes && texts.length > 0) writeSections(run, texts)
}

/** As somebody else would type it. */
function commandOf(filter: string | undefined, { peers, write, quick }: Options): string {
  const words = [...(filter ? [`'${filter}'`] : []), ...(quick ? ['--quick'] : [])]
  if (write && !peers) words.push('--write')
  return [
    'npm run',
    peers ? 'bench:peers' : 'bench',
    ...(words.length ? ['--'] : []),
    ...words,
  ].join(' ')
}

function writeSections(run: Run, texts: readonly string[]): void {
  const before = existsSync(DOCUMENT) ? readFileSync(DOCUMENT, 'utf8') : ''
  const titles = [...groups, ...peerGroups].map(({ title }) => title)
  writeFileSync(DOCUMENT, documentText(before, run, texts, titles))
}

function select(chosen: readonly Group[], filter: string | undefined): Selected[] {
  try {
    const selected = selectCases(chosen, filter)
    if (selected.length > 0) return selected
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    program.error(error.message)
  }
  return program.error(`no case matches ${filter}: npm run bench -- --list`)
}

/** Runs all, prints their reports. `texts`: of the groups that measured something. */
async function runAll(selected: readonly Selected[], run: Run, effort: Effort) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-build-'))
  let built: Promise<string> | undefined
  const session: Session = {
    effort,
    build: () => (built ??= buildWorker(folder).then(() => folder)),
    progress: showProgress,
  }
  const texts: string[] = []
  const raw: Record<string, unknown> = {}
  try {
    for (const { group, names } of selected) {
      const report = await group.run(names, session).catch((error) => {
        // What others found out is worth having all the same.
        console.error(`\n${group.title}:`, error)
        process.exitCode = 1
      })
      if (report === undefined) continue
      const text = reportText(group, report, run.time)
      showProgress('')
      console.log(`\n${text}`)
      if (report.tables.length > 0) texts.push(text)
      raw[group.title] = report.raw
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return { texts, raw }
}

/** One line that is written over; only where somebody looks. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}

await program.parseAsync()
