import { expect, test } from 'vitest'
import { configWith, NOW, Sluice } from './harness.ts'
import { type Bytes, double, field, message, text, varint } from './message.ts'

// Data points of OTLP are counted in the piece that has their first row, whatever version goes out: an answer counts by them.

const nanos = (ms: number): Bytes => [
  ...varint((3 << 3) | 1),
  ...new Uint8Array(BigUint64Array.of(BigInt(ms) * 1_000_000n).buffer),
]
const gauge = (name: string, ...times: number[]) =>
  field(2, [
    ...text(1, name),
    ...field(
      5,
      times.flatMap((time) => field(1, [...nanos(time), ...double(4, 1)])),
    ),
  ])
const body = (...metrics: Bytes[]) => message(field(1, field(2, metrics.flat())))

test.each([
  ['1.0', ''],
  ['2.0', 'protobuf_message: io.prometheus.write.v2.Request, '],
])('pieces of %s have each data point once, also of series that are merged', (_, version) => {
  const origin = `${version}queue_config: {max_samples_per_send: 4}`
  const sluice = new Sluice(configWith('[]', { origin, otlp: 'target_info: false' }))
  const times = [0, 1, 2].map((i) => NOW - 1000 + i)
  const { batch } = sluice.run(
    body(
      ...Array.from({ length: 6 }, (_, i) => gauge(`m${i}`, times[0]!)),
      gauge('twice', ...times),
      gauge('twice', ...times.map((time) => time + 10)),
    ),
    0,
    'otlp',
  )
  expect(batch.points!.received).toBe(12)
  const { pieces } = batch.cargos[0]!
  expect(pieces.map(({ points }) => points)).toEqual(pieces.map(({ counts }) => counts.samples))
  expect(pieces.reduce((sum, { points }) => sum + points, 0)).toBe(12)
  expect(pieces.length).toBeGreaterThan(2)
})
