import { expect, test, vi } from 'vitest'
import type { OriginConfig } from '../../src/config/types.ts'
import type { Outcome } from '../../src/deliver/outcome.ts'
import { type SendContext, send } from '../../src/deliver/send.ts'
import { subrequests } from '../../src/deliver/subrequests.ts'
import {
  originConfig,
  payloadOf,
  protocolOf,
  REFUSED,
  type Reaction,
  scriptedFetch,
  sendContext,
  V2,
  writtenHeaders,
} from './fixtures.ts'
import { virtualTime } from './virtual-time.ts'

const V2_WRITTEN = writtenHeaders({ samples: 1 })

/** Sends one payload to an origin that follows the script. */
async function sent(
  script: Reaction[],
  origin: Partial<OriginConfig> = {},
  overrides: Partial<SendContext> = {},
) {
  const time = virtualTime()
  const start = time.now()
  const { fetch, got } = scriptedFetch(time, script)
  const ctx = sendContext(time, fetch, overrides)
  const payload = payloadOf([1, 2, 3])
  const outcome = await time.run(send(originConfig(origin), payload, ctx))
  expect(time.pending()).toBe(0)
  expect(payload.released()).toBe(false)
  return { outcome, got, took: time.now() - start }
}

function busy(text: string): Outcome {
  return { kind: 'busy', message: `origin mimir: ${text}` }
}

test('one request is a POST of the bytes as they are, with the required headers', async () => {
  const { outcome, got } = await sent([{ status: 204 }], { authorization: 'Bearer x' })
  expect(outcome).toEqual({ kind: 'delivered', status: 204 })
  expect(got).toHaveLength(1)
  expect(got[0]).toMatchObject({
    url: 'https://mimir.example/api/v1/push',
    method: 'POST',
    redirect: 'manual',
    body: Uint8Array.of(1, 2, 3),
  })
  expect(got[0]!.headers.get('content-encoding')).toBe('snappy')
  expect(got[0]!.headers.get('authorization')).toBe('Bearer x')
  expect(got[0]!.headers.has('retry-attempt')).toBe(false)
})

test('the headers say what protocol the payload is made in', async () => {
  const time = virtualTime()
  const { fetch, got } = scriptedFetch(time, [{ error: REFUSED }, { headers: V2_WRITTEN }])
  const payload = payloadOf([1], false, 1, V2)
  const outcome = await time.run(send(originConfig(), payload, sendContext(time, fetch)))
  expect(outcome).toEqual({ kind: 'delivered', status: 204 })
  // Also those of the second try.
  expect(got.map(protocolOf)).toEqual(['v2', 'v2'])
})

test('the bytes are handed over before send returns its promise', async () => {
  const time = virtualTime()
  const fetch = vi.fn(async () => new Response(null, { status: 204 }))
  const sending = send(originConfig(), payloadOf([1]), sendContext(time, fetch))
  expect(fetch).toHaveBeenCalledTimes(1)
  await time.run(sending)
})

test('fetch is called without a this, as the platform demands', async () => {
  const time = virtualTime()
  let self: unknown = 'unset'
  async function fetch(this: unknown) {
    self = this
    return new Response(null, { status: 204 })
  }
  await time.run(send(originConfig(), payloadOf([1]), sendContext(time, fetch)))
  expect(self).toBeUndefined()
})

test('an answer is final, whatever it says: only a missing one is tried again', async () => {
  for (const status of [400, 404, 413, 429, 500, 503]) {
    const { got } = await sent([{ status }])
    expect(got).toHaveLength(1)
  }
})

test('a refused connection is tried once more after a backoff, and says so', async () => {
  const { outcome, got, took } = await sent([{ error: REFUSED }, { status: 200 }])
  expect(outcome).toEqual({ kind: 'delivered', status: 200 })
  expect(got.map(({ headers }) => headers.get('retry-attempt'))).toEqual([null, '1'])
  expect(got[1]!.body).toEqual(got[0]!.body)
  expect(took).toBe(45)
})

test('a connection that is refused twice is busy', async () => {
  const { outcome, got } = await sent([{ error: REFUSED }])
  expect(outcome).toEqual(busy('no connection: ECONNREFUSED'))
  expect(got).toHaveLength(2)
})

test('there is no second try when the backoff would reach the deadline', async () => {
  const origin = { minBackoff: 8000, maxBackoff: 8000 }
  const { outcome, got } = await sent([{ error: REFUSED }], origin)
  expect(outcome).toEqual(busy('no connection: ECONNREFUSED'))
  expect(got).toHaveLength(1)
})

test('a timeout is not tried again', async () => {
  const { outcome, got, took } = await sent([{ wait: 60_000 }], { timeout: 500 })
  expect(outcome).toEqual(busy('no answer in time'))
  expect(got).toHaveLength(1)
  expect(took).toBe(500)
})

test('the deadline caps the timeout of an origin', async () => {
  const { outcome, took } = await sent([{ wait: 60_000 }], { timeout: 30_000 })
  expect(outcome).toEqual(busy('no answer in time'))
  expect(took).toBe(8000)
})

test('a second try has only what is left until the deadline', async () => {
  const script = [{ error: REFUSED, wait: 6000 }, { wait: 60_000 }]
  const { outcome, took } = await sent(script, { timeout: 7000 })
  expect(outcome).toEqual(busy('no answer in time'))
  expect(took).toBe(8000)
})

test('after the deadline nothing is sent', async () => {
  const { outcome, got } = await sent([{}], {}, { deadline: 1_000_000 })
  expect(outcome).toEqual(busy('no time was left to send this'))
  expect(got).toHaveLength(0)
})

test('a fetch that ignores its signal does not hold the outcome, and its late answer is let go', async () => {
  const time = virtualTime()
  let cancelled = false
  const body = new ReadableStream({
    cancel() {
      cancelled = true
    },
  })
  const fetch = () => time.wait(20_000).then(() => new Response(body))
  const sending = send(originConfig(), payloadOf([1]), sendContext(time, fetch))
  expect(await time.run(sending)).toEqual(busy('no answer in time'))
  await time.run(time.wait(20_000))
  expect(cancelled).toBe(true)
})

test('a body that hangs leaves the status its meaning, within a second', async () => {
  const body = () => new ReadableStream<Uint8Array>()
  const { outcome, took } = await sent([{ status: 400, body: body() }])
  expect(outcome).toEqual({
    kind: 'rejected',
    status: 400,
    message: 'origin mimir answered 400',
  })
  expect(took).toBe(1000)
  const late = await sent([{ status: 400, body: body(), wait: 7900 }])
  expect(late.outcome.kind).toBe('rejected')
  expect(late.took).toBeLessThan(8000)
})

test('a success whose body hangs is a success, a moment later', async () => {
  const { outcome, took } = await sent([{ status: 200, body: new ReadableStream() }])
  expect(outcome).toEqual({ kind: 'delivered', status: 200 })
  expect(took).toBe(100)
})

test('307 and 308 to the same host are followed once with the same body', async () => {
  for (const status of [307, 308]) {
    const there = { status, headers: { location: '/v2/push' } }
    const { outcome, got } = await sent([there, { status: 204 }], { authorization: 'Bearer x' })
    expect(outcome.kind).toBe('delivered')
    expect(got.map(({ url }) => url)).toEqual([
      'https://mimir.example/api/v1/push',
      'https://mimir.example/v2/push',
    ])
    expect(got[1]!.body).toEqual(got[0]!.body)
    expect(got[1]!.headers.get('authorization')).toBe('Bearer x')
    expect(got[1]!.method).toBe('POST')
  }
})

test('a second redirect is the operator’s mistake', async () => {
  const { outcome, got } = await sent([{ status: 307, headers: { location: '/again' } }])
  expect(outcome).toMatchObject({ kind: 'misconfigured', status: 307 })
  expect(got).toHaveLength(2)
})

test('a redirect elsewhere is not followed', async () => {
  const headers = { location: 'https://login.example/?from=mimir' }
  for (const status of [301, 302, 303, 307, 308]) {
    const { outcome, got } = await sent([{ status, headers }, { status: 200 }])
    expect(outcome).toEqual({
      kind: 'misconfigured',
      status,
      message: `origin mimir answered ${status}: a redirect to login.example`,
    })
    expect(got).toHaveLength(1)
  }
})

test('first try, redirect and retry each take a subrequest', async () => {
  const moved = { status: 308, headers: { location: '/v2' } }
  const script = [moved, { error: REFUSED }, moved, { status: 204 }]
  const left = async (limit: number) => {
    const budget = subrequests(limit)
    const { outcome, got } = await sent(script, {}, { subrequests: budget })
    return { outcome, requests: got.length }
  }
  expect(await left(4)).toEqual({ outcome: { kind: 'delivered', status: 204 }, requests: 4 })
  for (const limit of [0, 1, 2, 3]) {
    expect(await left(limit)).toEqual({
      outcome: busy('limits.subrequests is used up'),
      requests: limit,
    })
  }
})

test('once given up, no bytes are read again', async () => {
  const time = virtualTime()
  const over = new AbortController()
  const { fetch, got } = scriptedFetch(time, [{ error: REFUSED }])
  const payload = payloadOf([1])
  const ctx = sendContext(time, fetch, { signal: over.signal })
  const sending = send(originConfig(), payload, ctx)
  await Promise.resolve()
  over.abort()
  payload.release()
  expect((await time.run(sending)).kind).toBe('busy')
  expect(got).toHaveLength(1)
})

test('giving up ends a wait for an answer at once', async () => {
  const time = virtualTime()
  const start = time.now()
  const over = new AbortController()
  const { fetch } = scriptedFetch(time, [{ wait: 60_000 }])
  const ctx = sendContext(time, fetch, { signal: over.signal })
  const sending = send(originConfig(), payloadOf([1]), ctx)
  over.abort()
  expect((await time.run(sending)).kind).toBe('busy')
  expect(time.now()).toBe(start)
})

test('an overloaded Durable Object is not asked again', async () => {
  const error = Object.assign(new Error('too much'), { overloaded: true })
  const { outcome, got } = await sent([{ error }], { url: 'sluice://embedded' })
  expect(outcome).toEqual(busy('no connection: too much'))
  expect(got.map(({ url }) => url)).toEqual(['http://embedded/api/v1/write'])
})

test('what is thrown need not be an error', async () => {
  expect((await sent([{ error: null }])).outcome).toEqual(busy('no connection: null'))
  expect((await sent([{ error: 'a\nb' }])).outcome).toEqual(busy('no connection: a b'))
})

test('a fetch that throws at once is no connection either', async () => {
  const time = virtualTime()
  const fetch = vi.fn(() => {
    throw new Error('Network connection lost.')
  })
  const sending = send(originConfig(), payloadOf([1]), sendContext(time, fetch))
  expect(await time.run(sending)).toEqual(busy('no connection: Network connection lost.'))
  expect(fetch).toHaveBeenCalledTimes(2)
})

test('credentials never show, neither in what an origin repeats nor in an error', async () => {
  const basic = `Basic ${btoa('sluice:hunter2')}`
  const origin = { url: 'https://me:swordfish@mimir.example/push', authorization: basic }
  const echo = `${basic} ${btoa('sluice:hunter2')} hunter2 swordfish https://me:swordfish@x`
  for (const reaction of [{ status: 403, body: echo }, { error: new Error(echo) }]) {
    const { outcome, got } = await sent([reaction], origin)
    const text = JSON.stringify(outcome)
    expect(text).toContain('***')
    expect(text).not.toMatch(/hunter2|swordfish|c2x1aWNl/)
    expect(got[0]!.url).toBe('https://mimir.example/push')
  }
})

test('a tenant that a header can’t hold is never sent', async () => {
  const origin = { headers: [['X-Scope-OrgID', '{tenant}'] as const] }
  const { outcome, got } = await sent([{}], origin, { tenant: 'a\r\nX-Scope-OrgID: b' })
  expect(outcome).toMatchObject({ kind: 'misconfigured', status: 0 })
  expect(got).toHaveLength(0)
})
