import { setTimeout } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import type { Work } from './case.ts'

/** Operations that are looked at: fewer when they allocate so much that the engine would clean up in between. */
const MOST = 200
const LEAST = 5
const ROOM = 64 * 1024 * 1024

/**
 * Bytes that one operation allocates: JavaScript's heap and the buffers outside of it, the mean without the outliers.
 * Needs a process with `memoryFlags`, in which nothing is collected while it looks.
 */
export async function measureMemory(work: Work): Promise<number> {
  const { gc } = globalThis
  if (gc === undefined) throw new Error('BUG: not started with memoryFlags')
  // What looking allocates itself, once its code is compiled.
  const nothing = { run: () => undefined }
  await look(gc, nothing, 10 * MOST)
  const reading = await look(gc, nothing, MOST)
  await look(gc, work, LEAST)
  const [once] = await look(gc, work, 1)
  const times = Math.max(LEAST, Math.min(MOST, Math.floor(ROOM / Math.max(1, once))))
  return Math.max(0, middle(await look(gc, work, times)) - middle(reading))
}

/** Flags for node: a young generation that takes all of it, so that nothing is collected unasked. */
export const memoryFlags = ['--expose-gc', '--min-semi-space-size=512', '--max-semi-space-size=512']

async function look(gc: NonNullable<typeof globalThis.gc>, work: Work, times: number) {
  const found = new Array<number>(times).fill(0)
  for (let i = 0; i < 2; i++) {
    gc()
    await setTimeout(30) // buffers are given back in the background
  }
  for (let i = 0; i < times; i++) {
    work.before?.()
    const start = allocated()
    const result = work.run()
    if (result instanceof Promise) await result
    found[i] = allocated() - start
  }
  return found
}

function allocated(): number {
  const { used_heap_size, external_memory } = getHeapStatistics()
  return used_heap_size + external_memory
}

/** The mean of all but the lowest and the highest tenth: compiled code and what is given back late are no operation's own. */
function middle(values: readonly number[]): number {
  const cut = Math.floor(values.length / 10)
  const kept = values.toSorted((a, b) => a - b).slice(cut, values.length - cut)
  return kept.reduce((sum, value) => sum + value, 0) / kept.length
}
