import { expect, test } from 'vitest'
import { hopsOf, withHops } from '../../src/deliver/hops.ts'

test.each([
  [undefined, 0],
  ['', 0],
  ['0', 0],
  ['2', 2],
  ['999999999', 999_999_999],
  ['-1', 0],
  ['1, 1', 0],
  ['1e3', 0],
  ['two', 0],
])('a request that says %j has come through %i Sluices', (said, hops) => {
  const headers = new Headers(said === undefined ? {} : { 'Sluice-Hops': said })
  expect(hopsOf(headers)).toBe(hops)
})

test('a request says how many it has come through, and is else what it was', async () => {
  const sent: RequestInit[] = []
  const answer = new Response()
  const fetch = withHops(async (url, init) => {
    expect(url).toBe('http://a.test/')
    sent.push(init)
    return answer
  }, 2)
  const headers = new Headers({ A: 'b', 'Sluice-Hops': '7' })
  const body = new Uint8Array(3)
  expect(await fetch('http://a.test/', { method: 'POST', headers, body })).toBe(answer)
  expect(sent[0]).toMatchObject({ method: 'POST', body })
  expect(Object.fromEntries(new Headers(sent[0]!.headers))).toEqual({ a: 'b', 'sluice-hops': '2' })
  expect(headers.get('Sluice-Hops')).toBe('7')
})
