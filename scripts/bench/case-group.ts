import type { BenchCase, CaseResult, Measurement } from './case.ts'
import type { Goal, Group } from './group.ts'
import { measureCase } from './measure-case.ts'
import { bytesText, countText, ratioText, timeText } from './table.ts'

/** Results of a group's cases by name; those that the filter left out are missing. */
export type Results = ReadonlyMap<string, CaseResult>

/** A group of cases that are measured in processes of their own. */
export function caseGroup(
  title: string,
  text: string,
  cases: readonly BenchCase[],
  goals: (results: Results) => readonly Goal[] = () => [],
): Group {
  return {
    title,
    text,
    names: cases.map(({ name }) => name),
    async run(names, { progress, effort }) {
      const results = new Map<string, CaseResult>()
      for (const name of names) {
        progress(name)
        results.set(name, await measureCase(name, effort.quick))
      }
      const all = [...results.values()]
      // What counts in other units has other columns.
      const units = [...new Set(all.map(({ unit }) => unit))]
      const tables = units.map((unit) => {
        return { rows: all.filter((one) => one.unit === unit).map(caseRow) }
      })
      return { tables, goals: goals(results), raw: all }
    },
  }
}

/** A line of the table. */
export function caseRow(result: CaseResult): Record<string, string> {
  const { name, items, unit, sluice, plain } = result
  return {
    case: name,
    [`${unit}`]: countText(items),
    Sluice: timeText(sluice.time),
    [`per ${unit}`]: timeText(sluice.time / items),
    ...(plain && {
      'plain way': timeText(plain.time),
      ratio: ratioText(plain.time / sluice.time),
    }),
    'Sluice allocates': allocatedText(sluice),
    ...(plain && { 'plain way allocates': allocatedText(plain) }),
  }
}

/** `4.09 KiB in 52`: bytes, and the objects among them. */
function allocatedText({ bytes, allocations }: Measurement): string {
  return `${bytesText(bytes)} in ${countText(allocations)}`
}
