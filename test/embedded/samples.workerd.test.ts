import { env, runInDurableObject } from 'cloudflare:test'
import { compress } from 'snappyjs'
import { describe, expect, it } from 'vitest'
import { openRequestLog, type RequestLog } from '../../src/embedded/request-log.ts'
import type { EmbeddedOrigin } from '../../src/embedded/store.ts'
import { gauge, type SentSeries, writeRequest } from './write-request.ts'

const HEADERS = {
  'Content-Type': 'application/x-protobuf',
  'Content-Encoding': 'snappy',
  'X-Prometheus-Remote-Write-Version': '0.1.0',
}
const namespace = (env as { EMBEDDED: DurableObjectNamespace<EmbeddedOrigin> }).EMBEDDED

/** An embedded origin of its own. */
function newOrigin() {
  const stub = namespace.get(namespace.newUniqueId())
  return {
    stub,
    async send(...series: SentSeries[]) {
      const body = writeRequest(series)
      const init = { method: 'POST', headers: HEADERS, body }
      expect((await stub.fetch('http://embedded/api/v1/write', init)).status).toBe(204)
    },
    async page(query = '') {
      const answer = await stub.fetch(`http://embedded/samples?${query}`)
      expect(answer.status).toBe(200)
      // workerd warns of text() where the type is none of text.
      const text = new TextDecoder().decode(await answer.arrayBuffer())
      expect(text.endsWith('\n')).toBe(true)
      const lines = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      return { lines: lines.slice(0, -1), end: lines.at(-1) }
    },
  }
}

describe('GET /samples of the embedded origin', () => {
  it('gives all that is stored, page after page, in the order it came', async () => {
    const origin = newOrigin()
    for (let i = 0; i < 70; i++) await origin.send(gauge({ __name__: 'n', run: 'a' }, i, i))
    await origin.send(gauge({ __name__: 'n', run: 'b' }, 1, 1))
    const query = 'label=run&value=a'
    const first = await origin.page(query)
    expect(first.end).toEqual({ after: 64, requests: 64, dropped: false, unreadable: 0 })
    const second = await origin.page(`${query}&after=${first.end.after}`)
    expect(second.end).toMatchObject({ after: 71, requests: 7 })
    const values = [...first.lines, ...second.lines].map(({ samples }) => samples[0][1])
    expect(values).toEqual(Array.from({ length: 70 }, (_, i) => String(i)))
    expect((await origin.page(`${query}&after=71`)).end).toMatchObject({ after: 71, requests: 0 })
  })

  it('begins behind what is there with after=newest', async () => {
    const origin = newOrigin()
    expect((await origin.page('after=newest')).end).toMatchObject({ after: 0, requests: 0 })
    await origin.send(gauge({ __name__: 'a' }, 1))
    const { end } = await origin.page('after=newest')
    expect(end).toMatchObject({ after: 1, requests: 0 })
    await origin.send(gauge({ __name__: 'b' }, 2))
    expect((await origin.page(`after=${end.after}`)).lines).toMatchObject([
      { labels: { __name__: 'b' } },
    ])
  })

  it('sends a page that is much larger than its requests in pieces, whole', async () => {
    const origin = newOrigin()
    const series = Array.from({ length: 20_000 }, (_, i) =>
      gauge({ __name__: `m_${i}`, pad: 'x'.repeat(60) }, i, i),
    )
    await origin.send(...series)
    await origin.send(...series)
    const { lines } = await origin.page()
    expect(lines).toHaveLength(40_000)
    expect(lines[39_999].samples).toEqual([[19_999, '19999']])
  })

  it('passes over a body that is not sound', async () => {
    const origin = newOrigin()
    const init = { method: 'POST', headers: HEADERS, body: compress(Uint8Array.of(10, 200, 1)) }
    expect((await origin.stub.fetch('http://embedded/api/v1/write', init)).status).toBe(204)
    await origin.send(gauge({ __name__: 'a' }, 1))
    const { lines, end } = await origin.page()
    expect(lines).toHaveLength(1)
    expect(end).toMatchObject({ requests: 2, unreadable: 1 })
  })

  it.each([
    ['POST', '', 405],
    ['GET', '?after=x', 400],
  ])('refuses %s %s with %i', async (method, query, status) => {
    const answer = await newOrigin().stub.fetch(`http://embedded/samples${query}`, { method })
    expect(answer.status).toBe(status)
  })
})

describe('a request log read from a cursor', () => {
  const withLog = (work: (log: RequestLog) => void) =>
    runInDurableObject(namespace.get(namespace.newUniqueId()), (_, { storage }) =>
      work(openRequestLog(storage, { bytes: 1000, requests: 8, bytesPerRow: 100 })),
    )
  const body = (byte: number, length = 10) => new Uint8Array(length).fill(byte).buffer
  const shape = (log: RequestLog, after: number, requests = 100, bytes = 1e6) =>
    log
      .after(after, requests, bytes)
      .map(({ id, begins, body }) => [begins, id, body[0], body.length])

  it('gives whole requests, also those of several rows', () =>
    withLog((log) => {
      expect([log.newestId(), shape(log, 0)]).toEqual([0, []])
      log.append(body(1), 1)
      log.append(body(2, 250), 1)
      log.append(body(3), 1)
      expect(shape(log, 0)).toEqual([
        [1, 1, 1, 10],
        [2, 4, 2, 250],
        [5, 5, 3, 10],
      ])
      expect(shape(log, 1)).toEqual([
        [2, 4, 2, 250],
        [5, 5, 3, 10],
      ])
      expect(shape(log, 4)).toEqual([[5, 5, 3, 10]])
      expect(shape(log, 2)).toEqual([[5, 5, 3, 10]])
      expect(log.newestId()).toBe(5)
    }))

  it('stops at so many requests and bytes, after one at least', () =>
    withLog((log) => {
      for (let i = 1; i <= 4; i++) log.append(body(i, 100), 1)
      expect(shape(log, 0, 2)).toHaveLength(2)
      expect(shape(log, 0, 100, 1)).toHaveLength(1)
      expect(shape(log, 0, 100, 101)).toHaveLength(2)
    }))

  it('shows by its ids that older ones had to go', () =>
    withLog((log) => {
      for (let i = 1; i <= 9; i++) log.append(body(i), 1)
      expect(shape(log, 0)[0]).toEqual([2, 2, 2, 10])
      expect(log.newestId()).toBe(9)
    }))
})
