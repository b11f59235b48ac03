import { expect, it } from 'vitest'
import { createThrottle } from '../../src/telemetry/throttle.ts'

function setUp(perMinute: number) {
  const clock = { now: 1_000_000 }
  const throttle = createThrottle(perMinute, () => clock.now)
  return { clock, take: (key: string) => throttle.take(key) }
}

it('tells so many a minute, then counts, then says how many', () => {
  const { clock, take } = setUp(2)
  expect([take('a'), take('a'), take('a'), take('a')]).toEqual([0, 0, null, null])
  clock.now += 59_999
  expect(take('a')).toBeNull()
  clock.now += 1
  expect([take('a'), take('a'), take('a')]).toEqual([3, 0, null])
})

it('keys do not disturb each other', () => {
  const { take } = setUp(1)
  expect([take('a'), take('a'), take('b'), take('b')]).toEqual([0, null, 0, null])
})

it('a clock that steps back begins a new minute', () => {
  const { clock, take } = setUp(1)
  take('a')
  clock.now -= 500
  expect(take('a')).toBe(0)
})

it('keys past the hundredth share one', () => {
  const { take } = setUp(1)
  for (let i = 0; i < 100; i++) expect(take(`key ${i}`)).toBe(0)
  expect([take('one more'), take('and another'), take('key 5')]).toEqual([0, null, null])
})
