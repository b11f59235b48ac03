import { describe, expect, it } from 'vitest'
import { answer, toldOf } from '../../src/receive/answer.ts'
import { badRequest, RequestError, unavailable } from '../../src/wire/request-error.ts'

it('written: 204, no body, no headers of remote write 2.0', () => {
  const response = answer({ status: 204, message: '' })
  expect(response.status).toBe(204)
  expect(response.body).toBeNull()
  expect([...response.headers]).toEqual([])
})

it('a refusal: its status, its text in one line, its headers, no Retry-After', async () => {
  const error = new RequestError(405, 'method_not_allowed', 'POST\r\nonly', {
    headers: { Allow: 'POST' },
    retryAfter: 3,
  })
  const response = answer(error)
  expect(response.status).toBe(405)
  expect(await response.text()).toBe('POST only\n')
  expect(Object.fromEntries(response.headers)).toEqual({
    allow: 'POST',
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  })
})

describe('Retry-After of a 503', () => {
  const cases: [asked: number | undefined, random: number, header: string][] = [
    [1, 0, '1'],
    [0.2, 0, '1'],
    [7.1, 0, '8'],
    [120, 0, '120'],
    [121, 0, '120'],
    [Number.POSITIVE_INFINITY, 0, '120'],
    [undefined, 0, '1'],
    [undefined, 0.999, '5'],
    [0, 0.5, '3'],
    [-5, 0.5, '3'],
    [Number.NaN, 0.5, '3'],
  ]
  it.each(cases)('asked %d, random %d: %s', (asked, random, header) => {
    const error = new RequestError(503, 'busy', 'busy', {
      ...(asked !== undefined && { retryAfter: asked }),
    })
    expect(answer(error, () => random).headers.get('retry-after')).toBe(header)
  })
})

it('the text is short enough for senders to read whole', async () => {
  const text = await answer(badRequest('x', 'long '.repeat(100_000))).text()
  expect(text.length).toBeLessThanOrEqual(1001)
  expect(text).toMatch(/…\n$/)
})

it('the text shows no credentials', async () => {
  const error = badRequest('x', 'no route to https://user:pw@host/')
  expect(await answer(error).text()).toBe('no route to https://***@host/\n')
})

it('a RequestError is told as it is and not logged', () => {
  const error = badRequest('corrupt', 'the body is corrupt')
  expect(toldOf(error, { unexpected: () => expect.unreachable() })).toBe(error)
})

const unforeseen = [new TypeError('secret detail'), 'a string', undefined, Object.create(null)]
it.each(unforeseen.map((thrown) => [thrown]))(
  'anything unforeseen is logged and told as 503: %s',
  async (thrown) => {
    const logged: unknown[] = []
    const response = answer(toldOf(thrown, { unexpected: (error) => logged.push(error) }))
    expect(logged).toEqual([thrown])
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(await response.text()).not.toContain('secret')
  },
)

it('what led to a RequestError is kept for the log', () => {
  const cause = new Error('why')
  expect(unavailable('x', 'y', { cause }).cause).toBe(cause)
  expect('cause' in unavailable('x', 'y')).toBe(false)
})
