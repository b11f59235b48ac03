import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPayloadPool } from '../../src/batch/payload-pool.ts'

const bytes = (length: number, fill = 1) => new Uint8Array(length).fill(fill)

test.each([0, 1, 4095, 4096, 4097, 100_000])('copies %i bytes', (length) => {
  const pool = createPayloadPool()
  const from = bytes(length, 7)
  const copy = pool.copy(from)
  from.fill(9)
  expect(copy).toEqual(bytes(length, 7))
})

test('uses again what it was given back, for anything of about the size', () => {
  const pool = createPayloadPool()
  const first = pool.copy(bytes(5000))
  pool.give(first)
  expect(pool.idle).toBe(8192)
  const again = pool.copy(bytes(8192, 2))
  expect(again.buffer).toBe(first.buffer)
  expect(again).toEqual(bytes(8192, 2))
  expect(pool.idle).toBe(0)
  expect(pool.copy(bytes(5000)).buffer).not.toBe(first.buffer)
})

test('what was longer before does not shine through', () => {
  const pool = createPayloadPool()
  pool.give(pool.copy(bytes(4000, 5)))
  expect(pool.copy(bytes(3, 1))).toEqual(bytes(3, 1))
})

test('keeps no more than its limit', () => {
  const pool = createPayloadPool(10_000)
  const out = [1, 2, 3, 4].map(() => pool.copy(bytes(10)))
  for (const copy of out) pool.give(copy)
  expect(pool.idle).toBe(8192)
  const large = createPayloadPool(1000)
  large.give(large.copy(bytes(5000)))
  expect(large.idle).toBe(0)
})

test('never lends a buffer that is out, and keeps what it lent as it was', () => {
  const step = fc.record({ size: fc.integer({ min: 1, max: 40_000 }), give: fc.nat(3) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pool = createPayloadPool(50_000)
      const out: { copy: Uint8Array; fill: number; size: number }[] = []
      for (const [i, { size, give }] of steps.entries()) {
        const copy = pool.copy(bytes(size, i))
        expect(out.some((other) => other.copy.buffer === copy.buffer)).toBe(false)
        out.push({ copy, fill: i, size })
        if (give === 0) pool.give(out.splice(i % out.length, 1)[0]!.copy)
        expect(pool.idle).toBeLessThanOrEqual(50_000)
      }
      for (const { copy, fill, size } of out) {
        expect(copy.length).toBe(size)
        expect(copy.every((b) => b === fill)).toBe(true)
      }
    }),
    { seed: 7, numRuns: 60 },
  )
})
