// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import { messageWriter, requestWriter } from '../../generate/request-writer.ts'
import { seriesSet } from '../../generate/series-set.ts'
import { compileTemplate } from '../../generate/template.ts'
import type { BenchCase, Ways } from '../case.ts'
import { plainBody, plainMessage, plainText } from '../plain-generate.ts'

/** As xk6-client-prometheus-remote generates by default, with a job and an instance. */
export const GENERATED_LABELS: Readonly<Record<string, string>> = {
  __name__: 'k6_generated_metric_${series_id/1000}',
  cardinality_1e1: '${series_id/10}',
  cardinality_1e3: '${series_id/1000}',
  cardinality_1e5: '${series_id/100000}',
  cardinality_1e7: '${series_id/10000000}',
  cardinality_1e9: '${series_id/1000000000}',
  instance: 'host-${series_id%100}.example:9100',
  job: 'generated',
  series_id: '${series_id}',
}

const SERIES = 100_000
const PER_REQUEST = 1000
const TIME = 1_700_000_000_000

/** The load generator's own work. */
export const generateCases: readonly BenchCase[] = [
  { name: 'generate/compile', items: 1, unit: 'series', make: compile },
  { name: 'generate/evaluate', items: PER_REQUEST, unit: 'series', make: evaluate },
  { name: 'generate/store', items: PER_REQUEST, unit: 'sample', make: store },
  { name: 'generate/stream', items: PER_REQUEST, unit: 'sample', make: () => stream(PER_REQUEST) },
  { name: 'generate/writeFor', items: 1, unit: 'sample', make: () => stream(1) },
]

/** No other way is known: the plain one compiles nothing. */
function compile(): Ways {
  const texts = Object.values(GENERATED_LABELS)
  return { sluice: { run: () => texts.map((text) => compileTemplate(text)) } }
}

function evaluate(): Ways {
  const texts = Object.values(GENERATED_LABELS)
  const templates = texts.map((text) => compileTemplate(text))
  return bothWays(
    PER_REQUEST,
    (first, count) => {
      let characters = 0
      for (let id = first; id < first + count; id++) {
        for (const template of templates) characters += template.evaluate(id).length
      }
      return characters
    },
    (first, count) => {
      let characters = 0
      for (let id = first; id < first + count; id++) {
        for (const text of texts) characters += plainText(text, id).length
      }
      return characters
    },
  )
}

function store(): Ways {
  const series = seriesSet({ labels: GENERATED_LABELS })
  const writer = requestWriter({ protocol: 'remotewrite1', encoding: 'snappy', series })
  return bothWays(
    PER_REQUEST,
    (first, count) => writer.write(first, count, TIME, 7, 0),
    (first, count) => plainBody(GENERATED_LABELS, first, count, TIME, 7),
  )
}

function stream(count: number): Ways {
  const series = seriesSet({ labels: GENERATED_LABELS })
  const writer = messageWriter({ protocol: 'remotewrite1', series })
  return bothWays(
    count,
    (first) => writer.write(first, count, TIME, 7, 0),
    (first) => plainMessage(GENERATED_LABELS, first, count, TIME, 7),
  )
}

type Way = (first: number, count: number) => unknown

/** Each way goes through all series, so many at once. */
function bothWays(count: number, sluice: Way, plain: Way): Ways {
  const going = (way: Way) => {
    let first = 0
    return () => {
      first = (first + count) % SERIES
      return way(first, count)
    }
  }
  return { sluice: { run: going(sluice) }, plain: { run: going(plain) } }
}
