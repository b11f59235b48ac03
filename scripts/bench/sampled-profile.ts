import type { HeapProfiler } from 'node:inspector'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A tree of calls and what each took by itself: microseconds in a CPU profile, bytes in one of allocations. */
export interface SampledProfile {
  /** The root comes first. */
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: CallFrame
    readonly children?: readonly number[]
  }[]
  /** Nodes, in the order they were seen, and what was seen of each. */
  readonly samples?: readonly number[]
  readonly timeDeltas?: readonly number[]
}

interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

/** One function's share, by itself and with all that it called. 0 to 1. */
export interface FunctionShare {
  readonly name: string
  readonly place: string
  readonly self: number
  readonly total: number
}

/** Where the time of `work` goes, by V8's sampling profiler. */
export async function profileTime(work: () => Promise<void>): Promise<SampledProfile> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 200 })
  await session.post('Profiler.start')
  await work()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  return profile
}

/** What of `work` allocates on the heap, by V8's sampling profiler, whether it was collected since or not. */
export async function profileMemory(work: () => Promise<void>): Promise<SampledProfile> {
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.enable')
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: 4096,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  } as HeapProfiler.StartSamplingParameterType)
  await work()
  const { profile } = await session.post('HeapProfiler.stopSampling')
  session.disconnect()
  return flattened(profile.head)
}

/** Numbers the nodes of the tree, root first. */
function flattened(root: HeapProfiler.SamplingHeapProfileNode): SampledProfile {
  const nodes: { id: number; callFrame: CallFrame; children: number[] }[] = []
  const bytes: number[] = []
  function visit({ callFrame, selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
    const node = { id: nodes.length + 1, callFrame, children: [] as number[] }
    nodes.push(node)
    bytes.push(selfSize)
    for (const child of children) node.children.push(visit(child))
    return node.id
  }
  visit(root)
  return { nodes, samples: nodes.map(({ id }) => id), timeDeltas: bytes }
}

/** The functions of a profile, those first that take most by themselves. What called itself is counted once. */
export function functionShares({
  nodes,
  samples = [],
  timeDeltas = [],
}: SampledProfile): FunctionShare[] {
  const self = new Map<number, number>()
  for (const [i, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + (timeDeltas[i] ?? 0))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const whole = [...self.values()].reduce((sum, time) => sum + time, 0)
  const found = new Map<string, { name: string; place: string; self: number; total: number }>()

  function visit(id: number, open: ReadonlySet<string>): number {
    const node = byId.get(id)
    if (node === undefined) return 0
    const { functionName, url, lineNumber } = node.callFrame
    const place = placeOf(url, lineNumber)
    const key = `${functionName} ${place}`
    const entry = found.get(key) ?? {
      name: functionName || '(anonymous)',
      place,
      self: 0,
      total: 0,
    }
    found.set(key, entry)
    const inner = new Set(open).add(key)
    let total = self.get(id) ?? 0
    entry.self += total / whole
    for (const child of node.children ?? []) total += visit(child, inner)
    if (!open.has(key)) entry.total += total / whole
    return total
  }
  if (nodes.length > 0) visit(nodes[0].id, new Set())
  return [...found.values()].sort((a, b) => b.self - a.self)
}

const root = join(import.meta.dirname, '../../')

function placeOf(url: string, line: number): string {
  if (url.startsWith('wasm:')) return 'kernel'
  if (!url.startsWith('file:')) return url
  return `${fileURLToPath(url).replace(root, '')}:${line + 1}`
}
