import SnappyJS from 'snappyjs'
import { describe, expect, test } from 'vitest'
import { otlpRequests } from '../../scripts/bench/otlp-shape.ts'
import { requestBodies } from '../../scripts/bench/shape.ts'
import type { Protocol } from '../../src/batch/protocol.ts'
import { walk } from '../../src/batch/protocol.ts'
import { Workspace } from '../../src/workspace.ts'
import { kernelModule } from '../kernel/load.ts'
import { seeded } from '../kernel/raw.ts'
import { type Block, blocksAndPieces } from './blocks.ts'
import { configWith, NOW } from './harness.ts'
import { type Bytes, exemplar, label, sample, series } from './message.ts'

// Series that go out again in the order in which they went out before: their block is put together from what was remembered (stencil.ts), and must be a block of the very
// message that is written without.

interface Options {
  readonly rules?: string
  readonly points?: number
  readonly bytes?: number
  readonly protocol?: Protocol
}

/** A kernel whose table and memory go on from body to body. Gives the blocks of each; holds that they are blocks of their messages. */
function through({ rules = '[]', points = 2000, bytes, protocol = 'remotewrite1' }: Options = {}) {
  const workspace = new Workspace(kernelModule)
  const config = configWith(rules)
  return (body: Uint8Array, tenant = 0): Block[] =>
    workspace.enter(config, ({ kernel, table, streams }) =>
      kernel.use(() => {
        const n = kernel.load(body)
        const options = { tenant, latest: NOW + 1e12, maxSeries: 1e6 }
        for (let how = 0, result = 1; result !== 0; how = 1) {
          result = walk(kernel, protocol, n, { how, ...options })
          if (result !== 0) expect(table.miss()).toBe('inserted')
        }
        const blocks = streams.flatMap((stream) => blocksAndPieces(kernel, stream, points, bytes))
        for (const { block, message } of blocks) {
          const read = new Uint8Array(SnappyJS.uncompress(block))
          if (Buffer.compare(read, message) !== 0) throw new Error('the block is not the message')
        }
        return blocks
      }),
    )
}

const total = (blocks: readonly Block[], of: (block: Block) => number) =>
  blocks.reduce((sum, block) => sum + of(block), 0)
const length = (blocks: readonly Block[]) => total(blocks, ({ block }) => block.length)
const share = (blocks: readonly Block[]) => length(blocks) / total(blocks, ({ plain }) => plain)

describe('what comes again, with other values and times,', () => {
  const shapes = ['kubernetes', 'pod-per-series'] as const
  const bodies = new Map<string, Uint8Array>(
    shapes.map((shape) => {
      const [body] = requestBodies({ shape, series: 2000 })
      return [shape, new Uint8Array(body!.bytes)]
    }),
  )
  bodies.set('otlp', otlpRequests(1, 1)[0]!)

  test.each([
    ['kubernetes', 1.1],
    ['pod-per-series', 1.07],
    ['otlp', 1.07],
  ])('is about as small as an encoder has it: %s', (shape, most) => {
    const run = through({ protocol: shape === 'otlp' ? 'otlp' : 'remotewrite1' })
    const body = bodies.get(shape)!
    const [first, , third, fourth] = [run(body), run(body), run(body), run(body)]
    // It is not what the encoder made: else nothing is remembered, and this test tests nothing.
    expect(Buffer.compare(third[0]!.block, first[0]!.block)).not.toBe(0)
    expect(Buffer.compare(fourth[0]!.block, third[0]!.block)).toBe(0)
    expect(share(third)).toBeLessThan(most)
  })

  test.each([1, 130, 333, 1999])('is whole in pieces of %i', (points) => {
    const run = through({ points })
    const body = bodies.get('kubernetes')!
    for (let i = 0; i < 3; i++) run(body)
  })

  test.each([700, 5000, 70_000])('is whole in pieces of %i bytes', (bytes) => {
    const run = through({ bytes })
    const body = bodies.get('kubernetes')!
    for (let i = 0; i < 3; i++) run(body)
  })

  test('leaves out what rules drop', () => {
    const run = through({ rules: '[{source_labels: [method], regex: "GET|POST", action: drop}]' })
    const body = bodies.get('kubernetes')!
    for (let i = 0; i < 3; i++) expect(share(run(body))).toBeLessThan(1.15)
  })

  test('is told from the same series of another tenant', () => {
    const run = through()
    const body = bodies.get('kubernetes')!
    for (let i = 0; i < 3; i++) for (const tenant of [0, 1]) run(body, tenant)
  })
})

/** A sender: its series and the order in which it sends them, which change a little from time to time. */
class Sender {
  readonly #random: (below: number) => number
  readonly #names: readonly string[]
  #made = 0
  #series: Bytes[][]

  constructor(seed: number, size: number, strange: boolean) {
    this.#random = seeded(seed)
    this.#names = Array.from({ length: 12 }, () => this.#text(3 + this.#random(20)))
    this.#series = Array.from({ length: size }, () => this.#new(strange))
  }

  #text(n: number): string {
    return Array.from({ length: n }, () => this.#random(36).toString(36)).join('')
  }

  #new(strange: boolean): Bytes[] {
    const random = this.#random
    const i = this.#made++
    const name = `${this.#names[i % 12]}${random(3) === 0 ? this.#text(random(9)) : ''}`
    const labels = [label('__name__', name)]
    // What a sample looks like, within a label.
    if (strange && random(4) === 0) labels.push(label('a', `\x12\x10\x09${'\0'.repeat(random(9))}`))
    if (strange && random(4) === 0) labels.push(label('b', `\x10${String.fromCharCode(i & 127)}`))
    if (random(30) === 0) labels.push(label('c', this.#text(random(700))))
    return [...labels, label('id', `${i}`), label('pod', `${this.#names[(i >> 5) % 12]}-${i >> 5}`)]
  }

  /** Some series are new, gone, or elsewhere. */
  change(): void {
    const random = this.#random
    const at = random(this.#series.length)
    switch (random(4)) {
      case 0:
        this.#series.splice(at, random(5))
        break
      case 1:
        this.#series.splice(at, 0, this.#new(true))
        break
      case 2:
        this.#series.push(...this.#series.splice(at, random(40)))
        break
      default:
        this.#series = [...this.#series.slice(at), ...this.#series.slice(0, at)]
    }
  }

  /** What it sends at that time. */
  body(time: number): Uint8Array {
    const random = this.#random
    const whole = random(2) === 0
    let own = time
    const fields = this.#series.flatMap((labels, i) => {
      if (i % 50 === 0 && random(3) === 0) own = time - random(3)
      const value = [
        () => 0,
        () => random(1000),
        () => random(1e6) / 7,
        () => i % 7,
        () => Number.NaN,
      ]
      const made = value[whole ? 1 : random(5)]!()
      const at = random(200) === 0 ? time - random(9) : own
      const points = [sample(made, at)]
      if (random(300) === 0) points.push(sample(made + 1, at + 1))
      if (random(300) === 0) points.push(exemplar({ trace_id: 'x' }, 1, at))
      return series(...labels, ...points)
    })
    return Uint8Array.from(fields)
  }
}

describe('of senders whose series come and go, every block is a block of its message', () => {
  test.each(Array.from({ length: 16 }, (_, i) => i))('seed %i', (seed) => {
    const random = seeded(seed + 1000)
    const sender = new Sender(seed, 150 + random(700), seed % 2 === 0)
    const run = through({
      points: [2000, 2000, 311][random(3)],
      rules: seed % 3 === 0 ? '[{source_labels: [id], regex: ".*3.", action: drop}]' : '[]',
    })
    for (let i = 0; i < 14; i++) {
      run(sender.body(NOW + i * 15_000))
      if (random(3) === 0) sender.change()
    }
  })
})
