import { describe, expect, test } from 'vitest'
import { type Bytes, label, message, sample, series } from '../batch/message.ts'
import { identityKernel } from './identity-kernel.ts'
import { seeded } from './raw.ts'

// Blocks that are put together from what was remembered, where there is little room to remember it in.

const TIME = 1_790_000_000_000

/** The labels of a sender's series: of pods, or with little in common. */
function labelsOf(sender: number, size: number): Bytes[][] {
  const random = seeded(sender + 7)
  return Array.from({ length: size }, (_, i) => [
    label('__name__', `s${sender}_metric_${i % 16}_${sender % 2 ? random(1e9).toString(36) : ''}`),
    label('instance', `10.0.${sender}.${i >> 4}:9090`),
    label('pod', sender % 3 ? `p-${i >> 4}` : `p-${random(1e9)}-${'x'.repeat(random(90))}`),
  ])
}

/** What it sends, each time with other values; now and then a few series less. */
function bodyOf(labels: readonly Bytes[][], random: (n: number) => number, turn: number) {
  const gone = turn % 5 === 4 ? random(labels.length) : -1
  return message(
    ...labels.flatMap((own, i) => {
      if (i === gone) return []
      const value = [random(9) + 1, random(1e6) + 0.5, 1e9 + random(9)][random(3)]!
      return [series(...own, sample(value, TIME + turn * 15_000 + (i % 40 === 0 ? 1 : 0)))]
    }),
  )
}

describe('what comes again goes out as it came', () => {
  test.each([
    ['with room for some of it', 100_000, 400, 5000, 65_000],
    ['with room for hardly any', 36_000, 400, 5000, 65_000],
    ['with no room', 32_000, 400, 5000, 65_000],
    ['in pieces that cut stretches', 100_000, 400, 170, 65_000],
    ['in small pieces', 100_000, 400, 5000, 4000],
    ['in pieces that have hardly room for one', 100_000, 150, 5000, 40_000],
    ['in a table that turns over', 100_000, 150, 5000, 65_000, 1 << 16],
  ])('%s', (_, stencils, size, points, piece, generation = 1 << 20) => {
    const run = identityKernel({ rows: 2000, generation, piece, stencils })
    const random = seeded(stencils + points)
    const senders = Array.from({ length: 7 }, (_, i) => labelsOf(i, size))
    for (let turn = 0; turn < 9; turn++) {
      for (const labels of senders) {
        const body = bodyOf(labels, random, turn)
        const ran = run(body, points)
        if (typeof ran === 'number') throw new Error(`result ${ran}`)
        expect(Buffer.compare(Buffer.concat(ran.pieces), body)).toBe(0)
        const sent = ran.sent[0]!
        expect(sent).toBe(ran.received[0])
      }
    }
  })
})
