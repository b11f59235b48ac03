import type { Findings, Problem, ProblemCode } from './problems.ts'
import type { PointCounts } from './take-points.ts'
import type { Encoding, Protocol } from './write-kind.ts'

/** What came of the requests so far, for people and machines. */
export interface Report {
  /** Since the origin began. */
  readonly seconds: number
  /** Requests that were to write something. */
  readonly requests: number
  readonly protocols: Readonly<Partial<Record<Protocol, number>>>
  readonly encodings: Readonly<Partial<Record<Encoding, number>>>
  readonly bytes: {
    /** Of bodies as they came. */
    readonly received: number
    /** Of those that were decoded. */
    readonly decoded: number
  }
  readonly points: Readonly<PointCounts> & { readonly metadata: number }
  /** What is kept for queries, and what had to go. */
  readonly kept: { readonly series: number; readonly points: number; readonly dropped: number }
  /** By status; `reset` are connections that the script reset, `gone` those that the sender left before its answer. */
  readonly answers: Readonly<Record<string, number>>
  /** Steps of the script in its order, each with the requests that it was for. */
  readonly steps: readonly { readonly step: string; readonly requests: number }[]
  readonly problems: {
    readonly total: number
    readonly counts: Readonly<Partial<Record<ProblemCode, number>>>
    /** The first of them. */
    readonly listed: readonly Problem[]
  }
}

/** Most problems that a report lists, over all requests. */
export const MAX_REPORTED = 1000

/** Counters behind a report. */
export interface Counters {
  /** Begins a request and returns its number. */
  begin(): number
  kind(protocol: Protocol, encoding: Encoding): void
  received(bytes: number): void
  decoded(bytes: number): void
  points(came: PointCounts, metadata: number): void
  findings(found: Findings): void
  answered(how: number | 'reset' | 'gone'): void
  report(now: Pick<Report, 'seconds' | 'kept' | 'steps'>): Report
}

/** Counters at zero. */
export function createCounters(): Counters {
  let requests = 0
  let received = 0
  let decoded = 0
  let total = 0
  const protocols: Partial<Record<Protocol, number>> = {}
  const encodings: Partial<Record<Encoding, number>> = {}
  const points = { samples: 0, histograms: 0, exemplars: 0, metadata: 0 }
  const answers: Record<string, number> = {}
  const counts: Partial<Record<ProblemCode, number>> = {}
  const listed: Problem[] = []
  return {
    begin: () => ++requests,
    kind(protocol, encoding) {
      protocols[protocol] = (protocols[protocol] ?? 0) + 1
      encodings[encoding] = (encodings[encoding] ?? 0) + 1
    },
    received(bytes) {
      received += bytes
    },
    decoded(bytes) {
      decoded += bytes
    },
    points({ samples, histograms, exemplars }, metadata) {
      points.samples += samples
      points.histograms += histograms
      points.exemplars += exemplars
      points.metadata += metadata
    },
    findings(found) {
      for (const [code, count] of found.counts) {
        counts[code] = (counts[code] ?? 0) + count
        total += count
      }
      listed.push(...found.listed.slice(0, MAX_REPORTED - listed.length))
    },
    answered(how) {
      answers[how] = (answers[how] ?? 0) + 1
    },
    report: ({ seconds, kept, steps }) => ({
      seconds,
      requests,
      protocols: { ...protocols },
      encodings: { ...encodings },
      bytes: { received, decoded },
      points: { ...points },
      kept,
      answers: { ...answers },
      steps,
      problems: { total, counts: { ...counts }, listed: [...listed] },
    }),
  }
}
