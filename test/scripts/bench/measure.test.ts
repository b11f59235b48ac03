import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { memoryFlags } from '../../../scripts/bench/measure-memory.ts'

const bench = join(import.meta.dirname, '../../../scripts/bench')

/** Bytes that `run`, JavaScript, is said to allocate. */
function allocated(run: string): number {
  const code = `
    import { measureMemory } from ${JSON.stringify(join(bench, 'measure-memory.ts'))}
    let kept
    const work = { run() { ${run} } }
    for (let i = 0; i < 2000; i++) work.run()
    console.log(await measureMemory(work))
  `
  const args = [...memoryFlags, '--input-type=module', '--eval', code]
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

test('nothing is nothing', () => {
  expect(allocated('')).toBeLessThan(64)
})

test('objects on the heap are counted', () => {
  const bytes = allocated('kept = new Array(1000).fill(1.5)')
  expect(bytes).toBeGreaterThanOrEqual(8000)
  expect(bytes).toBeLessThan(9000)
})

test('buffers outside of the heap are counted', () => {
  const bytes = allocated('kept = new Uint8Array(100_000)')
  expect(bytes).toBeGreaterThanOrEqual(100_000)
  expect(bytes).toBeLessThan(102_000)
})
