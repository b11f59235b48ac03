/** What can be wrong with a request, and what is said of each in general. */
export const PROBLEMS = {
  not_decoded: 'the body is not what its headers say it is',
  header: 'a header is missing or does not fit the message',
  unknown_field: 'a field that the message does not have',
  json: 'JSON that protobuf would read and OTLP forbids',
  symbols: 'the symbol table does not begin with the empty string, or has a string twice',
  refs: 'references to symbols are odd in number or lead out of the table',
  labels: 'labels are missing, empty, twice, or without a name',
  label_order: 'labels are not sorted by the bytes of their names',
  empty_series: 'a series has no points',
  mixed_series: 'a series of 2.0 has both samples and histograms',
  time: 'a time is missing, out of range, in the future, or before its start',
  out_of_order: 'a point is older than the one before it in its series',
  duplicate: 'a point came before, with the same value',
  conflict: 'a point came before, with another value',
  histogram: 'a histogram whose parts do not agree',
  exemplar: 'an exemplar that receivers refuse',
  metadata: 'metadata without a name, or of an unknown type',
  metric: 'an OTLP metric without a name, data, or temporality',
  point: 'an OTLP data point whose parts do not agree',
  attributes: 'an OTLP attribute without a key, or twice',
} as const

/** The stable name of a kind of problem. */
export type ProblemCode = keyof typeof PROBLEMS

/** One thing that is wrong. */
export interface Problem {
  /** The first request is 1. */
  readonly request: number
  readonly code: ProblemCode
  /** Where in the request: `series 3 {"__name__","up"}`. */
  readonly where: string
  readonly message: string
}

/** What is found in one request. */
export interface Findings {
  /** How many were found that are not allowed: compare before and after to see whether one point was good. */
  readonly refused: number
  /** Number of each code. */
  readonly counts: ReadonlyMap<ProblemCode, number>
  /** The first MAX_LISTED of them. */
  readonly listed: readonly Problem[]
  add(code: ProblemCode, where: string | (() => string), message: string): void
}

/** Problems of one request that are listed; all are counted. */
export const MAX_LISTED = 100
const MAX_TEXT = 300

/** Findings of request number `request`. Problems with a code of `allowed` are found too, but do not count as refused. */
export function createFindings(request: number, allowed: ReadonlySet<ProblemCode>): Findings {
  const counts = new Map<ProblemCode, number>()
  const listed: Problem[] = []
  let refused = 0
  return {
    counts,
    listed,
    get refused() {
      return refused
    },
    add(code, where, message) {
      counts.set(code, (counts.get(code) ?? 0) + 1)
      if (!allowed.has(code)) refused += 1
      if (listed.length >= MAX_LISTED) return
      const place = typeof where === 'string' ? where : where()
      listed.push({ request, code, where: shorten(place), message: shorten(message) })
    },
  }
}

/** At most 300 characters, on one line. */
function shorten(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]/gu, '\u{fffd}')
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line
}
