import type { HeapProfiler } from 'node:inspector'
import { Session } from 'node:inspector/promises'
import type { Work } from './case.ts'

/** Operations that are looked at: fewer when they allocate much, for each object that is seen costs time and memory. */
const MOST = 20
const ROOM = 16 * 1024 * 1024

/**
 * Objects that one operation allocates on JavaScript's heap: the mean. V8's sampling profiler is told to take a sample at every byte, so it sees every allocation; those that the compiler
 * has folded into one count as one. `bytes`: what `measureMemory` found. For warm code, in a process of its own: it slows everything down.
 */
export async function measureAllocations({ before, run }: Work, bytes: number): Promise<number> {
  const times = Math.max(1, Math.min(MOST, Math.floor(ROOM / Math.max(1, bytes))))
  // All in one look, unless something has to be done between them that is not to be seen.
  const [looks, perLook] = before === undefined ? [1, times] : [times, 1]
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.enable')
  const nothing = () => undefined
  await seenBy(session, nothing, perLook) // what is allocated once only
  const looking = await seenBy(session, nothing, perLook)
  let seen = 0
  for (let i = 0; i < looks; i++) {
    before?.()
    seen += (await seenBy(session, run, perLook)) - looking
  }
  session.disconnect()
  return Math.max(0, seen / times)
}

async function seenBy(session: Session, run: Work['run'], times: number): Promise<number> {
  await session.post('HeapProfiler.startSampling', EVERY_OBJECT)
  for (let i = 0; i < times; i++) {
    const result = run()
    if (result instanceof Promise) await result
  }
  const { profile } = await session.post('HeapProfiler.stopSampling')
  // Which Node's types leave out.
  return (profile as unknown as { samples: unknown[] }).samples.length
}

const EVERY_OBJECT = {
  samplingInterval: 1,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
} as HeapProfiler.StartSamplingParameterType
