import type { Group, Report } from './group.ts'
import { tableText } from './table.ts'

/** What one group found out, as Markdown. The same text goes to the terminal and to docs/benchmarks.md. */
export function reportText(
  { title, text }: Group,
  { tables, goals, skipped = [] }: Report,
): string {
  const parts = [`## ${title}`, text]
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

/** docs/benchmarks.md: where, when and how the numbers were taken, and all reports. */
export function documentText(machine: readonly string[], reports: readonly string[]): string {
  const head = [
    '# Benchmarks',
    'Written by `npm run bench -- --write`; what is measured and how to read it is in [scripts/bench/README.md](../scripts/bench/README.md). Absolute times move by tens of percent from machine to machine: compare within one run. ' +
      'A goal that is missed says so.',
    machine.map((line) => `- ${line}`).join('\n'),
  ]
  return `${[...head, ...reports].join('\n\n')}\n`
}
