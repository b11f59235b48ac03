import { expect, test } from 'vitest'
import { type Subrequests, shareSubrequests, subrequests } from '../../src/deliver/subrequests.ts'

function drain(budget: Subrequests): number {
  let taken = 0
  while (budget.take()) taken++
  return taken
}

test('a budget gives what it has and no more', () => {
  const budget = subrequests(3)
  expect(drain(budget)).toBe(3)
  expect(budget.take()).toBe(false)
})

test('one origin can take what is over, never what is set aside for another', () => {
  const [a, b] = shareSubrequests(10, [2, 3])
  expect(drain(a!)).toBe(7)
  expect(drain(b!)).toBe(3)
})

test('what is over goes to whoever asks first', () => {
  const [a, b] = shareSubrequests(10, [2, 3])
  expect(drain(b!)).toBe(8)
  expect(drain(a!)).toBe(2)
})

test('more planned than there is never gives more than there is', () => {
  const budgets = shareSubrequests(4, [3, 3, 3])
  expect(budgets.map(drain)).toEqual([3, 1, 0])
})
