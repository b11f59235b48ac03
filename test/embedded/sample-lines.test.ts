import { create, toBinary } from '@bufbuild/protobuf'
import { uncompress } from 'snappyjs'
import { describe, expect, it } from 'vitest'
import { sampleLines } from '../../src/embedded/sample-lines.ts'
import { TimeSeriesSchema } from '../../src/wire/gen/prometheus_pb.js'
import { gauge, type SentSeries, writeRequest } from './write-request.ts'

const ALL = { label: '', value: '' }

/** The lines of a page of bodies that came one after the other, and its end. */
function page(
  bodies: readonly Uint8Array[],
  query: { label: string; value: string } = ALL,
  after = 0,
) {
  const requests = bodies.map((body, i) => ({ id: after + i + 1, begins: after + i + 1, body }))
  const text = [...sampleLines(requests, (body) => uncompress(body), { ...query, after }, after)]
  expect(text.every((line) => line.endsWith('\n') && line.indexOf('\n') === line.length - 1)).toBe(
    true,
  )
  const lines = text.map((line) => JSON.parse(line))
  return { lines: lines.slice(0, -1), end: lines.at(-1) }
}
const sent = (...series: SentSeries[]) => writeRequest(series)

describe('sampleLines', () => {
  it('are the series as they came, what came twice twice', () => {
    const body = sent(
      gauge({ __name__: 'up', job: 'a' }, 1.5, 1000),
      gauge({ __name__: 'x' }, -0, 5),
    )
    const { lines, end } = page([body, body], ALL, 3)
    const up = { labels: { __name__: 'up', job: 'a' }, samples: [[1000, '1.5']] }
    const x = { labels: { __name__: 'x' }, samples: [[5, '-0']] }
    expect(lines).toEqual([up, x, up, x])
    expect(end).toEqual({ after: 5, requests: 2, dropped: false, unreadable: 0 })
  })

  it('are those of the series with the label', () => {
    const body = sent(
      gauge({ __name__: 'a', run: '1' }, 1),
      gauge({ __name__: 'b', run: '2' }, 2),
      gauge({ __name__: 'c', other: '1' }, 3),
    )
    expect(page([body], { label: 'run', value: '1' }).lines.map(({ labels }) => labels)).toEqual([
      { __name__: 'a', run: '1' },
    ])
  })

  it('have several points, what native histograms count, and stale markers', () => {
    const stale = new Uint8Array([0x12, 9, 9, 2, 0, 0, 0, 0, 0, 0xf0, 0x7f])
    const marker = toBinary(
      TimeSeriesSchema,
      create(TimeSeriesSchema, { labels: [{ name: '__name__', value: 'm' }] }),
    )
    const message = Uint8Array.of(0x0a, marker.length + stale.length, ...marker, ...stale)
    const body = sent({
      labels: { __name__: 'h' },
      samples: [
        { value: 1, timestamp: 1n },
        { value: Number.NaN, timestamp: 2n },
      ],
      histograms: [
        { count: { case: 'countInt', value: 2n ** 60n }, sum: 1, timestamp: 3n },
        { count: { case: 'countFloat', value: 2.5 }, sum: 1, timestamp: 2n ** 62n },
      ],
    })
    const requests = [
      { id: 1, begins: 1, body },
      { id: 2, begins: 2, body: message },
    ]
    const decode = (given: Uint8Array) => (given === message ? message : uncompress(given))
    const [h, m] = [...sampleLines(requests, decode, { ...ALL, after: 0 }, 0)]
    expect(h).toBe(
      '{"labels":{"__name__":"h"},"samples":[[1,"1"],[2,"NaN"]],"histograms":[[3,"1152921504606846976"],[4611686018427387904,"2.5"]]}\n',
    )
    expect(m).toBe('{"labels":{"__name__":"m"},"samples":[[0,"stale"]]}\n')
  })

  it('keep labels that JSON must escape, one line each', () => {
    const labels = { __name__: 'a', text: 'line\nbreak "quoted" \u2028 \\' }
    expect(page([sent(gauge(labels, 1))]).lines[0].labels).toEqual(labels)
  })

  it('count what can not be read, and go on behind it', () => {
    const { lines, end } = page([Uint8Array.of(10, 0, 65), sent(gauge({ __name__: 'after' }, 1))])
    expect(lines).toHaveLength(1)
    expect(end).toMatchObject({ after: 2, requests: 2, unreadable: 1, problem: expect.any(String) })
  })

  it('say where the next page begins when there is nothing', () => {
    expect(page([], ALL, 9).end).toEqual({ after: 9, requests: 0, dropped: false, unreadable: 0 })
  })

  it('say that requests were dropped', () => {
    const body = sent(gauge({ __name__: 'a' }, 1))
    const lines = sampleLines([{ id: 9, begins: 8, body }], uncompress, { ...ALL, after: 4 }, 4)
    expect(JSON.parse([...lines].at(-1)!)).toMatchObject({ dropped: true, after: 9 })
  })
})
