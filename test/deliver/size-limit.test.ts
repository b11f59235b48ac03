import { expect, test } from 'vitest'
import { sizeLimit } from '../../src/deliver/size-limit.ts'

test('nothing is too large before anything was refused', () => {
  expect(sizeLimit().exceeds(1e9)).toBe(false)
})

test('what is as large as something refused is too large, what is smaller is not', () => {
  const limit = sizeLimit()
  limit.refused(1000)
  limit.refused(500)
  limit.refused(800)
  expect([499, 500, 2000].map(limit.exceeds)).toEqual([false, true, true])
})

test('when something as large is taken, size was not the reason', () => {
  const limit = sizeLimit()
  limit.refused(80)
  limit.taken(100)
  expect(limit.exceeds(1000)).toBe(false)
})

test('a refusal of something smaller than was taken says nothing about size', () => {
  const limit = sizeLimit()
  limit.taken(100)
  limit.refused(80)
  expect(limit.exceeds(90)).toBe(false)
})
