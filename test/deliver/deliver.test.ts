import { expect, test, vi } from 'vitest'
import type { OriginConfig } from '../../src/config/types.ts'
import { type DeliverContext, deliver } from '../../src/deliver/deliver.ts'
import type { Fetch } from '../../src/deliver/send.ts'
import { subrequests } from '../../src/deliver/subrequests.ts'
import {
  type Got,
  halver,
  originConfig,
  payloadOf,
  REFUSED,
  type Reaction,
  repacker,
  samples,
  scriptedFetch,
  sendContext,
  type TestPayload,
} from './fixtures.ts'
import { type VirtualTime, virtualTime } from './virtual-time.ts'

type Script = readonly Reaction[] | ((got: Got, nth: number) => Reaction)

interface Case {
  readonly origin?: Partial<OriginConfig>
  readonly ctx?: Partial<DeliverContext>
  readonly size?: number
}

function context(time: VirtualTime, fetch: Fetch): DeliverContext {
  return {
    ...sendContext(time, fetch),
    inFlight: 6,
    halve: halver().halve,
    repack: repacker().repack,
    downgraded: vi.fn(),
    unexpected: vi.fn(),
  }
}

/**
 * Delivers to an origin that follows the script; checks that every payload and half was released.
 */
async function delivered(payloads: readonly TestPayload[], script: Script, given: Case = {}) {
  const time = virtualTime()
  const start = time.now()
  const { fetch, got, open } = scriptedFetch(time, script)
  const { halve, made } = halver(given.size)
  const unexpected = vi.fn()
  const ctx = { ...context(time, fetch), halve, unexpected, ...given.ctx }
  const result = await time.run(deliver(originConfig(given.origin), payloads, ctx))
  for (const payload of [...payloads, ...made]) expect(payload.released()).toBe(true)
  expect(time.pending()).toBe(0)
  const bodies = got.map(({ body }) => [...body])
  return { result, got, bodies, open, unexpected, took: time.now() - start }
}

const three = () => [payloadOf([1, 2]), payloadOf([3, 4]), payloadOf([5, 6])]

test('everything that is taken is delivered', async () => {
  const { result, bodies, unexpected } = await delivered(three(), [{ status: 204 }])
  expect(bodies).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
  ])
  expect(result).toEqual({
    origin: originConfig(),
    delivered: samples(6),
    rejected: samples(0),
    failed: samples(0),
    requests: { delivered: 3, rejected: 0, 'too-large': 0, busy: 0, misconfigured: 0 },
    bytesOut: 6,
    worst: 'delivered',
    messages: [],
  })
  expect(unexpected).not.toHaveBeenCalled()
})

test('nothing to deliver is delivered', async () => {
  const { result, got } = await delivered([], [])
  expect(got).toHaveLength(0)
  expect(result.worst).toBe('delivered')
})

test('no more are in flight than there is room for', async () => {
  const payloads = Array.from({ length: 10 }, (_, i) => payloadOf([i]))
  const { open, took } = await delivered(payloads, [{ wait: 100 }], { ctx: { inFlight: 3 } })
  expect(open.most).toBe(3)
  expect(took).toBe(400)
})

test('what can start at once is handed to fetch before deliver returns its promise', async () => {
  const time = virtualTime()
  const { fetch, got } = scriptedFetch(time, [{}])
  const ctx = { ...context(time, fetch), inFlight: 2 }
  const delivering = deliver(originConfig(), three(), ctx)
  expect(got).toHaveLength(2)
  await time.run(delivering)
})

test('a payload is released as soon as it has settled, while others still travel', async () => {
  const payloads = three()
  const time = virtualTime()
  const { fetch } = scriptedFetch(time, (_, nth) => ({ wait: nth === 1 ? 100 : 1000 }))
  const ctx = context(time, fetch)
  const delivering = deliver(originConfig(), payloads, ctx)
  await time.run(time.wait(500))
  expect(payloads.map((payload) => payload.released())).toEqual([false, true, false])
  await time.run(delivering)
})

test('a piece that goes on with a series waits for all earlier ones, and what is behind it for its start', async () => {
  const payloads = [payloadOf([1]), payloadOf([2]), payloadOf([3], true), payloadOf([4])]
  const { got } = await delivered(payloads, (_, nth) => ({ wait: nth === 0 ? 500 : 100 }))
  const start = got[0]!.at
  expect(got.map(({ body, at }) => [body[0], at - start])).toEqual([
    [1, 0],
    [2, 0],
    [3, 500],
    [4, 500],
  ])
})

test('pieces of one long series travel one at a time', async () => {
  const payloads = [1, 2, 3, 4].map((item) => payloadOf([item], item > 1))
  const { open, bodies } = await delivered(payloads, [{ wait: 100 }])
  expect(open.most).toBe(1)
  expect(bodies).toEqual([[1], [2], [3], [4]])
})

test('a busy answer ends it: what is in flight finishes, the rest is never sent', async () => {
  const payloads = [1, 2, 3, 4, 5].map((item) => payloadOf([item]))
  const script = (_: Got, nth: number) =>
    nth === 0 ? { status: 503, body: 'later', headers: { 'retry-after': '7' } } : { wait: 100 }
  const { result, bodies } = await delivered(payloads, script, { ctx: { inFlight: 2 } })
  expect(bodies).toEqual([[1], [2]])
  expect(result).toMatchObject({
    delivered: samples(1),
    failed: samples(4),
    rejected: samples(0),
    worst: 'busy',
    retryAfter: 7000,
    messages: ['origin mimir answered 503: later'],
  })
})

test('a rejected payload does not stop the others', async () => {
  const script = (_: Got, nth: number) => (nth === 1 ? { status: 400, body: 'too old' } : {})
  const { result } = await delivered(three(), script, { ctx: { inFlight: 1 } })
  expect(result).toMatchObject({
    delivered: samples(4),
    rejected: samples(2),
    worst: 'rejected',
    messages: ['origin mimir answered 400: too old'],
  })
  expect(result.retryAfter).toBeUndefined()
})

test('the longest Retry-After counts', async () => {
  const script = (_: Got, nth: number) => ({
    status: 503,
    headers: { 'retry-after': ['3', '9', '5'][nth]! },
  })
  const { result } = await delivered(three(), script)
  expect(result.retryAfter).toBe(9000)
})

test('messages are the first three different ones, those about busy first', async () => {
  const payloads = Array.from({ length: 6 }, (_, i) => payloadOf([i]))
  const script = (_: Got, nth: number) =>
    nth === 5 ? { status: 503 } : { status: 400, body: `bad ${nth >> 1}` }
  const { result } = await delivered(payloads, script)
  expect(result.messages).toEqual([
    'origin mimir answered 503',
    'origin mimir answered 400: bad 0',
    'origin mimir answered 400: bad 1',
  ])
})

test.each([
  [401, 'retry', 'busy'],
  [403, 'retry', 'busy'],
  [404, 'retry', 'busy'],
  [302, 'retry', 'busy'],
  [401, 'reject', 'rejected'],
  [403, 'reject', 'rejected'],
  [404, 'reject', 'rejected'],
  [302, 'reject', 'busy'],
] as const)('%d with on_misconfigured %s is %s, and flagged', async (status, policy, worst) => {
  const given = { origin: { onMisconfigured: policy }, ctx: { inFlight: 1 } }
  const { result, got } = await delivered(three(), [{ status, body: 'x' }], given)
  expect(result.worst).toBe(worst)
  expect(result.misconfigured).toMatch(`origin mimir answered ${status}`)
  expect(worst === 'busy' ? result.failed : result.rejected).toEqual(samples(6))
  expect(got).toHaveLength(worst === 'busy' ? 1 : 3)
})

/** Takes at most `limit` bytes. */
const takes = (limit: number) => (got: Got) => ({ status: got.body.length > limit ? 413 : 204 })

test('what is too large is halved until it is taken, in order', async () => {
  const { result, bodies } = await delivered([payloadOf([1, 2, 3, 4, 5])], takes(2))
  expect(bodies).toEqual([[1, 2, 3, 4, 5], [1, 2, 3], [1, 2], [3], [4, 5]])
  expect(result).toMatchObject({ delivered: samples(5), worst: 'delivered', bytesOut: 13 })
  expect(result.requests).toMatchObject({ delivered: 3, 'too-large': 2 })
})

test('one item that is too large is rejected, and only that', async () => {
  const script = (got: Got) => ({ status: got.body.includes(3) ? 413 : 204 })
  const { result } = await delivered([payloadOf([1, 2, 3, 4])], script)
  expect(result).toMatchObject({
    delivered: samples(3),
    rejected: samples(1),
    worst: 'rejected',
    messages: ['origin mimir answered 413'],
  })
})

test('halves never travel together, and who waits for the whole waits for both', async () => {
  const payloads = [payloadOf([1, 2]), payloadOf([3], true)]
  const script = (got: Got) => ({ ...takes(1)(got), wait: 100 })
  const { bodies, open } = await delivered(payloads, script)
  expect(bodies).toEqual([[1, 2], [1], [2], [3]])
  expect(open.most).toBe(1)
})

test('halves that are still to be sent are failed when something else was busy', async () => {
  const payloads = [payloadOf([1, 2]), payloadOf([3])]
  const script = (got: Got) =>
    got.body[0] === 3 ? { status: 503, wait: 50 } : { ...takes(1)(got), wait: 100 }
  const { result, bodies } = await delivered(payloads, script)
  expect(bodies).toEqual([[1, 2], [3]])
  expect(result).toMatchObject({ failed: samples(3), worst: 'busy' })
})

test('after one 413 what is as large is halved before it costs a request', async () => {
  const payloads = [payloadOf([1, 2, 3, 4]), payloadOf([5, 6, 7, 8])]
  const { bodies } = await delivered(payloads, takes(2), { ctx: { inFlight: 1 } })
  expect(bodies).toEqual([
    [1, 2, 3, 4],
    [1, 2],
    [3, 4],
    [5, 6],
    [7, 8],
  ])
})

test('one huge item does not have all others sent alone', async () => {
  const payloads = [payloadOf([1, 2, 3, 4]), payloadOf([5, 6, 7, 8]), payloadOf([9, 10])]
  const script = (got: Got) => ({ status: got.body.includes(1) ? 413 : 204 })
  const { bodies } = await delivered(payloads, script, { ctx: { inFlight: 1 } })
  expect(bodies).toEqual([[1, 2, 3, 4], [1, 2], [1], [2], [3, 4], [5, 6, 7, 8], [9, 10]])
})

test('halving ends with the subrequests', async () => {
  const payloads = [payloadOf([1, 2, 3, 4, 5, 6, 7, 8])]
  const ctx = { subrequests: subrequests(5) }
  const { result, got } = await delivered(payloads, [{ status: 413 }], { ctx })
  expect(got).toHaveLength(5)
  expect(result).toMatchObject({ rejected: samples(2), failed: samples(6), worst: 'busy' })
  expect(result.messages[0]).toBe('origin mimir: limits.subrequests is used up')
})

test('halving ends at the deadline', async () => {
  const payloads = [payloadOf([1, 2, 3, 4, 5, 6, 7, 8])]
  const { result, took } = await delivered(payloads, [{ status: 413, wait: 3000 }])
  expect(took).toBe(8000)
  expect(result).toMatchObject({ failed: samples(8), worst: 'busy' })
})

test('something that can’t be halved may also be given back as nothing', async () => {
  const ctx = { halve: () => [] }
  const { result } = await delivered([payloadOf([1, 2])], [{ status: 413 }], { ctx })
  expect(result).toMatchObject({ rejected: samples(2), worst: 'rejected' })
})

test('retries count as bytes out, and as one outcome', async () => {
  const { result } = await delivered([payloadOf([1, 2])], [{ error: REFUSED }, {}])
  expect(result).toMatchObject({ bytesOut: 4, requests: { delivered: 1, busy: 0 } })
})

test('an unexpected error is busy, reported once, and releases everything', async () => {
  const error = new Error('BUG: no halves today')
  const halve = () => {
    throw error
  }
  const given = { ctx: { halve, inFlight: 1 } }
  const { result, unexpected } = await delivered(three(), [{ status: 413 }], given)
  expect(unexpected.mock.calls).toEqual([[error]])
  expect(result).toMatchObject({
    failed: samples(6),
    worst: 'busy',
    messages: ['origin mimir: unexpected error'],
  })
})

test('halves that carry something else than the whole are a bug, never a wrong sum', async () => {
  const halves = [payloadOf([1]), payloadOf([2, 3])]
  const given = { ctx: { halve: () => halves } }
  const { result, unexpected, bodies } = await delivered(
    [payloadOf([1, 2])],
    [{ status: 413 }],
    given,
  )
  expect(unexpected).toHaveBeenCalledOnce()
  expect(bodies).toEqual([[1, 2]])
  expect(halves.every((half) => half.released())).toBe(true)
  expect(result).toMatchObject({ failed: samples(2), worst: 'busy' })
})

test('an origin whose url is none is busy and reported', async () => {
  const { result, unexpected } = await delivered(three(), [{}], { origin: { url: 'nowhere' } })
  expect(unexpected).toHaveBeenCalled()
  expect(result).toMatchObject({ failed: samples(6), worst: 'busy' })
})

test('once given up nothing more is sent', async () => {
  const ctx = { signal: AbortSignal.abort() }
  const { result, got } = await delivered(three(), [{}], { ctx })
  expect(got).toHaveLength(0)
  expect(result).toMatchObject({ failed: samples(6), worst: 'busy' })
})
