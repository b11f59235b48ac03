import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { compress } from 'snappyjs'
import { describe, expect, it, vi } from 'vitest'
import type { SeriesList } from '../../src/embedded/recent-series.ts'
import type { EmbeddedOrigin } from '../../src/embedded/store.ts'
import { gauge, type SentSeries, writeRequest } from './write-request.ts'

const HEADERS = {
  'Content-Type': 'application/x-protobuf',
  'Content-Encoding': 'snappy',
  'X-Prometheus-Remote-Write-Version': '0.1.0',
}

/** An embedded origin of its own for each test. */
function newOrigin() {
  const namespace = (env as { EMBEDDED: DurableObjectNamespace<EmbeddedOrigin> }).EMBEDDED
  const id = namespace.newUniqueId()
  const stub = () => namespace.get(id)
  return {
    id,
    stub,
    async write(body: BodyInit, headers: Record<string, string> = HEADERS) {
      const answer = await stub().fetch('http://embedded/api/v1/write', {
        method: 'POST',
        headers,
        body,
      })
      return { status: answer.status, text: await answer.text(), headers: answer.headers }
    },
    async send(...series: SentSeries[]) {
      const { status } = await this.write(writeRequest(series))
      expect(status).toBe(204)
    },
    async list(query = ''): Promise<SeriesList> {
      const answer = await stub().fetch(`http://embedded/series?${query}`)
      expect(answer.status).toBe(200)
      return answer.json()
    },
  }
}

/** Bytes that no compressor makes smaller. */
function noise(length: number): string {
  let state = 1
  const letters = new Uint8Array(length)
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    letters[i] = 33 + ((state >>> 16) % 90)
  }
  return new TextDecoder().decode(letters)
}

describe('the embedded origin', () => {
  it('lists what was written to it', async () => {
    const origin = newOrigin()
    const now = Date.now()
    await origin.send(gauge({ __name__: 'up', job: 'node' }, 1, now - 5000))
    await origin.send(gauge({ __name__: 'http_requests_total', code: '200' }, 12.5, now))
    const list = await origin.list()
    expect(list.series).toMatchObject([
      { name: 'http_requests_total', labels: { code: '200' }, value: '12.5', timestamp: now },
      { name: 'up', labels: { job: 'node' }, value: '1', timestamp: now - 5000 },
    ])
    expect(list.series[1]?.age).toBeGreaterThanOrEqual(5)
    expect(list.series[1]?.age).toBeLessThan(15)
    expect(list.stored.requests).toBe(2)
    expect(list.scanned).toMatchObject({ requests: 2, series: 2, samples: 2, unreadable: 0 })
    expect((await origin.list('name=UP&limit=1')).series).toMatchObject([{ name: 'up' }])
  })

  it('stores the body as it came, one row a request', async () => {
    const origin = newOrigin()
    const body = writeRequest([gauge({ __name__: 'up' }, 1)])
    expect((await origin.write(body)).status).toBe(204)
    await runInDurableObject(origin.stub(), (_, { storage }) => {
      const rows = storage.sql.exec('SELECT part, body FROM requests').toArray()
      expect(rows).toEqual([{ part: 0, body: body.buffer }])
    })
  })

  it('has it still after it was evicted', async () => {
    const origin = newOrigin()
    await origin.send(gauge({ __name__: 'up' }, 1))
    await evictDurableObject(origin.stub())
    const list = await origin.list()
    expect(list.series).toMatchObject([{ name: 'up' }])
    expect(list.stored.requests).toBe(1)
  })

  it('splits a body over rows of at most 1 MiB and reads it whole', async () => {
    const origin = newOrigin()
    const body = writeRequest([gauge({ __name__: 'large', pad: noise(2_500_000) }, 7)])
    expect(body.byteLength).toBeGreaterThan(2_000_000)
    expect((await origin.write(body)).status).toBe(204)
    await origin.send(gauge({ __name__: 'small' }, 1))
    const { series, stored } = await origin.list()
    expect(series.map(({ name }) => name)).toEqual(['small', 'large'])
    expect(stored.requests).toBe(2)
    await runInDurableObject(origin.stub(), (_, { storage }) => {
      const rows = storage.sql.exec('SELECT length(body) AS n FROM requests').toArray()
      expect(rows.map(({ n }) => Number(n) <= 1024 * 1024)).toEqual([true, true, true, true])
    })
  })

  it('keeps stale markers apart from other NaNs', async () => {
    const origin = newOrigin()
    // WriteRequest { TimeSeries { Label { __name__, x }, Sample { stale marker } } }
    const bytes = [
      0x0a,
      26,
      0x0a,
      13,
      0x0a,
      8,
      ...new TextEncoder().encode('__name__'),
      0x12,
      1,
      0x78,
    ]
    bytes.push(0x12, 9, 9, 2, 0, 0, 0, 0, 0, 0xf0, 0x7f)
    expect((await origin.write(compress(Uint8Array.from(bytes)))).status).toBe(204)
    await origin.send(gauge({ __name__: 'y' }, Number.NaN))
    const { series } = await origin.list()
    expect(series.map(({ name, value }) => [name, value])).toEqual([
      ['y', 'NaN'],
      ['x', 'stale'],
    ])
  })

  it('shows count and sum of a native histogram', async () => {
    const origin = newOrigin()
    const histograms = [
      { count: { case: 'countInt' as const, value: 3n }, sum: 4.5, timestamp: 1n },
    ]
    await origin.send({ labels: { __name__: 'h' }, histograms })
    expect((await origin.list()).series).toMatchObject([
      { value: 'count 3, sum 4.5', histogram: { count: '3', sum: '4.5' } },
    ])
  })

  it('counts a hostile body it stored, and lists the rest', async () => {
    const origin = newOrigin()
    await origin.send(gauge({ __name__: 'before' }, 1))
    expect(
      (await origin.write(Uint8Array.from([1, 0xfc, 0xfa, 0xff, 0xff, 0xff, 0, 0]))).status,
    ).toBe(204)
    expect((await origin.write(Uint8Array.from([10, 0, 65]))).status).toBe(204)
    await origin.send(gauge({ __name__: 'after' }, 1))
    const { series, scanned } = await origin.list()
    expect(series.map(({ name }) => name)).toEqual(['after', 'before'])
    expect(scanned).toMatchObject({ requests: 4, unreadable: 2 })
  })
})

describe('the embedded origin refuses', () => {
  const body = () => writeRequest([gauge({ __name__: 'up' }, 1)])

  it.each<[string, number, BodyInit, Record<string, string>]>([
    ['another media type', 415, body(), { ...HEADERS, 'Content-Type': 'application/json' }],
    [
      'remote write 2.0',
      415,
      body(),
      { ...HEADERS, 'Content-Type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request' },
    ],
    ['gzip', 415, body(), { ...HEADERS, 'Content-Encoding': 'gzip' }],
    ['zstd', 415, body(), { ...HEADERS, 'Content-Encoding': 'zstd' }],
    ['an empty body', 400, '', HEADERS],
    ['a preamble without an end', 400, Uint8Array.from([0x80, 0x80, 0x80, 0x80, 0x80, 1]), HEADERS],
    ['a body over 4 MiB', 413, new Uint8Array(4 * 1024 * 1024 + 1), HEADERS],
    ['a body that claims more than 8 MiB', 413, Uint8Array.from([0x81, 0x80, 0x80, 4]), HEADERS],
  ])('%s with %i', async (_, status, refused, headers) => {
    const origin = newOrigin()
    const answer = await origin.write(refused, headers)
    expect(answer.status).toBe(status)
    expect(answer.text).not.toBe('')
    expect((await origin.list()).stored).toEqual({ requests: 0, bytes: 0 })
  })

  it.each([
    ['GET', '/api/v1/write', 405],
    ['POST', '/series', 405],
    ['GET', '/series?limit=0', 400],
    ['GET', '/other', 404],
  ])('%s %s with %i', async (method, path, status) => {
    const answer = await newOrigin().stub().fetch(`http://embedded${path}`, { method })
    expect(answer.status).toBe(status)
    expect(await answer.text()).not.toBe('')
  })

  it('to say it stored what SQLite did not take', async () => {
    const origin = newOrigin()
    await runInDurableObject(origin.stub(), (_, { storage }) => {
      storage.sql.exec('DROP TABLE requests')
    })
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const answer = await origin.write(body())
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(answer.text).not.toMatch(/sql/i)
    expect(log).toHaveBeenCalledOnce()
    log.mockRestore()
  })
})
