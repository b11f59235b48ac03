import { countsOf, type Payload, sameCounts } from './payload.ts'
import { isCommon } from './protocol.ts'

/**
 * Makes payloads that are to be sent in the place of one, synchronously, each with bytes of its own:
 * the caller owns them and releases the whole afterwards. It may read the whole's bytes until it
 * returns.
 */
export type Replace = (payload: Payload) => readonly Payload[]

/** The same for another protocol. Undefined when it can't be made; empty when nothing of it is to be sent, and that was counted. */
export type Repack = (payload: Payload) => readonly Payload[] | undefined

/**
 * The halves of a payload, last one first; empty when it can't be halved. Throws, and releases what was made, when they
 * carry something else than the whole.
 */
export function halvesOf(whole: Payload, halve: Replace): readonly Payload[] {
  const halves = halve(whole)
  if (halves.length > 1 && sameCounts(countsOf(halves), whole.counts)) return halves.toReversed()
  releaseAll(halves, whole)
  if (halves.length > 1) throw new Error('BUG: halves carry something else than the whole did')
  return []
}

/**
 * The same data in the common protocol, last one first; undefined when it can't be made. Throws, and releases what was made,
 * when one of them is not in it: it would be refused again, and again.
 */
export function repackedOf(whole: Payload, repack: Repack): readonly Payload[] | undefined {
  const repacked = repack(whole)
  if (repacked === undefined) return undefined
  if (repacked.every(({ protocol }) => isCommon(protocol))) return repacked.toReversed()
  releaseAll(repacked, whole)
  throw new Error('BUG: a repacked payload is in the protocol that was refused')
}

function releaseAll(made: readonly Payload[], whole: Payload): void {
  for (const payload of made) if (payload !== whole) payload.release()
}
