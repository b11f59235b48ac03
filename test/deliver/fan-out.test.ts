import { expect, test, vi } from 'vitest'
import type { OriginConfig } from '../../src/config/types.ts'
import { type FanOutContext, fanOut, type Shipment } from '../../src/deliver/fan-out.ts'
import type { OriginResult } from '../../src/deliver/origin-result.ts'
import { verdict } from '../../src/deliver/verdict.ts'
import {
  halver,
  originConfig,
  payloadOf,
  protocolOf,
  type Reaction,
  repacker,
  samples,
  scriptedFetch,
  type TestPayload,
  V2,
  writtenHeaders,
} from './fixtures.ts'
import { type VirtualTime, virtualTime } from './virtual-time.ts'

function setup(overrides: Partial<FanOutContext> = {}) {
  const time = virtualTime()
  const start = time.now()
  const late: Promise<unknown>[] = []
  const ignored: OriginResult[] = []
  const unexpected = vi.fn()
  const ctx: FanOutContext = {
    tenant: 'prod',
    deadline: start + 8000,
    version: '1.2.3',
    subrequests: 50,
    now: time.now,
    random: () => 0.5,
    sleep: time.sleep,
    waitUntil: (work) => void late.push(work),
    downgraded: vi.fn(),
    ignored: (result) => void ignored.push(result),
    unexpected,
    ...overrides,
  }
  const took = () => time.now() - start
  return { time, ctx, late, ignored, unexpected, took }
}

function shipment(
  time: VirtualTime,
  name: string,
  script: Reaction[],
  payloads: TestPayload[] = [payloadOf([1]), payloadOf([2])],
  origin: Partial<OriginConfig> = {},
) {
  const scripted = scriptedFetch(time, script)
  const { halve } = halver()
  const { repack } = repacker()
  const made: Shipment = {
    origin: originConfig({ name, ...origin }),
    payloads,
    fetch: scripted.fetch,
    halve,
    repack,
  }
  return { ...scripted, payloads, shipment: made }
}

const ignore = { onFailure: 'ignore' } as const

test('all origins are served at once, and the results come in the order given', async () => {
  const { time, ctx, took } = setup()
  const a = shipment(time, 'a', [{ wait: 300 }])
  const b = shipment(time, 'b', [{ wait: 100, status: 400 }])
  const fanning = fanOut([a.shipment, b.shipment], ctx)
  const results = await time.run(fanning)
  expect(took()).toBe(300)
  expect(results.map(({ result }) => [result.origin.name, result.worst])).toEqual([
    ['a', 'delivered'],
    ['b', 'rejected'],
  ])
  expect(time.pending()).toBe(0)
})

test('the first pieces of every origin are handed to fetch before fanOut returns its promise', async () => {
  const { time, ctx } = setup()
  const a = shipment(time, 'a', [{}])
  const b = shipment(time, 'b', [{}], undefined, ignore)
  const fanning = fanOut([a.shipment, b.shipment], ctx)
  expect([a.got.length, b.got.length]).toEqual([2, 2])
  await time.run(fanning)
})

test('one slow origin never delays another’s data', async () => {
  const { time, ctx } = setup()
  const many = () => Array.from({ length: 12 }, (_, i) => payloadOf([i]))
  const slow = shipment(time, 'slow', [{ wait: 60_000 }], many())
  const fast = shipment(time, 'fast', [{ wait: 10 }], many())
  const fanning = fanOut([slow.shipment, fast.shipment], ctx)
  const results = await time.run(fanning)
  const last = Math.max(...fast.got.map(({ at }) => at))
  expect(last - fast.got[0]!.at).toBe(30)
  expect(results[1]!.result).toMatchObject({ delivered: samples(12), worst: 'delivered' })
  expect(results[0]!.result).toMatchObject({ failed: samples(12), worst: 'busy' })
})

test('six connections are shared among the origins that have something to get', async () => {
  const { time, ctx } = setup()
  const many = () => Array.from({ length: 12 }, (_, i) => payloadOf([i]))
  const a = shipment(time, 'a', [{ wait: 10 }], many())
  const b = shipment(time, 'b', [{ wait: 10 }], many(), ignore)
  const none = shipment(time, 'none', [{}], [])
  await time.run(fanOut([a.shipment, b.shipment, none.shipment], ctx))
  expect([a.open.most, b.open.most]).toEqual([3, 3])
})

test('an ignore origin never holds the answer, and its result is told later', async () => {
  const { time, ctx, late, ignored, took } = setup()
  const a = shipment(time, 'a', [{ wait: 10 }])
  const b = shipment(time, 'b', [{ wait: 3000, status: 503 }], undefined, ignore)
  const results = await time.run(fanOut([b.shipment, a.shipment], ctx))
  expect(took()).toBe(10)
  expect(results.map(({ result }) => result.origin.name)).toEqual(['a'])
  expect(verdict(results, { rejected: [] }, () => 0).status).toBe(204)
  expect(ignored).toEqual([])
  expect(late).toHaveLength(1)
  await time.run(Promise.all(late))
  expect(ignored).toMatchObject([{ origin: { name: 'b' }, worst: 'busy', failed: samples(2) }])
  expect(b.payloads.every((payload) => payload.released())).toBe(true)
})

test('at the deadline an origin that hangs is busy, the others keep what they said', async () => {
  const { time, ctx, took, unexpected } = setup()
  const a = shipment(time, 'a', [{ status: 400, body: 'too old' }])
  const b = shipment(time, 'b', [{ wait: 60_000 }])
  const results = await time.run(fanOut([a.shipment, b.shipment], ctx))
  expect(took()).toBe(8000)
  expect(results.map(({ result }) => result.worst)).toEqual(['rejected', 'busy'])
  expect(verdict(results, { rejected: [] }, () => 0)).toEqual({
    status: 503,
    retryAfter: 1,
    message: 'origin b: no answer in time',
  })
  expect(unexpected).not.toHaveBeenCalled()
})

test('the 413s of one origin never cost another its first tries', async () => {
  const { time, ctx } = setup({ subrequests: 10 })
  const items = Array.from({ length: 64 }, (_, i) => i)
  const greedy = shipment(time, 'greedy', [{ status: 413 }], [payloadOf(items)])
  const slow = shipment(
    time,
    'slow',
    [{ wait: 100 }],
    [0, 1, 2, 3].map((i) => payloadOf([i], i > 0)),
  )
  const results = await time.run(fanOut([greedy.shipment, slow.shipment], ctx))
  expect(greedy.got).toHaveLength(6)
  expect(results[0]!.result.worst).toBe('busy')
  expect(results[1]!.result).toMatchObject({ delivered: samples(4), worst: 'delivered' })
})

test('an error that should not happen is busy, told, and costs the other origins nothing', async () => {
  const { time, ctx, unexpected } = setup()
  const broken = shipment(time, 'broken', [{}], undefined, { url: 'nowhere' })
  const well = shipment(time, 'well', [{}])
  const results = await time.run(fanOut([broken.shipment, well.shipment], ctx))
  expect(results.map(({ result }) => result.worst)).toEqual(['busy', 'delivered'])
  expect(results[0]!.result.messages).toEqual(['origin broken: unexpected error'])
  expect(unexpected).toHaveBeenCalledWith(expect.any(TypeError), broken.shipment.origin)
  expect(broken.payloads.every((payload) => payload.released())).toBe(true)
})

test('even a delivery that throws where nothing should is busy and releases its payloads', async () => {
  const { time, ctx, unexpected } = setup()
  const payloads = [payloadOf([1])]
  const { shipment: made } = shipment(time, 'a', [{}], payloads)
  const origin = new Proxy(made.origin, {
    get(target, key) {
      if (key === 'url') throw new Error('BUG: no url')
      return Reflect.get(target, key)
    },
  })
  const results = await time.run(fanOut([{ ...made, origin }], ctx))
  expect(results[0]!.result).toMatchObject({ failed: samples(1), worst: 'busy' })
  expect(unexpected).toHaveBeenCalledOnce()
  expect(payloads[0]!.released()).toBe(true)
})

test('a delivery that ignores its deadline is given up, and sends none of its bytes afterwards', async () => {
  const time = virtualTime()
  // Only the last net's sleeper wakes: every alarm below it is deaf.
  const deaf: FanOutContext['sleep'] = (ms, wake) =>
    ms > 8000 ? time.sleep(ms, wake) : () => undefined
  const { ctx, unexpected } = setup({
    now: time.now,
    deadline: time.now() + 8000,
    sleep: deaf,
  })
  const held = Promise.withResolvers<void>()
  const payloads = [payloadOf([1]), payloadOf([2], true)]
  const { shipment: made, got } = shipment(time, 'a', [{}], payloads)
  const fetch: typeof made.fetch = async (url, init) => {
    const answer = await made.fetch(url, init)
    await held.promise
    return answer
  }
  const results = await time.run(fanOut([{ ...made, fetch }], ctx))
  expect(results[0]!.result).toMatchObject({ failed: samples(2), worst: 'busy' })
  expect(unexpected.mock.calls[0]![0]).toMatchObject({ message: expect.stringMatching(/^BUG: /) })
  expect(payloads.every((payload) => payload.released())).toBe(true)
  held.resolve()
  await time.run(time.wait(1))
  expect(got).toHaveLength(1)
})

test('an origin that refuses 2.0 gets 1.0, the others what they read, and it is told which', async () => {
  const downgraded = vi.fn()
  const { time, ctx } = setup({ downgraded })
  const v2 = () => [payloadOf([1], false, 1, V2)]
  const old = shipment(time, 'old', [{ status: 415 }, {}], v2())
  const late = shipment(time, 'late', [{ status: 415 }, {}], v2(), ignore)
  const modern = shipment(time, 'modern', [{ headers: writtenHeaders({ samples: 1 }) }], v2())
  const results = await time.run(fanOut([late.shipment, old.shipment, modern.shipment], ctx))
  await time.run(time.wait(1))
  expect(results.map(({ result }) => [result.origin.name, result.worst])).toEqual([
    ['old', 'delivered'],
    ['modern', 'delivered'],
  ])
  expect([old, late, modern].map(({ got }) => got.map(protocolOf))).toEqual([
    ['v2', 'v1'],
    ['v2', 'v1'],
    ['v2'],
  ])
  expect(downgraded.mock.calls).toEqual([
    [old.shipment.origin, 'origin old answered 415'],
    [late.shipment.origin, 'origin late answered 415'],
  ])
})

test('a partial write is 400, with the numbers, though all others have all of it', async () => {
  const { time, ctx } = setup()
  const a = shipment(time, 'a', [{}])
  const v2 = [payloadOf([1, 2, 3], false, 1, V2)]
  const b = shipment(time, 'b', [{ headers: writtenHeaders({ samples: 2 }) }], v2)
  const results = await time.run(fanOut([a.shipment, b.shipment], ctx))
  expect(verdict(results, { rejected: [] }, () => 0)).toEqual({
    status: 400,
    message: 'origin b answered 204, but wrote only 2 of 3 samples',
  })
})

test('nothing to send is a result too', async () => {
  const { time, ctx } = setup()
  const a = shipment(time, 'a', [{}], [])
  expect((await time.run(fanOut([a.shipment], ctx)))[0]!.result.worst).toBe('delivered')
  expect(await time.run(fanOut([], ctx))).toEqual([])
})
