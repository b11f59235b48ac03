import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sleep } from '../../src/deliver/sleep.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('it wakes once, when its time has come', () => {
  const wake = vi.fn()
  sleep(100, wake)
  vi.advanceTimersByTime(99)
  expect(wake).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1000)
  expect(wake).toHaveBeenCalledOnce()
})

test('called off it never wakes and leaves nothing behind', () => {
  const wake = vi.fn()
  sleep(100, wake)()
  expect(vi.getTimerCount()).toBe(0)
})
