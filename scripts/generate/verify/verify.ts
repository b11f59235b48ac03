import type { Receiver } from './ask.ts'
import type { ReceiverKind } from './find-receiver.ts'
import type { Outcome } from './outcome.ts'
import { createPatience } from './patience.ts'
import type { RunFacts } from './run-facts.ts'
import { verifyEmbedded } from './verify-embedded.ts'
import { verifyPrometheus } from './verify-prometheus.ts'

/** Compares what a receiver has of a run with what was sent. Waits so many milliseconds in all for what is missing. */
export function verifyRun(
  receiver: Receiver,
  kind: ReceiverKind,
  facts: RunFacts,
  wait: number,
): Promise<Outcome> {
  const patience = createPatience(wait, receiver.signal)
  return kind.kind === 'embedded'
    ? verifyEmbedded(receiver, facts, patience, kind.after)
    : verifyPrometheus(receiver, facts, patience)
}
