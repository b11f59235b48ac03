import { describe, expect, it } from 'vitest'
import { readBody } from '../../src/receive/body.ts'
import { createMemoryBudget } from '../../src/receive/memory-budget.ts'
import { describeReadBody } from './body.cases.ts'
import { refusalOf } from './refusal.ts'

describeReadBody()

describe("workerd's own streams", () => {
  function fixed(declared: number, chunks: readonly number[], end: 'close' | 'abort') {
    const { readable, writable } = new FixedLengthStream(declared)
    const write = async (): Promise<void> => {
      const writer = writable.getWriter()
      for (const size of chunks) await writer.write(new Uint8Array(size).fill(size))
      await (end === 'close' ? writer.close() : writer.abort(new Error('gone')))
    }
    const request = new Request('https://sluice.test/', { method: 'POST', body: readable })
    // What a stream of known length is sent with.
    request.headers.set('content-length', String(declared))
    const written = write().catch(() => 'the reader or the length said no')
    return { request, written }
  }

  it('a body of known length is read whole', async () => {
    const budget = createMemoryBudget(1000)
    const options = { limit: 1000, lease: budget.reserve(0)!, deadline: 5000 }
    const { request, written } = fixed(60, [10, 20, 30], 'close')
    const body = await readBody(request, options)
    await written
    expect(body).toEqual(new Uint8Array(60).fill(10, 0, 10).fill(20, 10, 30).fill(30, 30))
    expect(budget.used).toBe(60)
  })

  it.each(['close', 'abort'] as const)('a sender who stops early (%s) gets 503', async (end) => {
    const budget = createMemoryBudget(1000)
    const options = { limit: 1000, lease: budget.reserve(0)!, deadline: 5000 }
    const { request, written } = fixed(60, [10, 20], end)
    const error = await refusalOf(() => readBody(request, options))
    await written
    expect([error.status, error.code]).toEqual([503, 'body_cut_off'])
    expect(budget.used).toBe(0)
  })
})
