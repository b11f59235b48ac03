import { expect, test } from 'vitest'
import { classify, type Outcome } from '../../src/deliver/outcome.ts'
import { virtualTime } from './virtual-time.ts'

const NOW = Date.UTC(2026, 9, 21, 7, 28, 0)

function judge(status: number, body: BodyInit | null = null, headers = {}, secrets: string[] = []) {
  const time = virtualTime()
  // Only a status that a Response may have can be given to its constructor.
  const response = new Response(body, { headers })
  Object.defineProperty(response, 'status', { value: status })
  const patience = { ms: 1000, sleep: time.sleep }
  return time.run(classify(response, { name: 'mimir', secrets }, NOW, patience))
}

async function messageOf(outcome: Promise<Outcome>): Promise<string> {
  const settled = await outcome
  return settled.kind === 'delivered' ? '' : settled.message
}

test.each([
  ['delivered', [200, 201, 202, 204, 206, 299]],
  ['misconfigured', [300, 301, 302, 303, 304, 307, 308, 401, 403, 404]],
  ['too-large', [413]],
  ['rejected', [400, 402, 405, 406, 409, 410, 411, 415, 422, 431, 451, 499]],
  ['busy', [408, 425, 429, 500, 501, 502, 503, 504, 520, 599]],
  ['busy', [0, 100, 101, 103, 199, 600, 999]],
])('%s: %j', async (kind, statuses) => {
  for (const status of statuses) expect(await judge(status)).toMatchObject({ kind, status })
})

test('2xx without the headers of remote write 2 is delivered all the same', async () => {
  expect(await judge(200, 'whatever')).toEqual({ kind: 'delivered', status: 200 })
})

test('the message is origin, status and the first line', async () => {
  expect(await judge(400, 'out of order sample\nseries={…}\n')).toEqual({
    kind: 'rejected',
    status: 400,
    message: 'origin mimir answered 400: out of order sample',
  })
  expect(await messageOf(judge(500, '\r\n\n  late\rline'))).toBe('origin mimir answered 500: late')
  expect(await messageOf(judge(500, ''))).toBe('origin mimir answered 500')
})

test('Retry-After is read in all forms from busy answers only', async () => {
  const at = 'Wed, 21 Oct 2026 07:28:30 GMT'
  expect(await judge(503, null, { 'Retry-After': '7' })).toMatchObject({ retryAfter: 7000 })
  expect(await judge(429, null, { 'Retry-After': at })).toMatchObject({ retryAfter: 30_000 })
  expect(await judge(429, null, { 'Retry-After': '99999' })).toMatchObject({ retryAfter: 120_000 })
  for (const value of ['0', '-1', 'Wed, 21 Oct 2015 07:28:00 GMT', 'soon']) {
    expect(await judge(503, null, { 'Retry-After': value })).not.toHaveProperty('retryAfter')
  }
  expect(await judge(400, null, { 'Retry-After': '7' })).not.toHaveProperty('retryAfter')
})

test('a message is printable and at most 256 characters, whatever the origin says', async () => {
  const noise = Uint8Array.from({ length: 4096 }, (_, i) => (i * 37) & 0xff)
  for (const body of ['x'.repeat(1_000_000), '😀'.repeat(5000), noise]) {
    const message = await messageOf(judge(400, body))
    expect(message.length).toBeLessThanOrEqual(256)
    expect(message).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]+$/u)
    expect(message.isWellFormed()).toBe(true)
  }
})

test('credentials that the origin repeats are hidden', async () => {
  const secrets = ['Bearer hunter2', 'hunter2']
  expect(await messageOf(judge(401, 'no such token: hunter2', {}, secrets))).toBe(
    'origin mimir answered 401: no such token: ***',
  )
})

test('a credential that is cut where reading ends is hidden too', async () => {
  const body = `${'hunter2,'.repeat(127)}x hunter2 and more`
  const message = await messageOf(judge(401, body, {}, ['hunter2']))
  expect(message).not.toMatch(/hunt/)
})

test('a redirect is named by its host alone', async () => {
  const location = 'https://me:pw@login.example/?token=abc'
  expect(await messageOf(judge(302, 'Found', { location }))).toBe(
    'origin mimir answered 302: a redirect to login.example',
  )
  for (const location of ['/login', 'javascript:alert(1)', 'http://', '']) {
    const message = await messageOf(judge(302, 'Found', { location }))
    expect(message).toBe('origin mimir answered 302: a redirect')
  }
})

test('a body that never ends is cancelled, also that of a success', async () => {
  for (const status of [200, 302, 503]) {
    let cancelled = false
    const body = new ReadableStream({
      cancel() {
        cancelled = true
      },
    })
    await judge(status, body)
    expect(cancelled).toBe(true)
  }
})
