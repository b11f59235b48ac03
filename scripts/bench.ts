import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { documentText, reportText } from './bench/document.ts'
import type { Session } from './bench/group.ts'
import { groups } from './bench/groups.ts'
import { machineLines } from './bench/machine.ts'
import { type Selected, selectCases } from './bench/select.ts'
import { buildWorker } from './build-worker.ts'

// npm run bench [-- FILTER --json FILE --write --list]: measures, prints tables. See bench/README.md.

const DOCUMENT = join(import.meta.dirname, '../docs/benchmarks.md')

interface Options {
  readonly json?: string
  readonly write?: boolean
  readonly list?: boolean
}

const program = new Command('npm run bench --')
  .description('Measures Sluice beside the plain way and beside vmagent, and prints tables.')
  .argument('[filter]', 'a regex: only cases whose name matches')
  .option('--list', 'print the names of the cases and measure nothing')
  .option('--json <file>', 'write the numbers behind the tables too')
  .option('--write', 'write docs/benchmarks.md (the whole benchmark only)')
  .action((filter: string | undefined, options: Options) => main(filter, options))

async function main(filter: string | undefined, { json, write, list }: Options): Promise<void> {
  const selected = select(filter)
  if (list) {
    for (const name of selected.flatMap(({ names }) => names)) console.log(name)
    return
  }
  if (write && filter !== undefined) program.error('--write takes no filter: it writes the whole')
  const machine = machineLines()
  console.log(machine.join('\n'))
  const { texts, raw } = await runAll(selected)
  if (json !== undefined) writeFileSync(json, JSON.stringify({ machine, results: raw }, null, 2))
  if (write && process.exitCode === undefined) writeFileSync(DOCUMENT, documentText(machine, texts))
}

function select(filter: string | undefined): Selected[] {
  try {
    const selected = selectCases(groups, filter)
    if (selected.length > 0) return selected
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    program.error(error.message)
  }
  return program.error(`no case matches ${filter}: npm run bench -- --list`)
}

async function runAll(selected: readonly Selected[]) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-build-'))
  let built: Promise<string> | undefined
  const session: Session = {
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
      const text = reportText(group, report)
      showProgress('')
      console.log(`\n${text}`)
      texts.push(text)
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
