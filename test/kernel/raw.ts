import { seeded as fractions } from '../../scripts/seeded.ts'
import { kernelModule } from './load.ts'

type Call = (...args: number[]) => number

/** The kernel's bare exports over a memory of `pages` pages, for tests that place regions themselves. */
export function rawKernel(pages: number) {
  const exports = new WebAssembly.Instance(kernelModule).exports as Record<string, unknown>
  const memory = exports.memory as WebAssembly.Memory
  memory.grow(pages - memory.buffer.byteLength / 65536)
  return { call: exports as Record<string, Call>, bytes: new Uint8Array(memory.buffer) }
}

/** What is written around regions. */
const CANARY = 0xa5
const canaries = Buffer.alloc(8 * 1024 * 1024, CANARY)

/** Regions with canaries around them. */
export class Guarded {
  readonly #bytes: Uint8Array
  readonly #regions: [number, number][] = []

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    bytes.fill(CANARY, 65536)
  }

  /** Marks [at, at+size) as a region that may be written. */
  region(at: number, size: number): number {
    this.#regions.push([at, at + size])
    return at
  }

  /** The region at this address is canaries again; the caller has filled it. */
  forget(at: number): void {
    this.#regions.splice(
      this.#regions.findIndex(([start]) => start === at),
      1,
    )
  }

  /** The address of a gap between regions in which something was written, -1 when there is none. */
  damage(): number {
    let from = 65536
    for (const [start, end] of this.#regions.toSorted((a, b) => a[0] - b[0])) {
      if (!this.#clean(from, start)) return from
      from = end
    }
    return this.#clean(from, this.#bytes.length) ? -1 : from
  }

  #clean(from: number, to: number): boolean {
    const size = Math.max(0, to - from)
    return Buffer.from(this.#bytes.buffer, from, size).equals(canaries.subarray(0, size))
  }
}

/** Deterministic numbers: a function from n to an integer in [0, n). */
export function seeded(seed: number): (n: number) => number {
  const random = fractions(seed)
  return (n) => Math.floor(random() * n)
}
