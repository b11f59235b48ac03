import type { Group, Report } from './group.ts'
import { tableText } from './table.ts'

/** What one group found out, as Markdown. The same text goes to the terminal and to docs/benchmarks.md. `run`: when it was measured. */
export function reportText(
  { title, text }: Group,
  { tables, goals, skipped = [] }: Report,
  run: string,
): string {
  const parts = [`## ${title}`, `${RUN}${run}`, text]
  for (const table of tables) {
    if (table.title) parts.push(table.title)
    parts.push(tableText(table))
  }
  if (goals.length > 0) {
    const rows = goals.map(({ text, measured, met }) => {
      return { goal: text, measured, '': met ? 'met' : 'missed' }
    })
    parts.push(tableText({ rows }))
  }
  return [...parts, ...skipped].join('\n\n')
}

/** Where, how and when numbers were taken. */
export interface Run {
  /** Names it: sections refer to it. */
  readonly time: string
  /** One line: command, machine, versions. */
  readonly text: string
}

/** In each section: the run that its numbers are from. */
const RUN = 'Measured: '
const HEAD =
  '# Benchmarks\n\n' +
  'Written by `npm run bench -- --write` and `npm run bench:peers`; a run writes the sections that it measured anew and leaves the others. What is measured and how to read it is in [scripts/bench/README.md](../scripts/bench/README.md). ' +
  'Absolute times move by tens of percent from machine to machine: compare within one run. A goal that is missed says so.'

/**
 * docs/benchmarks.md with the sections of this run in place of those with the same title. `titles`: of all groups, in their order; other sections are left out, and so are those that do not
 * say which run they are of, and runs that no section is of.
 */
export function documentText(
  before: string,
  run: Run,
  sections: readonly string[],
  titles: readonly string[],
): string {
  const byTitle = new Map<string, string>()
  for (const section of [...sectionsOf(before), ...sections]) {
    if (runOf(section) !== undefined) byTitle.set(titleOf(section), section)
  }
  const kept = titles.flatMap((title) => byTitle.get(title) ?? [])
  const used = new Set(kept.map(runOf))
  const runs = [...runsOf(before), `- ${run.time}: ${run.text}`].filter((line) =>
    [...used].some((time) => line.startsWith(`- ${time}: `)),
  )
  return `${[HEAD, [...new Set(runs)].join('\n'), ...kept].join('\n\n')}\n`
}

/** From `## TITLE` to before the next one. */
function sectionsOf(document: string): string[] {
  return document
    .split(/^(?=## )/m)
    .filter((part) => part.startsWith('## '))
    .map((part) => part.trimEnd())
}

/** The lines that describe runs: those of the list before the first section. */
function runsOf(document: string): string[] {
  const [head] = document.split(/^(?=## )/m)
  return (head ?? '').split('\n').filter((line) => line.startsWith('- '))
}

function titleOf(section: string): string {
  return section.slice(3).split('\n')[0]
}

function runOf(section: string): string | undefined {
  const line = section.split('\n').find((line) => line.startsWith(RUN))
  return line?.slice(RUN.length)
}
