import { expect, test, vi } from 'vitest'
import { type DeliverContext, deliver } from '../../src/deliver/deliver.ts'
import type { Payload } from '../../src/deliver/payload.ts'
import { subrequests } from '../../src/deliver/subrequests.ts'
import {
  type Got,
  halver,
  originConfig,
  payloadOf,
  protocolOf,
  type Reaction,
  repacker,
  samples,
  scriptedFetch,
  sendContext,
  type TestPayload,
  V2,
  writtenHeaders,
  ZSTD,
} from './fixtures.ts'
import { virtualTime } from './virtual-time.ts'

type Script = readonly Reaction[] | ((got: Got, nth: number) => Reaction)

interface Case {
  readonly ctx?: Partial<DeliverContext>
  readonly repacker?: ReturnType<typeof repacker>
}

/** Delivers to an origin that follows the script; checks that all that was ever made was released. */
async function delivered(payloads: readonly TestPayload[], script: Script, given: Case = {}) {
  const time = virtualTime()
  const start = time.now()
  const { fetch, got, open } = scriptedFetch(time, script)
  const halves = halver()
  const packs = given.repacker ?? repacker()
  const downgraded = vi.fn()
  const unexpected = vi.fn()
  const ctx: DeliverContext = {
    ...sendContext(time, fetch),
    inFlight: 6,
    halve: halves.halve,
    repack: packs.repack,
    downgraded,
    unexpected,
    ...given.ctx,
  }
  const result = await time.run(deliver(originConfig(), payloads, ctx))
  const made = [...payloads, ...halves.made, ...packs.made]
  expect(made.filter((payload) => !payload.released())).toEqual([])
  expect(time.pending()).toBe(0)
  const requests = got.map((request) => `${protocolOf(request)} ${request.body.join(' ')}`)
  const reasons = downgraded.mock.calls.map(([, reason]) => reason as string)
  return { result, got, requests, open, reasons, unexpected, took: time.now() - start }
}

const v2 = (items: number[], after = false) => payloadOf(items, after, 1, V2)
const zstd = (items: number[]) => payloadOf(items, false, 1, ZSTD)

/** A receiver of 1.0 that says so. */
const only1 = (got: Got): Reaction => ({ status: protocolOf(got) === 'v1' ? 204 : 415 })

/** A receiver of 2.0 that writes all of it. */
const writes = (got: Got): Reaction => ({ headers: writtenHeaders({ samples: got.body.length }) })

const UNSAID = 'origin mimir answered 204, but does not say what it wrote: it may not know remote'

test('what is read in its protocol stays in it', async () => {
  const { requests, reasons } = await delivered([v2([1, 2]), v2([3])], writes)
  expect(requests).toEqual(['v2 1 2', 'v2 3'])
  expect(reasons).toEqual([])
})

test('a 415 is repacked and sent again, and told once', async () => {
  const { result, requests, reasons } = await delivered([v2([1, 2])], only1)
  expect(requests).toEqual(['v2 1 2', 'v1 1 2'])
  expect(result).toMatchObject({
    delivered: samples(2),
    rejected: samples(0),
    failed: samples(0),
    worst: 'delivered',
    messages: [],
    bytesOut: 4,
  })
  expect(result.requests).toMatchObject({ delivered: 1, rejected: 1 })
  expect(reasons).toEqual(['origin mimir answered 415'])
})

test('a 2xx that does not say what was written is a receiver of 1.0 that read nothing', async () => {
  const { result, requests, reasons } = await delivered([v2([1]), v2([2])], [{ status: 204 }], {
    ctx: { inFlight: 1 },
  })
  expect(requests).toEqual(['v2 1', 'v1 1', 'v1 2'])
  expect(result).toMatchObject({ delivered: samples(2), worst: 'delivered', messages: [] })
  expect(reasons).toEqual([expect.stringContaining(UNSAID)])
})

test('what says that it wrote nothing has been read', async () => {
  const script = [{ headers: writtenHeaders({ samples: 0 }) }]
  const { result, requests, reasons } = await delivered([v2([1])], script)
  expect(requests).toEqual(['v2 1'])
  expect(result).toMatchObject({ rejected: samples(1), worst: 'rejected' })
  expect(reasons).toEqual([])
})

test.each([
  [400, 'out of order sample'],
  [400, 'snappy: corrupt input'],
  [400, 'unsupported content type'],
  [404, ''],
  [406, ''],
  [409, ''],
  [422, ''],
  [500, ''],
  [501, 'remote write 2.0 is not supported'],
  [503, ''],
])('2.0 stays 2.0 after %d %s', async (status, body) => {
  const { requests, reasons } = await delivered([v2([1])], [{ status, body }])
  expect(requests).toEqual(['v2 1'])
  expect(reasons).toEqual([])
})

test('zstd is repacked after a 415, and after a 400 that says it was not decoded', async () => {
  for (const refusal of [{ status: 415 }, { status: 400, body: 'snappy: corrupt input' }]) {
    const script = (got: Got) => (protocolOf(got) === 'zstd' ? refusal : {})
    const { result, requests, reasons } = await delivered([zstd([1, 2])], script)
    expect(requests).toEqual(['zstd 1 2', 'v1 1 2'])
    expect(result).toMatchObject({ delivered: samples(2), worst: 'delivered' })
    expect(reasons).toHaveLength(1)
  }
})

test('zstd stays zstd after a 400 that is about data, and after a 2xx that says nothing', async () => {
  const script = [{ status: 400, body: 'out of order sample' }, { status: 204 }]
  const { result, requests, reasons } = await delivered([zstd([1]), zstd([2])], script)
  expect(requests).toEqual(['zstd 1', 'zstd 2'])
  expect(result).toMatchObject({ delivered: samples(1), rejected: samples(1) })
  expect(reasons).toEqual([])
})

test('there is nothing to fall back to from 1.0 in snappy', async () => {
  const { result, requests, reasons } = await delivered([payloadOf([1])], [{ status: 415 }])
  expect(requests).toEqual(['v1 1'])
  expect(result).toMatchObject({ rejected: samples(1), worst: 'rejected' })
  expect(reasons).toEqual([])
})

test('an origin that refuses 1.0 too is not asked a third time', async () => {
  const { result, requests } = await delivered([v2([1])], [{ status: 415 }])
  expect(requests).toEqual(['v2 1', 'v1 1'])
  expect(result).toMatchObject({ rejected: samples(1), messages: ['origin mimir answered 415'] })
})

test('after a 415 the rest is repacked before it is sent, and travels in order', async () => {
  const payloads = [v2([1, 2]), v2([3], true), v2([4, 5], true)]
  const script = (got: Got) => ({ ...only1(got), wait: 100 })
  const { requests, open, reasons } = await delivered(payloads, script)
  expect(requests).toEqual(['v2 1 2', 'v1 1 2', 'v1 3', 'v1 4 5'])
  expect(open.most).toBe(1)
  expect(reasons).toHaveLength(1)
})

test('a 415 in the middle is for those behind it; what was read stays read', async () => {
  const payloads = [v2([1]), v2([2], true), v2([3], true)]
  const script = (got: Got, nth: number) => (nth === 0 ? writes(got) : only1(got))
  const { result, requests } = await delivered(payloads, script)
  expect(requests).toEqual(['v2 1', 'v2 2', 'v1 2', 'v1 3'])
  expect(result).toMatchObject({ delivered: samples(3), worst: 'delivered' })
})

test('pieces that were refused at the same time are each sent again, and it is told once', async () => {
  const script = (got: Got) => ({ ...only1(got), wait: 100 })
  const { requests, reasons } = await delivered([v2([1]), v2([2]), v2([3])], script, {
    ctx: { inFlight: 2 },
  })
  expect(requests.toSorted()).toEqual(['v1 1', 'v1 2', 'v1 3', 'v2 1', 'v2 2'])
  expect(reasons).toHaveLength(1)
})

test('what waits for a piece waits for all that was made of it', async () => {
  const payloads = [v2([1, 2, 3]), v2([4], true)]
  const script = (got: Got) => ({ ...only1(got), wait: 100 })
  const { requests, open } = await delivered(payloads, script, { repacker: repacker(1) })
  expect(requests).toEqual(['v2 1 2 3', 'v1 1', 'v1 2', 'v1 3', 'v1 4'])
  expect(open.most).toBe(1)
})

test('counts are those of what took the place: what 1.0 can’t carry is not in the sums', async () => {
  const packs = repacker(2, (item) => item === 3)
  const { result } = await delivered([v2([1, 2, 3, 4])], only1, { repacker: packs })
  expect(packs.dropped).toEqual([3])
  expect(result).toMatchObject({
    delivered: samples(3),
    rejected: samples(0),
    failed: samples(0),
    worst: 'delivered',
  })
})

test('when it can’t be repacked the refusal stands, also for those behind it', async () => {
  const { result, requests } = await delivered([v2([1, 2]), v2([3], true)], only1, {
    ctx: { repack: () => undefined },
  })
  expect(requests).toEqual(['v2 1 2'])
  expect(result).toMatchObject({
    rejected: samples(3),
    worst: 'rejected',
    messages: ['origin mimir answered 415'],
  })
  // A 2xx that was none is not delivered either.
  const unsaid = await delivered([v2([1])], [{}], { ctx: { repack: () => undefined } })
  expect(unsaid.result).toMatchObject({ rejected: samples(1), worst: 'rejected' })
  expect(unsaid.result.messages).toEqual([expect.stringContaining(UNSAID)])
})

test('an error while repacking is busy, reported, and releases everything', async () => {
  const error = new Error('the memory budget is full')
  const repack = () => {
    throw error
  }
  const payloads = [v2([1, 2]), v2([3], true)]
  const { result, requests, reasons, unexpected } = await delivered(payloads, only1, {
    ctx: { repack },
  })
  expect(requests).toEqual(['v2 1 2'])
  expect(unexpected.mock.calls).toEqual([[error]])
  expect(result).toMatchObject({ failed: samples(3), worst: 'busy' })
  // The next request is made in 1.0 from the start.
  expect(reasons).toHaveLength(1)
})

test('what is repacked in the refused protocol again is a bug, and does not go round and round', async () => {
  const made: TestPayload[] = []
  for (const again of [
    (payload: Payload) => [payload],
    (payload: Payload) => {
      made.push(payloadOf([1]), v2([...payload.bytes]))
      return made.slice(-2)
    },
  ]) {
    const { result, requests, unexpected } = await delivered([v2([1])], only1, {
      ctx: { repack: again },
    })
    expect(requests).toEqual(['v2 1'])
    expect(unexpected.mock.calls[0]![0]).toMatchObject({ message: expect.stringMatching(/^BUG: /) })
    expect(result).toMatchObject({ failed: samples(1), worst: 'busy' })
  }
  expect(made.map((payload) => payload.released())).toEqual([true, true])
})

test('each try takes a subrequest; when they are used up the rest is busy', async () => {
  const payloads = () => [v2([1, 2]), v2([3], true)]
  for (const [limit, sent, failed] of [
    [3, ['v2 1 2', 'v1 1 2', 'v1 3'], 0],
    [2, ['v2 1 2', 'v1 1 2'], 1],
    [1, ['v2 1 2'], 3],
    [0, [], 3],
  ] as const) {
    const ctx = { subrequests: subrequests(limit) }
    const { result, requests } = await delivered(payloads(), only1, { ctx })
    expect(requests).toEqual(sent)
    expect(result).toMatchObject({ delivered: samples(3 - failed), failed: samples(failed) })
    if (failed > 0) expect(result.messages).toEqual(['origin mimir: limits.subrequests is used up'])
  }
})

test('the deadline holds for the second protocol too', async () => {
  const slow = (got: Got) => ({ ...only1(got), wait: 5000 })
  const { result, requests, took } = await delivered([v2([1])], slow)
  expect(requests).toEqual(['v2 1', 'v1 1'])
  expect(took).toBe(8000)
  expect(result).toMatchObject({ failed: samples(1), worst: 'busy' })
  expect(result.messages).toEqual(['origin mimir: no answer in time'])
})

test('a refusal at the last moment is busy, not rejected', async () => {
  const time = virtualTime()
  const ctx = { deadline: time.now() + 1000 }
  const { result, reasons } = await delivered([v2([1])], [{ status: 415, wait: 999 }, {}], { ctx })
  expect(result.worst).toBe('delivered')
  const late = [{ status: 415, body: new ReadableStream(), wait: 900 }, { wait: 60_000 }]
  const hung = await delivered([v2([1])], late, { ctx })
  expect(hung.result).toMatchObject({ failed: samples(1), worst: 'busy' })
  expect([reasons.length, hung.reasons.length]).toEqual([1, 1])
})

test('a payload that was refused while another was busy is failed, not sent again, and not rejected', async () => {
  const script = (got: Got) =>
    got.body[0] === 1 ? { status: 503, wait: 50 } : { ...only1(got), wait: 100 }
  const { result, requests, reasons } = await delivered([v2([1]), v2([2, 3])], script)
  expect(requests).toEqual(['v2 1', 'v2 2 3'])
  expect(result).toMatchObject({ failed: samples(3), rejected: samples(0), worst: 'busy' })
  expect(reasons).toHaveLength(1)
})

test('once given up nothing is repacked: the bytes may be another request’s', async () => {
  const over = new AbortController()
  const packs = repacker()
  const script = () => {
    // The status is known, its text never comes, and meanwhile it is given up.
    setImmediate(() => over.abort())
    return { status: 415, body: new ReadableStream() }
  }
  const given = { repacker: packs, ctx: { signal: over.signal } }
  const { result, reasons } = await delivered([v2([1])], script, given)
  expect(reasons).toHaveLength(1)
  expect(packs.made).toEqual([])
  expect(result).toMatchObject({ failed: samples(1), worst: 'busy' })
})

test('what was repacked is halved like everything else', async () => {
  const script = (got: Got) =>
    protocolOf(got) === 'v1' && got.body.length > 2 ? { status: 413 } : only1(got)
  const { result, requests } = await delivered([v2([1, 2, 3, 4]), v2([5], true)], script)
  expect(requests).toEqual(['v2 1 2 3 4', 'v1 1 2 3 4', 'v1 1 2', 'v1 3 4', 'v1 5'])
  expect(result).toMatchObject({ delivered: samples(5), worst: 'delivered' })
})

test('halves keep the protocol of the whole, and are repacked each', async () => {
  const script = (got: Got) => (got.body.length > 2 ? { status: 413 } : only1(got))
  const { requests } = await delivered([v2([1, 2, 3, 4])], script)
  expect(requests).toEqual(['v2 1 2 3 4', 'v2 1 2', 'v1 1 2', 'v1 3 4'])
})
