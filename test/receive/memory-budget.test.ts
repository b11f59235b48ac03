import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryBudget, LONGEST_LEASE } from '../../src/receive/memory-budget.ts'

describe('the memory budget', () => {
  it('is full at its limit and not before', () => {
    const budget = createMemoryBudget(100)
    const first = budget.reserve(60)
    expect(first?.bytes).toBe(60)
    expect(budget.reserve(41)).toBeUndefined()
    expect(budget.used).toBe(60)
    expect(budget.reserve(40)?.bytes).toBe(40)
    expect(budget.used).toBe(100)
    expect(budget.reserve(1)).toBeUndefined()
    expect(budget.reserve(0)?.bytes).toBe(0)
  })

  it('refuses what can never fit', () => {
    expect(createMemoryBudget(100).reserve(Number.POSITIVE_INFINITY)).toBeUndefined()
  })

  it('gives back once, however often a lease is released', () => {
    const budget = createMemoryBudget(100)
    const lease = budget.reserve(60)!
    const other = budget.reserve(30)!
    lease.release()
    lease.release()
    expect([lease.bytes, budget.used]).toEqual([0, 30])
    expect(lease.grow(1)).toBe(false)
    lease.shrink(10)
    expect(budget.used).toBe(30)
    other.release()
    expect(budget.used).toBe(0)
  })

  it('grows only where there is room', () => {
    const budget = createMemoryBudget(100)
    const lease = budget.reserve(10)!
    expect(lease.grow(91)).toBe(false)
    expect(lease.bytes).toBe(10)
    expect(lease.grow(90)).toBe(true)
    expect([lease.bytes, budget.used]).toEqual([100, 100])
  })

  it('shrinks to nothing and no further', () => {
    const budget = createMemoryBudget(100)
    const lease = budget.reserve(10)!
    lease.shrink(4)
    expect([lease.bytes, budget.used]).toEqual([6, 6])
    lease.shrink(1000)
    expect([lease.bytes, budget.used]).toEqual([0, 0])
  })

  it('tells each change', () => {
    const seen: number[] = []
    const lease = createMemoryBudget(100, { onChange: (used) => seen.push(used) }).reserve(10)!
    lease.grow(5)
    lease.grow(1000)
    lease.shrink(3)
    lease.release()
    lease.release()
    expect(seen).toEqual([10, 15, 12, 0])
  })

  it.each([-1, Number.NaN])('%d bytes are a bug', (bytes) => {
    const budget = createMemoryBudget(100)
    const lease = budget.reserve(1)!
    expect(() => budget.reserve(bytes)).toThrow('BUG:')
    expect(() => lease.grow(bytes)).toThrow('BUG:')
    expect(() => lease.shrink(bytes)).toThrow('BUG:')
  })

  it('gets back what requests that ended without a word held', () => {
    let now = 0
    const budget = createMemoryBudget(100, { now: () => now })
    const abandoned = budget.reserve(40)!
    now += 1
    const alive = budget.reserve(60)!
    now += LONGEST_LEASE - 2
    expect(budget.reserve(1)).toBeUndefined()
    now += 1
    expect(budget.reserve(40)?.bytes).toBe(40)
    expect([abandoned.bytes, abandoned.grow(0), alive.bytes]).toEqual([0, false, 60])
    abandoned.release()
    expect(budget.used).toBe(100)
  })

  it('always holds the sum of its leases', () => {
    const step = fc.record({
      lease: fc.nat(4),
      action: fc.constantFrom('reserve', 'grow', 'shrink', 'release'),
      bytes: fc.nat(60),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = createMemoryBudget(100)
        const leases = new Map<number, ReturnType<typeof budget.reserve>>()
        const abandoned: NonNullable<ReturnType<typeof budget.reserve>>[] = []
        for (const { lease, action, bytes } of steps) {
          const held = leases.get(lease)
          if (action === 'reserve') {
            if (held !== undefined) abandoned.push(held)
            leases.set(lease, budget.reserve(bytes))
          } else if (action === 'release') held?.release()
          else held?.[action](bytes)
          const all = [...leases.values(), ...abandoned]
          expect(budget.used).toBe(all.reduce((sum, one) => sum + (one?.bytes ?? 0), 0))
          expect(budget.used).toBeLessThanOrEqual(100)
        }
      }),
      { seed: 1, numRuns: 200 },
    )
  })
})
