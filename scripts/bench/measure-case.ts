import { spawn } from 'node:child_process'
import type { CaseResult, Ways } from './case.ts'
import { caseNamed } from './cases.ts'
import { measureMemory, memoryFlags } from './measure-memory.ts'
import { measureTime, type Timed, warmUp } from './measure-time.ts'

/** What one of the two processes found out. */
interface Found<T> {
  readonly sluice: T
  readonly plain?: T
}

/**
 * Measures one case: its time in a process of its own, then its memory in another. So no case sees what the engine has learnt from
 * other ones.
 */
export async function measureCase(name: string): Promise<CaseResult> {
  const { items, unit } = caseNamed(name)
  const time = await inChild<Timed>('time', name, ['--expose-gc'])
  const memory = await inChild<number>('memory', name, memoryFlags)
  const both = (way: 'sluice' | 'plain') => {
    const timed = time[way]
    return timed && { ...timed, bytes: memory[way] ?? Number.NaN }
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

async function memoryOf({ sluice, plain }: Ways): Promise<Found<number>> {
  await warmUp(sluice)
  const ours = await measureMemory(sluice)
  if (plain === undefined) return { sluice: ours }
  await warmUp(plain)
  return { sluice: ours, plain: await measureMemory(plain) }
}

if (process.argv[1] === import.meta.filename) {
  const [, , what, name] = process.argv
  const ways = caseNamed(name).make()
  const found = what === 'time' ? await measureTime(ways) : await memoryOf(ways)
  process.stdout.write(JSON.stringify(found))
}
