import { OptionProblem } from './option-problem.ts'
import { type SeriesSet, shapeOf } from './series-set.ts'

/** So many series are compared: templates that repeat do so sooner as a rule. */
const LOOKED_AT = 20_000

/** Throws an OptionProblem where two of so many series have the same labels: of the same time their samples would be duplicates. */
export function checkDistinct(set: SeriesSet, series: number): void {
  const seen = new Map<string, number>()
  for (let id = 0; id < Math.min(series, LOOKED_AT); id++) {
    const labels = Array.from(shapeOf(set, id).labels.values(), (template) => template.evaluate(id))
    const key = JSON.stringify(labels)
    const other = seen.get(key)
    if (other !== undefined) {
      throw new OptionProblem(
        `--label: series ${other} and ${id} have the same labels: use \${series_id} in one of them`,
      )
    }
    seen.set(key, id)
  }
}
