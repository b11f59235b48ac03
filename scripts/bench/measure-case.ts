import { spawn } from 'node:child_process'
import type { CaseResult, Ways, Work } from './case.ts'
import { caseNamed } from './cases.ts'
import { measureAllocations } from './measure-allocations.ts'
import { measureMemory, memoryFlags } from './measure-memory.ts'
import { measureTime, type Timed, warmUp } from './measure-time.ts'

/** What one of the two processes found out. */
interface Found<T> {
  readonly sluice: T
  readonly plain?: T
}

/** What one way allocates: bytes, objects. */
interface Allocated {
  readonly bytes: number
  readonly allocations: number
}

/**
 * Measures one case: its time in a process of its own, then its memory in another. So no case sees what the engine has learnt from
 * other ones. `quick`: so shortly that the times mean little.
 */
export async function measureCase(name: string, quick = false): Promise<CaseResult> {
  const { items, unit } = caseNamed(name)
  const time = await inChild<Timed>(quick ? 'quick time' : 'time', name, ['--expose-gc'])
  const memory = await inChild<Allocated>('memory', name, memoryFlags)
  const both = (way: 'sluice' | 'plain') => {
    const timed = time[way]
    return timed && { bytes: Number.NaN, allocations: Number.NaN, ...memory[way], ...timed }
  }
  return { name, items, unit, sluice: both('sluice')!, plain: both('plain') }
}

async function inChild<T>(what: string, name: string, flags: readonly string[]): Promise<Found<T>> {
  const child = spawn(process.execPath, [...flags, import.meta.filename, what, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error(`${name}: the process that measures it ended with ${code}`)
  return JSON.parse(text)
}

async function memoryOf({ sluice, plain }: Ways): Promise<Found<Allocated>> {
  const ours = await allocatedBy(sluice)
  return { sluice: ours, ...(plain && { plain: await allocatedBy(plain) }) }
}

async function allocatedBy(work: Work): Promise<Allocated> {
  await warmUp(work)
  const bytes = await measureMemory(work)
  return { bytes, allocations: await measureAllocations(work, bytes) }
}

if (process.argv[1] === import.meta.filename) {
  const [, , what, name] = process.argv
  const ways = caseNamed(name).make()
  const found = what === 'memory' ? await memoryOf(ways) : await measureTime(ways, what !== 'time')
  process.stdout.write(JSON.stringify(found))
}
