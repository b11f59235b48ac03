import { setTimeout } from 'node:timers/promises'
import { runLoad } from './load.ts'
import { type MeasureOptions, urlFor } from './measured.ts'
import type { Receiver } from './receivers/receiver.ts'
import type { Sink } from './sink.ts'

/** Requests that are looked into. */
const REQUESTS = 5

/**
 * Which share of the samples that a receiver takes it sends on: what is compared must do the same work. The sink decodes all it gets meanwhile.
 */
export async function shareSentOn(
  receiver: Receiver,
  sink: Sink,
  {
    protocol,
    bodies,
    itemsPerRequest,
  }: Pick<MeasureOptions, 'protocol' | 'bodies' | 'itemsPerRequest'>,
): Promise<number> {
  const before = await sink.look(true)
  const { requests, errors, firstError } = await runLoad({
    url: urlFor(receiver, protocol),
    protocol,
    bodies,
    connections: 1,
    milliseconds: 60_000,
    requests: REQUESTS,
  })
  await receiver.drained()
  await quiet(sink)
  const after = await sink.look(false)
  if (errors > 0) throw new Error(`${receiver.name} does not take ${protocol}: ${firstError}`)
  return (after.samples - before.samples) / (requests * itemsPerRequest)
}

/** Resolves when nothing has arrived for a second, after ten at the latest: what is in no queue any more may still be on its way. */
async function quiet(sink: Sink): Promise<void> {
  let { bytes } = await sink.counts()
  for (let left = 10; left > 0; left--) {
    await setTimeout(1000)
    const now = (await sink.counts()).bytes
    if (now === bytes) return
    bytes = now
  }
}
