import { AskProblem, CALLED_OFF, type Receiver } from './ask.ts'
import { askPrometheus } from './ask-prometheus.ts'
import { createAdding, type Outcome } from './outcome.ts'
import type { Patience } from './patience.ts'
import type { RunFacts } from './run-facts.ts'
import { PART, PART_LABEL, RUN_LABEL } from './run-labels.ts'
import { createTally, type Piece, samplesOf, type Tally } from './tally.ts'

/** About so many samples are asked for at once. */
const SAMPLES = 50_000

/**
 * Asks a receiver with the API of Prometheus for all of a run, piece by piece, and compares. A piece in which something
 * is missing is asked for again for as long as `patience` lasts, and so is one that could not be had.
 */
export async function verifyPrometheus(
  receiver: Receiver,
  facts: RunFacts,
  patience: Patience,
): Promise<Outcome> {
  const adding = createAdding()
  for (const piece of piecesOf(facts)) {
    try {
      adding.add(await tallyOf(receiver, facts, piece, patience))
    } catch (error) {
      if (error instanceof AskProblem) return adding.outcome(error.message)
      throw error
    }
  }
  return adding.outcome()
}

async function tallyOf(
  receiver: Receiver,
  facts: RunFacts,
  piece: Piece,
  patience: Patience,
): Promise<Tally> {
  for (;;) {
    try {
      const tally = createTally(facts, piece)
      const selector = selectorOf(facts, piece.first / PART)
      for (const series of await askPrometheus(receiver, selector, piece.after, piece.until)) {
        tally.take(series)
      }
      if (tally.missing === 0 || !(await patience.wait())) {
        if (tally.missing > 0 && receiver.signal.aborted) throw new AskProblem(CALLED_OFF)
        return tally
      }
    } catch (error) {
      if (!(error instanceof AskProblem && (await patience.wait()))) throw error
    }
  }
}

function selectorOf({ run, explicit, onlyHistograms }: RunFacts, part: number): string {
  const matchers = [`${RUN_LABEL}="${run}"`, `${PART_LABEL}="${part}"`]
  // Buckets are many, and not looked at.
  if (explicit && onlyHistograms) matchers.push('__name__=~".+_count"')
  return `{${matchers.join(',')}}`
}

/** A run in pieces: by series, and where those have many samples by time. */
function* piecesOf(facts: RunFacts): Generator<Piece> {
  const { span } = facts.sent
  if (span === undefined) return
  const { series } = facts.chunks
  for (let first = 0; first < series; first += PART) {
    const end = Math.min(first + PART, series)
    const whole = { first, end, after: span.first - 1, until: span.last }
    const many = Math.ceil(samplesOf(facts, whole) / SAMPLES)
    if (many === 0) continue
    const step = Math.ceil((whole.until - whole.after) / many)
    for (let after = whole.after; after < whole.until; after += step) {
      yield { first, end, after, until: Math.min(after + step, whole.until) }
    }
  }
}
