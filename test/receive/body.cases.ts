import { describe, expect, it } from 'vitest'
import { type ReadBodyOptions, readBody } from '../../src/receive/body.ts'
import { createMemoryBudget } from '../../src/receive/memory-budget.ts'
import { refusalOf } from './refusal.ts'

const limit = 100_000

/** Bytes that tell their place, so that none is lost, doubled or out of order unnoticed. */
function pattern(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 0xff)
}

/**
 * A stream of `pattern(length)` in chunks of `size`. After them it closes, breaks, or says nothing
 * more.
 */
function streamOf(length: number, size: number, end: 'close' | 'break' | 'stall' = 'close') {
  const bytes = pattern(length)
  let at = 0
  let cancelled = false
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await Promise.resolve()
      if (at < length) {
        controller.enqueue(bytes.slice(at, at + size))
        at += size
      } else if (end === 'close') controller.close()
      else if (end === 'break') controller.error(new Error('connection lost'))
      else await new Promise(() => undefined)
    },
    cancel() {
      cancelled = true
    },
  })
  return {
    stream,
    get cancelled() {
      return cancelled
    },
  }
}

function post(body: BodyInit | undefined, declared?: number | string): Request {
  const request = new Request('https://sluice.test/api/v1/write', {
    method: 'POST',
    ...(body !== undefined && { body }),
    // Node wants to be told that the answer may come first; workerd does not know the word.
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  })
  if (declared === undefined) request.headers.delete('content-length')
  else request.headers.set('content-length', String(declared))
  return request
}

function setUp(more: Partial<ReadBodyOptions> & { budget?: number } = {}) {
  const budget = createMemoryBudget(more.budget ?? 1_000_000)
  const lease = budget.reserve(0)!
  const options: ReadBodyOptions = { limit, lease, deadline: 5_000, ...more }
  return { budget, lease, options }
}

/** The cases of readBody that hold on every platform. */
export function describeReadBody(): void {
  describe('bodies that arrive whole', () => {
    const cases: [name: string, length: number, size: number, declared: boolean][] = [
      ['declared, in one piece', 50_000, 50_000, true],
      ['declared, in many', 50_000, 1_000, true],
      ['declared, at the limit', limit, 4_096, true],
      ['declared, one byte', 1, 1, true],
      ['declared, empty', 0, 1, true],
      ['chunked, in one piece', 50_000, 50_000, false],
      ['chunked, in many', 50_000, 1_000, false],
      ['chunked, byte by byte', 3_000, 1, false],
      ['chunked, at the limit', limit, 4_096, false],
      ['chunked, at the limit in one piece', limit, limit, false],
      ['chunked, one byte', 1, 1, false],
      ['chunked, empty', 0, 1, false],
    ]
    it.each(cases)('%s', async (_, length, size, declared) => {
      const { budget, lease, options } = setUp()
      const { stream } = streamOf(length, size)
      const body = await readBody(post(stream, declared ? length : undefined), options)
      expect(Buffer.compare(body, pattern(length))).toBe(0)
      expect(body.buffer.byteLength).toBe(length)
      expect(budget.used).toBe(length)
      lease.release()
      expect(budget.used).toBe(0)
    })

    it('no body at all', async () => {
      const { budget, options } = setUp()
      expect(await readBody(post(undefined), options)).toEqual(new Uint8Array(0))
      expect(await readBody(post(undefined, 0), options)).toEqual(new Uint8Array(0))
      expect(budget.used).toBe(0)
    })

    it('bytes given, no stream', async () => {
      const { options } = setUp()
      expect(await readBody(post(pattern(10), 10), options)).toEqual(pattern(10))
      expect(await readBody(post(pattern(10)), options)).toEqual(pattern(10))
    })
  })

  describe('bodies that do not', () => {
    type Case = [
      name: string,
      body: ReturnType<typeof streamOf>,
      declared: number | string | undefined,
      status: number,
      code: string,
    ]
    const cases: Case[] = [
      ['declared over the limit', streamOf(0, 1), limit + 1, 413, 'body_too_large'],
      ['chunked over the limit', streamOf(limit + 1, 1_000), undefined, 413, 'body_too_large'],
      ['chunked without end', streamOf(1e6, 5_000, 'stall'), undefined, 413, 'body_too_large'],
      [
        'one chunk over the limit',
        streamOf(limit + 1, limit + 1),
        undefined,
        413,
        'body_too_large',
      ],
      ['shorter than declared', streamOf(99, 10), 100, 503, 'body_cut_off'],
      ['longer than declared', streamOf(101, 10), 100, 400, 'body_length'],
      ['a length that is none', streamOf(1, 1), 'ten', 400, 'bad_content_length'],
      ['declared and broken off', streamOf(50, 10, 'break'), 100, 503, 'body_cut_off'],
      ['chunked and broken off', streamOf(50, 10, 'break'), undefined, 503, 'body_cut_off'],
      ['chunked and broken off at once', streamOf(0, 10, 'break'), undefined, 503, 'body_cut_off'],
      ['declared and stalled', streamOf(50, 10, 'stall'), 100, 503, 'body_timeout'],
      ['chunked and stalled', streamOf(50, 10, 'stall'), undefined, 503, 'body_timeout'],
    ]
    it.each(cases)('%s', async (_, { stream }, declared, status, code) => {
      const { budget, options } = setUp({ deadline: code === 'body_timeout' ? 50 : 5_000 })
      const error = await refusalOf(() => readBody(post(stream, declared), options))
      expect([error.status, error.code]).toEqual([status, code])
      expect(budget.used).toBe(0)
    })

    it('a chunked body that is given up is told so', async () => {
      const stalled = streamOf(50, 10, 'stall')
      const { options } = setUp({ deadline: 20 })
      await refusalOf(() => readBody(post(stalled.stream), options))
      expect(stalled.cancelled).toBe(true)
    })

    it.each([100, undefined])('an abort ends the read (declared: %s)', async (declared) => {
      const controller = new AbortController()
      const { budget, lease, options } = setUp({ signal: controller.signal })
      const { stream } = streamOf(50, 10, 'stall')
      setTimeout(() => {
        expect(lease.bytes).toBeGreaterThan(0)
        controller.abort()
      }, 20)
      const error = await refusalOf(() => readBody(post(stream, declared), options))
      expect([error.status, error.code]).toEqual([503, 'body_aborted'])
      expect(budget.used).toBe(0)
    })

    it('a request that was aborted before is not read', async () => {
      const { options } = setUp({ signal: AbortSignal.abort() })
      const { stream } = streamOf(50, 10, 'stall')
      expect((await refusalOf(() => readBody(post(stream), options))).code).toBe('body_aborted')
    })
  })

  describe('the memory budget', () => {
    const cases: [name: string, declared: number | undefined][] = [
      ['declared', 50_000],
      ['chunked', undefined],
    ]
    it.each(cases)('%s over what is left: 503 that says when', async (_, declared) => {
      const { budget, lease, options } = setUp({ budget: 40_000 })
      lease.grow(5_000)
      const { stream } = streamOf(50_000, 1_000)
      const error = await refusalOf(() => readBody(post(stream, declared), options))
      expect([error.status, error.code, error.retryAfter]).toEqual([503, 'memory_budget', 1])
      expect(budget.used).toBe(5_000)
    })

    it('chunks of one byte cost no more than the body', async () => {
      const { budget, options } = setUp({ budget: 16 * 1024 })
      await readBody(post(streamOf(10_000, 1).stream), options)
      expect(budget.used).toBe(10_000)
    })

    it('a chunk that comes together with the abort is not paid for', async () => {
      const paid: number[] = []
      const controller = new AbortController()
      const budget = createMemoryBudget(1_000_000, { onChange: (used) => paid.push(used) })
      const options = { limit, lease: budget.reserve(0)!, deadline: 5_000 }
      let send = (_: Uint8Array): void => undefined
      const stream = new ReadableStream<Uint8Array>({
        start: (source) => {
          send = (chunk) => source.enqueue(chunk)
        },
      })
      const reading = refusalOf(() =>
        readBody(post(stream), { ...options, signal: controller.signal }),
      )
      await new Promise((resolve) => setTimeout(resolve, 10))
      controller.abort()
      send(pattern(100))
      expect((await reading).code).toBe('body_aborted')
      await new Promise((resolve) => setTimeout(resolve, 10))
      expect(paid).toEqual([])
    })
  })
}
