import { AskProblem, ask, type Receiver, textOf } from './ask.ts'
import type { StoredPoint, StoredSeries } from './stored-points.ts'

/** Of an answer. What is asked for is a tenth of it at most. */
const LARGEST_ANSWER = 256 * 1024 * 1024

interface MatrixSeries {
  readonly metric: Readonly<Record<string, string>>
  readonly values?: readonly (readonly [seconds: number, text: string])[]
  readonly histograms?: readonly (readonly [
    seconds: number,
    histogram: { readonly count: string },
  ])[]
}

interface QueryAnswer {
  readonly status: string
  readonly error?: string
  readonly data?: { readonly resultType: string; readonly result: readonly MatrixSeries[] }
}

/**
 * All points of the series that `selector` matches with times after `after` up to `until`, milliseconds since 1970, by the
 * query API of Prometheus (a selector with a range); some receivers give those at `after` too. Throws an AskProblem.
 */
export async function askPrometheus(
  receiver: Receiver,
  selector: string,
  after: number,
  until: number,
): Promise<StoredSeries[]> {
  const form = new URLSearchParams({
    query: `${selector}[${until - after}ms]`,
    time: (until / 1000).toFixed(3),
    // VictoriaMetrics, which by default shows nothing of the last 30 seconds; others pass over them.
    latency_offset: '1ms',
    nocache: '1',
    // Thanos.
    dedup: 'false',
  })
  const answer = await ask(receiver, '/api/v1/query', form)
  const text = await textOf(answer, LARGEST_ANSWER, receiver.shown)
  const { data, status, error } = parsed(text)
  if (status !== 'success' || data === undefined) {
    const why = receiver.shown(error ?? text)
    throw new AskProblem(`/api/v1/query answered ${answer.status}: ${why}`, answer.status)
  }
  return data.result.map(storedSeries)
}

function parsed(text: string): Partial<QueryAnswer> {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null ? answer : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

function storedSeries({ metric, values = [], histograms = [] }: MatrixSeries): StoredSeries {
  const floats = values.map(([seconds, text]): StoredPoint => {
    return { timestamp: Math.round(seconds * 1000), read: 'value', text }
  })
  const counts = histograms.map(([seconds, { count }]): StoredPoint => {
    return { timestamp: Math.round(seconds * 1000), read: 'count', text: count }
  })
  return { labels: metric, points: [...floats, ...counts] }
}
