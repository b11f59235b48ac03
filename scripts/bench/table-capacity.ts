import { benchConfig } from './bench-config.ts'
import { compressedBodies } from './bodies.ts'
import type { Goal, Group } from './group.ts'
import { inProcess } from './section.ts'
import type { Shape } from './shape.ts'
import { bytesText, countText } from './table.ts'

const PREFIX = 'table/capacity/'
/** More than fit. */
const MOST_SERIES = 500_000
/** Series that the table is to hold. */
const GOAL = 100_000

/** How much the table held at a moment. */
interface Use {
  readonly series: number
  readonly bytes: number
}

/** How many series the table holds. */
export const tableCapacityGroup: Group = {
  title: 'What the series table holds',
  text:
    'New series, 10 labels each, come in until the table of 24 MiB turns over. One generation: before the first turn-over; so many active series are found every time. Both: ' +
    'before the second; beyond it something is forgotten.',
  names: (['pod-per-series', 'kubernetes'] as const).map((shape) => PREFIX + shape),
  async run(names, { progress }) {
    const found = names.map((name) => {
      progress(name)
      return { name, ...capacity(name.slice(PREFIX.length) as Shape) }
    })
    const rows = found.map(({ name, one, both }) => ({
      case: name,
      'series in one generation': countText(one.series),
      'series in both': countText(both.series),
      'bytes in both': bytesText(both.bytes),
      'bytes per series': bytesText(both.bytes / both.series),
    }))
    const goals = found.map(
      ({ name, both: { series } }): Goal => ({
        text: `${name}: 100,000 series`,
        measured: countText(series),
        met: series >= GOAL,
      }),
    )
    return { tables: [{ rows }], goals, raw: found }
  },
}

function capacity(shape: Shape): { one: Use; both: Use } {
  const { run, workspace } = inProcess(benchConfig())
  let one: Use | undefined
  let before: Use = workspace.use
  for (const body of compressedBodies({ shape, series: MOST_SERIES, perRequest: 500 })) {
    const { turnOvers } = run(body)
    if (turnOvers > 0) {
      if (one !== undefined) return { one, both: before }
      one = before
    }
    before = workspace.use
  }
  throw new Error(`BUG: ${MOST_SERIES} series fit into the table`)
}
