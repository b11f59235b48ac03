import { randomBytes } from 'node:crypto'
import { systemClock } from './clock.ts'
import { expected } from './expected.ts'
import { generateLoad } from './generate-load.ts'
import type { Interrupt } from './interrupt.ts'
import { asOption, type Plan } from './plan.ts'
import type { ProgressOutput } from './progress.ts'
import { requestWriter } from './request-writer.ts'
import { hidingSecrets } from './secrets.ts'
import { createSentLog } from './sent-log.ts'
import { summaryText } from './summary-text.ts'
import { findReceiver } from './verify/find-receiver.ts'
import { isRight, type Outcome } from './verify/outcome.ts'
import { outcomeText } from './verify/outcome-text.ts'
import { RUN_LABEL, withPlaces } from './verify/run-labels.ts'
import { verifyRun } from './verify/verify.ts'

/** Where it is written what was done. */
export interface Output {
  readonly stdout: { write(text: string): unknown }
  readonly stderr: ProgressOutput
}

/** Does what was planned. Returns the exit status. Throws an OptionProblem before anything is sent. */
export async function run(
  plan: Plan,
  { stdout, stderr }: Output,
  interrupt: Interrupt,
): Promise<number> {
  const { verify, protocol, encoding, target, chunks, json } = plan
  const shown = hidingSecrets([...target.secrets, ...(verify?.target.secrets ?? [])])
  const id = randomBytes(4).toString('hex')
  const set = verify === undefined ? plan.set : asOption('--verify', () => withPlaces(plan.set))
  const extraLabels: Record<string, string> = verify === undefined ? {} : { [RUN_LABEL]: id }
  const writer = asOption('--protocol', () =>
    requestWriter({ protocol, encoding, series: set, extraLabels }),
  )

  const calledOff = new AbortController()
  const receiver = verify && { ...verify.target, shown, signal: calledOff.signal }
  const kind = receiver && (await findReceiver(receiver, id))
  const sent = verify && createSentLog(chunks.count)
  const surroundings = { writer, clock: systemClock, shown, progress: stderr, interrupt }
  const summary = await generateLoad(plan, { ...surroundings, ...(sent && { sent }) })
  if (!json) stdout.write(`\n${summaryText(summary)}`)

  let outcome: Outcome | undefined
  if (verify && receiver && kind && sent) {
    interrupt.onFirst(() => calledOff.abort())
    stderr.write(`Asking ${receiver.url.host} for ${RUN_LABEL}="${id}" ...\n`)
    const explicit = protocol === 'otlp' || protocol === 'otlp-json'
    const onlyHistograms = set.shapes.every(({ kind }) => kind === 'histogram')
    const facts = { run: id, set, chunks, sent, expected: expected(protocol, set, extraLabels) }
    outcome = await verifyRun(receiver, kind, { ...facts, explicit, onlyHistograms }, verify.wait)
    if (!json) stdout.write(`\n${outcomeText(outcome, shown)}`)
  }
  if (json) {
    const verified = outcome && { verify: { run: id, ok: isRight(outcome), ...outcome } }
    stdout.write(`${JSON.stringify({ ...summary, ...verified }, null, 2)}\n`)
  }
  if (outcome !== undefined && !isRight(outcome) && !calledOff.signal.aborted) return 1
  if (interrupt.code !== undefined) return interrupt.code
  return summary.acknowledged.requests === 0 ? 1 : 0
}
