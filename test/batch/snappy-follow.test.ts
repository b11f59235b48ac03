import SnappyJS from 'snappyjs'
import { describe, expect, test } from 'vitest'
import { type Body, type BodyOptions, requestBodies } from '../../scripts/bench/shape.ts'
import { decompress } from '../../src/compress/decompress.ts'
import { Workspace } from '../../src/workspace.ts'
import { kernelModule } from '../kernel/load.ts'
import { seeded } from '../kernel/raw.ts'
import { type Block, blocksAndPieces } from './blocks.ts'
import { configWith, NOW } from './harness.ts'
import { label, sample } from './message.ts'

// Blocks that are written along with the message, for series that are alike: they must hold the message, and be worth it.

/** Runs each body through one kernel with a table that knows its series, up to `points` a piece. */
function blocksOf(bodies: Iterable<Uint8Array>, points = 2000, sluice = ''): Block[] {
  const workspace = new Workspace(kernelModule)
  const config = configWith('[]', { sluice })
  const blocks: Block[] = []
  for (const body of bodies) {
    workspace.enter(config, ({ kernel, table, streams }) =>
      kernel.use(() => {
        const n = decompress(kernel, new Uint8Array(SnappyJS.compress(body)), 'snappy', 32 << 20)
        for (let how = 0, result = 1; result !== 0; how = 1) {
          result = kernel.resolve(n, how, 0, NOW + 1e12, 1e6)
          if (result !== 0) expect(table.miss()).toBe('inserted')
        }
        blocks.push(...blocksAndPieces(kernel, streams[0]!, points))
      }),
    )
  }
  return blocks
}

function expectWhole(blocks: readonly Block[]): void {
  expect(blocks.length).toBeGreaterThan(0)
  for (const { block, message } of blocks) {
    const read = new Uint8Array(SnappyJS.uncompress(block))
    expect(Buffer.compare(read, message)).toBe(0)
  }
}

const sum = (blocks: readonly Block[], of: (block: Block) => number) =>
  blocks.reduce((total, block) => total + of(block), 0)

/** Of all blocks, to what the plain encoder makes of them. */
const share = (blocks: readonly Block[]) =>
  sum(blocks, ({ block }) => block.length) / sum(blocks, ({ plain }) => plain)

const messages = (options: BodyOptions) =>
  [...requestBodies(options)].map(({ bytes }: Body) => new Uint8Array(bytes))

describe('series as they come from scraped pods', () => {
  const bodies = messages({ shape: 'kubernetes', series: 6000 })

  test('are a good deal smaller than the plain encoder has them', () => {
    const blocks = blocksOf(bodies)
    expectWhole(blocks)
    expect(share(blocks)).toBeLessThan(0.9)
  })

  test.each([1, 7, 50, 333])('are whole in pieces of %i', (points) => {
    expectWhole(blocksOf(bodies.slice(0, 1), points))
  })
})

test('series that share little are as the plain encoder has them', () => {
  const blocks = blocksOf(messages({ shape: 'pod-per-series', series: 4000 }))
  expectWhole(blocks)
  expect(share(blocks)).toBeGreaterThan(0.93)
  expect(share(blocks)).toBeLessThan(1.05)
})

/** A message of series with these labels, sorted, `__name__` first; one sample each. */
function message(all: readonly (readonly (readonly [string, string])[])[]): Uint8Array {
  const parts = all.map((labels, i) => {
    const fields = labels.map(([name, value]) => Uint8Array.from(label(name, value)))
    const body = Buffer.concat([...fields, Uint8Array.from(sample((i * 37) % 11, NOW + (i % 3)))])
    const head = [10]
    for (let n = body.length; ; n >>>= 7) {
      head.push(n > 127 ? (n & 127) | 128 : n)
      if (n < 128) break
    }
    return Buffer.concat([Uint8Array.from(head), body])
  })
  return new Uint8Array(Buffer.concat(parts))
}

describe('series that are alike, but for', () => {
  const random = seeded(21)
  const text = (n: number) => Array.from({ length: n }, () => random(36).toString(36)).join('')

  test('values that are longer than a copy reaches back, and than a literal may be', () => {
    const long = text(150_000)
    const all = Array.from({ length: 40 }, (_, i) => [
      ['__name__', `m${i}`] as const,
      ['a', long] as const,
      ['b', `${long.slice(0, 70_000)}${i}`] as const,
    ])
    expectWhole(blocksOf([message(all.slice(0, 20))], 20, 'limits: {label_value: 200000B}'))
  })

  test.each([
    ['a label that has many values', 3],
    ['labels that come and go', 2],
    ['lengths of every size', 1],
  ])('%s', (_, kind) => {
    const shared = Array.from({ length: 8 }, (_, i) => [`l${i}`, text(5 + i * 9)] as const)
    const values = Array.from({ length: 300 }, () => text(1 + random(90)))
    const all = Array.from({ length: 3000 }, (_, i) => {
      const name = `metric_${i}_${text(random(kind === 1 ? 140 : 5))}`
      const own: (readonly [string, string])[] = [['__name__', name]]
      if (kind === 2 && i % 5 === 0) own.push(['k', 'x'])
      if (kind === 3) own.push(['k', values[random(300)]!])
      return [...own, ...shared]
    })
    const blocks = blocksOf([message(all)])
    expectWhole(blocks)
    expect(share(blocks)).toBeLessThan(1.2)
  })
})
