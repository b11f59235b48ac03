import { expect, test } from 'vitest'
import { connectionsPerOrigin, limiter } from '../../src/deliver/connections.ts'

test('six connections are shared evenly, and each origin has at least one', () => {
  const shares = [0, 1, 2, 3, 4, 6, 7, 16].map(connectionsPerOrigin)
  expect(shares).toEqual([6, 6, 3, 2, 1, 1, 1, 1])
})

function jobs(size: number) {
  const inTurn = limiter(size)
  const started: string[] = []
  const end = new Map<string, PromiseWithResolvers<string>>()
  const run = (name: string) =>
    inTurn(() => {
      started.push(name)
      const promise = Promise.withResolvers<string>()
      end.set(name, promise)
      return promise.promise
    })
  return { started, run, end: (name: string) => end.get(name)! }
}

test('what finds room is started before the call returns', () => {
  const { started, run } = jobs(2)
  void run('a')
  void run('b')
  void run('c')
  expect(started).toEqual(['a', 'b'])
})

test('first come, first served', async () => {
  const { started, run, end } = jobs(1)
  const [a, b, c] = [run('a'), run('b'), run('c')]
  end('a').resolve('A')
  expect(await a).toBe('A')
  end('b').resolve('B')
  expect(await b).toBe('B')
  end('c').resolve('C')
  expect(await c).toBe('C')
  expect(started).toEqual(['a', 'b', 'c'])
})

test('a job that fails makes room too, and its error is its own', async () => {
  const { started, run, end } = jobs(1)
  const [a, b] = [run('a'), run('b')]
  end('a').reject(new Error('broken'))
  await expect(a).rejects.toThrow('broken')
  expect(started).toEqual(['a', 'b'])
  end('b').resolve('B')
  expect(await b).toBe('B')
})

test('a place that was given on is not given twice', async () => {
  const { started, run, end } = jobs(1)
  const a = run('a')
  void run('b')
  end('a').resolve('A')
  await a
  void run('c')
  expect(started).toEqual(['a', 'b'])
})
