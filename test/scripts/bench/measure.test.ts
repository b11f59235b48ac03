import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { memoryFlags } from '../../../scripts/bench/measure-memory.ts'

const bench = join(import.meta.dirname, '../../../scripts/bench')

/** Bytes that `run`, JavaScript, is said to allocate. */
function allocated(run: string): number {
  return measured('measure-memory.ts', 'measureMemory(work)', run)
}

/** Objects that `run` is said to allocate; `before` is run before each time. */
function objects(run: string, before?: string): number {
  return measured('measure-allocations.ts', 'measureAllocations(work, 10_000)', run, before)
}

function measured(file: string, call: string, run: string, before?: string): number {
  const code = `
    import { ${call.split('(')[0]} } from ${JSON.stringify(join(bench, file))}
    let kept
    const work = { run() { ${run} }, ${before ? `before() { ${before} }` : ''} }
    for (let i = 0; i < 2000; i++) work.run()
    console.log(await ${call})
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

test('of nothing there are no objects', () => {
  expect(objects('')).toBeLessThan(3)
})

test('every object is counted once, collected or not', () => {
  const count = objects('kept = []; for (let i = 0; i < 1000; i++) kept.push({ i })')
  expect(count).toBeGreaterThanOrEqual(1000)
  expect(count).toBeLessThan(1030)
})

test('what is done before an operation is not counted', () => {
  const count = objects(
    'kept = { kept }',
    'kept = []; for (let i = 0; i < 1000; i++) kept.push({ i })',
  )
  expect(count).toBeGreaterThanOrEqual(1)
  expect(count).toBeLessThan(30)
})
