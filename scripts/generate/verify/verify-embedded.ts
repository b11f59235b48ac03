import type { SampleLine, SamplesEnd } from '../../../src/embedded/sample-lines.ts'
import { AskProblem, ask, CALLED_OFF, linesOf, type Receiver, textOf } from './ask.ts'
import { createAdding, type Outcome } from './outcome.ts'
import type { Patience } from './patience.ts'
import type { RunFacts } from './run-facts.ts'
import { RUN_LABEL } from './run-labels.ts'
import type { StoredPoint, StoredSeries } from './stored-points.ts'
import { createTally, type Piece, samplesOf, type Tally } from './tally.ts'

/** Most that is compared at once: a byte each. */
const MOST_SAMPLES = 500_000_000
/** Of a line. The embedded origin takes 8 MiB a request. */
const LONGEST_LINE = 64 * 1024 * 1024

/**
 * Reads all that the embedded origin of Sluice has stored since the cursor `after`, and compares. While something is
 * missing it looks whether more has come, for as long as `patience` lasts.
 */
export async function verifyEmbedded(
  receiver: Receiver,
  facts: RunFacts,
  patience: Patience,
  after: number,
): Promise<Outcome> {
  const adding = createAdding()
  const { span } = facts.sent
  if (span === undefined) return adding.outcome()
  const { series } = facts.chunks
  const piece: Piece = { first: 0, end: series, after: span.first - 1, until: span.last }
  if (samplesOf(facts, piece) > MOST_SAMPLES) {
    return adding.outcome('the run has too many samples for the embedded origin')
  }
  const tally = createTally(facts, piece)
  let problem: string | undefined
  try {
    problem = await readAll(receiver, facts, tally, patience, after)
  } catch (error) {
    if (!(error instanceof AskProblem)) throw error
    problem = error.message
  }
  adding.add(tally)
  return adding.outcome(problem)
}

/** Returns why what was read was not all. */
async function readAll(
  receiver: Receiver,
  { run }: RunFacts,
  tally: Tally,
  patience: Patience,
  start: number,
): Promise<string | undefined> {
  let after = start
  do {
    // Others may go on sending: what comes from now on is not waited for.
    const newest = await page(receiver, run, 'newest', tally)
    while (after < newest.after) {
      const end = await page(receiver, run, after, tally)
      if (end.dropped) {
        return 'the embedded origin dropped requests of the run: it keeps 64 MiB of them'
      }
      if (end.unreadable > 0) {
        const why = receiver.shown(end.problem ?? '')
        return `the embedded origin can't read what it stored: ${why}`
      }
      if (end.after <= after) return 'the embedded origin gave less than it said that it has'
      after = end.after
    }
  } while (tally.missing > 0 && (await patience.wait()))
  return tally.missing > 0 && receiver.signal.aborted ? CALLED_OFF : undefined
}

async function page(
  receiver: Receiver,
  run: string,
  after: number | 'newest',
  tally: Tally,
): Promise<SamplesEnd> {
  const query = new URLSearchParams({ label: RUN_LABEL, value: run, after: String(after) })
  const answer = await ask(receiver, `/embedded/samples?${query}`)
  if (!answer.ok) {
    const text = receiver.shown(await textOf(answer, LONGEST_LINE, receiver.shown))
    throw new AskProblem(`/embedded/samples answered ${answer.status}: ${text}`, answer.status)
  }
  for await (const line of linesOf(answer, LONGEST_LINE, receiver.shown)) {
    const read = lineOf(line)
    if ('after' in read) return read
    tally.take(storedSeries(read))
  }
  throw new AskProblem('/embedded/samples: the answer was broken off')
}

function lineOf(line: string): SampleLine | SamplesEnd {
  try {
    return JSON.parse(line)
  } catch (error) {
    if (error instanceof SyntaxError) throw new AskProblem('/embedded/samples: no line of JSON')
    throw error
  }
}

function storedSeries({ labels, samples = [], histograms = [] }: SampleLine): StoredSeries {
  const point =
    (read: StoredPoint['read']) =>
    ([timestamp, text]: readonly [number, string]): StoredPoint => ({ timestamp, read, text })
  return { labels, points: [...samples.map(point('value')), ...histograms.map(point('count'))] }
}
