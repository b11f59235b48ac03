import { describe, expect, test } from 'vitest'
import { configWith, NOW, Sluice } from './harness.ts'
import { request, Symbols, sample2 } from './message2.ts'
import {
  attributes,
  counter,
  exponential,
  gauge,
  nanos,
  point,
  requestOf,
  T,
} from './otlp-request.ts'

// What is written anew of series that ingress rules drop goes nowhere, so it must not use the room up: megabytes of it, where there are two.

const RULES = 'relabel_configs: [{source_labels: [__name__], regex: "h.*", action: drop}]'
const N = 3000
const value = { case: 'asDouble' as const, value: 1 }
const labels = attributes({ k: 'x'.repeat(100) })
const exemplars = Array.from({ length: 20 }, () => ({
  timeUnixNano: nanos(T),
  value,
  filteredAttributes: labels,
}))
const bucketCounts = Array.from({ length: 400 }, (_, i) => (i % 2 ? 2_000_000_014n : 0n))
const one = { count: 200n * 2_000_000_014n, positive: { offset: 0, bucketCounts } }

function remoteWrite2(): Uint8Array {
  const symbols = new Symbols()
  const many = Array.from({ length: 20 }, (_, i) =>
    symbols.exemplar({ k: 'x'.repeat(100) }, i, NOW + i),
  ).flat()
  const series = (name: string) => [...symbols.labels([['__name__', name]]), ...sample2(1, NOW)]
  const dropped = Array.from({ length: N }, (_, i) => [...series(`h${i}`), ...many])
  return request(symbols, [...dropped, series('g')])
}

describe.each([
  ['1.0', ''],
  ['2.0', 'protobuf_message: io.prometheus.write.v2.Request, '],
])('to an origin of %s', (_, message) => {
  test.each([
    {
      what: 'exemplars of 2.0',
      protocol: 'remotewrite2' as const,
      body: remoteWrite2,
      dropped: { samples: N, exemplars: 20 * N },
    },
    {
      what: 'exemplars of OTLP',
      protocol: 'otlp' as const,
      body: () => {
        const metrics = Array.from({ length: N }, (_, i) =>
          counter(`h${i}`, point(1, { exemplars })),
        )
        return requestOf(...metrics, gauge('g', point(1)))
      },
      dropped: { samples: N, exemplars: 20 * N },
    },
    {
      what: 'exponential histograms',
      protocol: 'otlp' as const,
      body: () => {
        const points = Array.from({ length: N }, () => one)
        return requestOf(exponential('h', ...points), gauge('g', point(1)))
      },
      dropped: { histograms: N },
    },
  ])('dropped $what cost their neighbour nothing', ({ protocol, body, dropped }) => {
    const origin = `${message}metadata_config: {send: false}`
    const { batch } = new Sluice(configWith('[]', { sluice: RULES, origin })).run(
      body(),
      0,
      protocol,
    )
    expect(batch.dropped).toMatchObject(dropped)
    expect(batch.rejected).toEqual([])
    expect(batch.cargos[0]!.pieces.map(({ counts }) => counts.samples)).toEqual([1])
  })
})

test('an exponential histogram that is larger than all the room is rejected alone', () => {
  const counts = Array.from({ length: 400_000 }, (_, i) => (i % 2 ? 2n ** 42n : 0n))
  const large = { count: 200_000n * 2n ** 42n, positive: { bucketCounts: counts } }
  const exemplar = { timeUnixNano: nanos(T), value }
  const { batch } = new Sluice(configWith()).run(
    requestOf(
      gauge('before', point(1)),
      exponential('e', { ...large, exemplars: [exemplar] }, { ...one, attributes: labels }),
      gauge('after', point(1)),
    ),
    0,
    'otlp',
  )
  expect(batch.points).toMatchObject({
    received: 4,
    rejected: [{ code: 'too_many_buckets', count: 1 }],
  })
  expect(batch.refusals).toEqual([expect.stringMatching(/^metric "e" has .*2 MiB$/)])
  expect(batch.received).toMatchObject({ samples: 2, histograms: 1, exemplars: 0 })
})
