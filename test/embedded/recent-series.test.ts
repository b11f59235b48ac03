import { create, toBinary } from '@bufbuild/protobuf'
import { compress, uncompress } from 'snappyjs'
import { describe, expect, it } from 'vitest'
import { recentSeries, type SeriesQuery } from '../../src/embedded/recent-series.ts'
import { MetricMetadata_MetricType, WriteRequestSchema } from '../../src/wire/gen/prometheus_pb.js'
import { gauge, type SentSeries, writeRequest } from './write-request.ts'

const NOW = 1_700_000_000_000

/** Lists what `requests` (oldest first) hold. */
function list(requests: readonly (readonly SentSeries[])[], query: Partial<SeriesQuery> = {}) {
  const newestFirst = requests.map((sent) => stored(writeRequest(sent))).reverse()
  return recentSeries(newestFirst, decode, { name: '', limit: 100, ...query }, NOW)
}

const decode = (body: Uint8Array) => uncompress(body)
const stored = (body: Uint8Array) => ({ receivedAt: NOW, body })
const names = (found: ReturnType<typeof list>) => found.series.map(({ name }) => name)

describe('recentSeries', () => {
  it('lists series of the newest request first, in the order it has them', () => {
    const found = list([
      [gauge({ __name__: 'old' }, 1)],
      [gauge({ __name__: 'b' }, 2), gauge({ __name__: 'a' }, 3)],
    ])
    expect(names(found)).toEqual(['b', 'a', 'old'])
  })

  it('shows a series once, with the value that arrived last', () => {
    const found = list([
      [gauge({ __name__: 'up', job: 'a' }, 1, NOW - 30_000)],
      [gauge({ __name__: 'up', job: 'b' }, 2, NOW - 20_000)],
      [gauge({ job: 'a', __name__: 'up' }, 3, NOW - 10_000)],
    ])
    expect(found.series).toEqual([
      { name: 'up', labels: { job: 'a' }, value: '3', timestamp: NOW - 10_000, age: 10 },
      { name: 'up', labels: { job: 'b' }, value: '2', timestamp: NOW - 20_000, age: 20 },
    ])
  })

  it('takes the latest point of a series that one request has several times', () => {
    const found = list([
      [gauge({ __name__: 'up' }, 1, NOW), gauge({ __name__: 'up' }, 2, NOW - 1000)],
      [gauge({ __name__: 'down' }, 1, NOW - 1000), gauge({ __name__: 'down' }, 2, NOW)],
    ])
    expect(found.series.map(({ name, value }) => [name, value])).toEqual([
      ['down', '2'],
      ['up', '1'],
    ])
  })

  it('does not confuse label sets whose text runs together alike', () => {
    const found = list([
      [
        gauge({ __name__: 'x', a: 'b,c', d: 'e' }, 1),
        gauge({ __name__: 'x', a: 'b', 'c,d': 'e' }, 2),
      ],
    ])
    expect(found.series).toHaveLength(2)
  })

  it('keeps a label called __proto__', () => {
    const labels = Object.fromEntries([
      ['__name__', 'x'],
      ['__proto__', 'y'],
    ])
    expect(JSON.stringify(list([[gauge(labels, 1)]]).series[0]?.labels)).toBe('{"__proto__":"y"}')
  })

  it('filters by a part of the name, in any case, and counts what it left out', () => {
    const found = list(
      [
        [
          gauge({ __name__: 'http_requests_total', job: 'go' }, 1),
          gauge({ __name__: 'go_goroutines' }, 1),
          gauge({ __name__: 'HTTP_up' }, 1),
        ],
      ],
      { name: 'hTTp' },
    )
    expect(names(found)).toEqual(['http_requests_total', 'HTTP_up'])
    expect(found.scanned.series).toBe(3)
  })

  it('reads no further than the request that fills the limit', () => {
    let taken = 0
    function* requests() {
      for (let i = 0; i < 10; i++) {
        taken++
        yield stored(
          writeRequest([gauge({ __name__: `a${i}` }, 1), gauge({ __name__: `b${i}` }, 1)]),
        )
      }
    }
    const found = recentSeries(requests(), decode, { name: '', limit: 3 }, NOW)
    expect(names(found)).toEqual(['a0', 'b0', 'a1'])
    expect(taken).toBe(2)
    expect(found.scanned).toMatchObject({ requests: 2, series: 4, samples: 4 })
  })

  it('stops when it has decoded enough, whatever the limit', () => {
    const body = writeRequest([gauge({ __name__: 'x', pad: 'p'.repeat(20 * 1024 * 1024) }, 1)])
    const found = recentSeries(
      [1, 2, 3, 4].map(() => stored(body)),
      decode,
      { name: 'no', limit: 1 },
      NOW,
    )
    expect(found.scanned.requests).toBe(2)
  })

  it('stops listing when the labels get long, whatever the limit', () => {
    const long = (i: number) => gauge({ __name__: `x${i}`, pad: 'p'.repeat(512 * 1024) }, 1)
    const found = list([
      [long(0), long(1)],
      [long(2), long(3), long(4), long(5), long(6)],
    ])
    expect(names(found)).toEqual(['x2', 'x3', 'x4', 'x5'])
  })

  it('counts a body it cannot read, says why, and goes on', () => {
    const torn = writeRequest([gauge({ __name__: 'torn' }, 1)]).subarray(0, 5)
    const found = recentSeries(
      [stored(torn), stored(writeRequest([gauge({ __name__: 'whole' }, 1)]))],
      decode,
      { name: '', limit: 10 },
      NOW,
    )
    expect(names(found)).toEqual(['whole'])
    expect(found.scanned).toMatchObject({ requests: 2, unreadable: 1 })
    expect(found.scanned.problem).toMatch(/snappy/i)
  })

  it('passes over metadata and fields it does not know', () => {
    const metadata = [{ metricFamilyName: 'x', type: MetricMetadata_MetricType.GAUGE, help: 'h' }]
    const known = toBinary(WriteRequestSchema, create(WriteRequestSchema, { metadata }))
    const series = uncompress(writeRequest([gauge({ __name__: 'x' }, 1)]))
    const unknown = [0x7a, 2, 1, 2, 0x78, 5]
    const body = compress(Uint8Array.from([...known, ...unknown, ...series, ...unknown]))
    const query = { name: '', limit: 10 }
    const found = recentSeries([stored(new Uint8Array(body))], decode, query, NOW)
    expect(found.series).toMatchObject([{ name: 'x', value: '1' }])
    expect(found.scanned.unreadable).toBe(0)
  })

  it('passes over series that carry exemplars only', () => {
    const exemplars = [{ value: 1, timestamp: 1n, labels: [{ name: 'trace', value: 'x' }] }]
    const found = list([
      [gauge({ __name__: 'x' }, 7, NOW)],
      [{ labels: { __name__: 'x' }, exemplars }],
    ])
    expect(found.series).toMatchObject([{ name: 'x', value: '7' }])
  })
})
