import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OriginConfig } from '../../src/config/types.ts'
import { deliver } from '../../src/deliver/deliver.ts'
import { addCounts, countsOf } from '../../src/deliver/payload.ts'
import type { Fetch } from '../../src/deliver/send.ts'
import { subrequests } from '../../src/deliver/subrequests.ts'
import {
  halver,
  originConfig,
  payloadOf,
  REFUSED,
  type Reaction,
  scriptedFetch,
  sendContext,
} from './fixtures.ts'
import { virtualTime } from './virtual-time.ts'

// An item is a sample of one series. Item and series are one number each: series n has the items n
// * 10 to n * 10 + 9.
const seriesOf = (item: number) => Math.floor(item / 10)

/** Series of several samples, cut into pieces anywhere, as batching does. */
const pieces = fc
  .tuple(
    fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 8 }),
    fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 10 }),
  )
  .map(([lengths, cuts]) => {
    const items = lengths.flatMap((length, series) =>
      Array.from({ length }, (_, i) => series * 10 + i),
    )
    const lists: number[][] = []
    for (let at = 0, i = 0; at < items.length; i++) {
      const cut = cuts[i % cuts.length]!
      lists.push(items.slice(at, at + cut))
      at += cut
    }
    return lists
  })

const reaction: fc.Arbitrary<Reaction> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ status: fc.constantFrom(200, 204), wait: fc.nat(300) }) },
  { weight: 4, arbitrary: fc.record({ status: fc.constantFrom(400, 409, 413), wait: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ status: fc.constantFrom(401, 404, 302), wait: fc.nat(50) }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Reaction>(
      { status: 503, headers: { 'retry-after': '3' } },
      { status: 429 },
      { status: 308, headers: { location: '/elsewhere' } },
      { error: REFUSED },
      { wait: 60_000 },
    ),
  },
)

const scenario = fc.record({
  pieces,
  script: fc.array(reaction, { minLength: 1, maxLength: 12 }),
  takes: fc.constantFrom(1, 2, 3, 1000),
  inFlight: fc.integer({ min: 1, max: 6 }),
  limit: fc.integer({ min: 0, max: 40 }),
  onMisconfigured: fc.constantFrom<OriginConfig['onMisconfigured']>('retry', 'reject'),
})

/** Two requests that travel at the same time share no series, and each series arrives in order. */
function watchSeries(fetch: Fetch) {
  const travelling = new Set<Uint8Array>()
  const last = new Map<number, number>()
  const faults: string[] = []
  const watched: Fetch = async (url, init) => {
    const body = (init.body as Uint8Array).slice()
    const mine = new Set([...body].map(seriesOf))
    for (const other of travelling) {
      if ([...other].some((item) => mine.has(seriesOf(item)))) faults.push(`together: ${body}`)
    }
    for (const item of body) {
      // Sent again after a refusal, a redirect or a 413 is fine; stepping back behind what was sent
      // after it is not.
      if (item < (last.get(seriesOf(item)) ?? 0)) faults.push(`out of order: ${item}`)
    }
    travelling.add(body)
    try {
      const response = await fetch(url, init)
      if (response.ok) for (const item of body) last.set(seriesOf(item), item)
      return response
    } finally {
      travelling.delete(body)
    }
  }
  return { watched, faults }
}

test('whatever an origin does, every item is delivered, rejected or failed, once', async () => {
  const seen = { delivered: 0, rejected: 0, busy: 0 }
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const time = virtualTime()
      const start = time.now()
      const { fetch, got, open } = scriptedFetch(time, (request, nth) => {
        if (request.body.length > given.takes) return { status: 413 }
        return given.script[nth % given.script.length]!
      })
      const { watched, faults } = watchSeries(fetch)
      const { halve, made } = halver()
      const payloads = given.pieces.map((items, i) =>
        payloadOf(items, seriesOf(items[0]!) === seriesOf(given.pieces[i - 1]?.at(-1) ?? -1)),
      )
      const errors: unknown[] = []
      const ctx = {
        ...sendContext(time, watched, { subrequests: subrequests(given.limit) }),
        inFlight: given.inFlight,
        halve,
        unexpected: (error: unknown) => void errors.push(error),
      }
      const origin = originConfig({ onMisconfigured: given.onMisconfigured })
      const result = await time.run(deliver(origin, payloads, ctx))

      const { delivered, rejected, failed } = result
      expect(addCounts(addCounts(delivered, rejected), failed)).toEqual(countsOf(payloads))
      const expected = failed.samples > 0 ? 'busy' : rejected.samples > 0 ? 'rejected' : 'delivered'
      expect(result.worst).toBe(expected)
      expect(result.messages.length > 0).toBe(expected !== 'delivered')
      expect(result.bytesOut).toBe(got.reduce((sum, { body }) => sum + body.length, 0))
      expect(got.length).toBeLessThanOrEqual(given.limit)
      expect(open.most).toBeLessThanOrEqual(given.inFlight)
      expect([...payloads, ...made].every((payload) => payload.released())).toBe(true)
      expect(time.now() - start).toBeLessThanOrEqual(8000)
      expect(time.pending()).toBe(0)
      expect(faults).toEqual([])
      expect(errors).toEqual([])
      seen[result.worst]++
    }),
    { seed: 20261130, numRuns: 400 },
  )
  // All kinds of ends were met, so the identity was not held trivially.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(10)
})
