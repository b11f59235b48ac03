import type { Prometheus } from './prometheus.ts'
import { printedPoints } from './query-api.ts'
import { relabelled, type SeriesMap } from './series.ts'

/** What a Prometheus answers to range queries, all in one map: each series also has the query as a label. */
export async function rangeAnswers(
  prometheus: Prometheus,
  queries: readonly string[],
  start: number,
  end: number,
): Promise<SeriesMap> {
  const answers = await Promise.all(
    queries.map(async (query) => {
      const points = printedPoints(await prometheus.queryRange(query, start, end))
      return [...relabelled(points, (labels) => ({ ...labels, query }))]
    }),
  )
  return new Map(answers.flat())
}
