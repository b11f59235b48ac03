import asc from 'assemblyscript/asc'
import { expect } from 'vitest'
import { Guarded } from './raw.ts'

// The kernel's functions for histograms alone, compiled as the kernel is: they are reached without a whole body around each histogram.

const FILES = ['native-histogram', 'exponential', 'custom-buckets']
const FLAGS =
  '-O3 --converge --noAssert --runtime stub --enable simd --initialMemory 1 --outFile k.wasm'
const PAGES = 4
const END = PAGES * 65536
const { Module } = WebAssembly as unknown as {
  Module: new (bytes: Uint8Array) => WebAssembly.Module
}

/** What a call gave: its result, and all bytes of the region it could write. */
export interface Outcome {
  readonly result: number
  readonly written: Uint8Array
}

export interface Histograms {
  /** Calls name(p, e, ...before, dst, cap) on a message between canaries. `flush` says what ends where memory ends. */
  write(
    name: string,
    message: Uint8Array,
    cap: number,
    options?: { readonly before?: number[]; readonly flush?: 'message' | 'output' },
  ): Outcome
  /** Calls checkHistogram on a message that ends where memory ends. */
  check(message: Uint8Array): Check
  /** Calls a function that copies a message to a place of its size and returns where the copy ends. */
  strip(name: string, message: Uint8Array): Uint8Array
}

export interface Check {
  readonly result: number
  readonly time: bigint
  readonly start: bigint
  readonly stale: boolean
}

/** Compiles the functions; takes some seconds. */
export async function compileHistograms(): Promise<Histograms> {
  let wasm: Uint8Array | undefined
  const files = FILES.map((name) => `src/kernel/assembly/${name}.ts`)
  const { error, stderr } = await asc.main([...files, ...FLAGS.split(' ')], {
    writeFile: (_, contents) => {
      if (typeof contents !== 'string') wasm = contents
    },
  })
  if (error || !wasm) throw new Error(`asc: ${stderr}`)
  const exports = new WebAssembly.Instance(new Module(wasm)).exports as Record<string, unknown>
  const call = exports as Record<string, (...args: number[]) => number>
  const memory = exports.memory as WebAssembly.Memory
  memory.grow(PAGES - memory.buffer.byteLength / 65536)
  const bytes = new Uint8Array(memory.buffer)
  const global = (name: string) => (exports[name] as WebAssembly.Global).value as bigint | number

  /** Lends the message, and a region of `cap` bytes, for one call. */
  function lend<T>(
    message: Uint8Array,
    cap: number,
    outputAtEnd: boolean,
    use: (src: number, dst: number) => T,
  ): T {
    const guarded = new Guarded(bytes)
    const src = guarded.region(outputAtEnd ? 65536 + 77 : END - message.length, message.length)
    const dst = guarded.region(outputAtEnd ? END - cap : 65536 + 77, cap)
    bytes.set(message, src)
    const result = use(src, dst)
    expect(guarded.damage()).toBe(-1)
    expect(Buffer.compare(bytes.subarray(src, src + message.length), message)).toBe(0)
    return result
  }

  return {
    write: (name, message, cap, { before = [], flush = 'message' } = {}) =>
      lend(message, cap, flush === 'output', (src, dst) => {
        const result = call[name]!(src, src + message.length, ...before, dst, cap)
        return { result, written: bytes.slice(dst, dst + cap) }
      }),
    check: (message) =>
      lend(message, 0, false, (src) => ({
        result: call.checkHistogram!(src, src + message.length),
        time: BigInt(global('time')),
        start: BigInt(global('startTime')),
        stale: Boolean(global('stale')),
      })),
    strip: (name, message) =>
      lend(message, message.length, message.length % 2 === 0, (src, dst) =>
        bytes.slice(dst, call[name]!(src, src + message.length, dst)),
      ),
  }
}
