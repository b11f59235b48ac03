import type { Receiver } from './receivers/receiver.ts'
import { type Sink, startSink } from './sink.ts'

/** Work with a sink, which is gone afterwards. */
export async function withSink<T>(work: (sink: Sink) => Promise<T>): Promise<T> {
  const sink = await startSink()
  try {
    return await work(sink)
  } finally {
    await sink.stop()
  }
}

/** Work with receivers that are started one after the other and all gone afterwards; one that can't be had is left out. */
export async function withReceivers<T>(
  starts: readonly (() => Promise<Receiver | undefined>)[],
  work: (receivers: readonly Receiver[]) => Promise<T>,
): Promise<T> {
  const receivers: Receiver[] = []
  try {
    for (const start of starts) {
      const receiver = await start()
      if (receiver !== undefined) receivers.push(receiver)
    }
    return await work(receivers)
  } finally {
    for (const receiver of receivers) await receiver.stop()
  }
}
