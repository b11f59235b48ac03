import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import type { Config } from '../../src/config/types.ts'
import {
  type ExponentialHistogramDataPoint,
  type ExportMetricsServiceRequest,
  ExportMetricsServiceRequestSchema,
} from '../../src/wire/gen/opentelemetry_pb.js'
import { HistogramSchema, RequestSchema } from '../../src/wire/gen/prometheus-write-v2_pb.js'
import { Workspace } from '../../src/workspace.ts'
import { kernelModule } from '../kernel/load.ts'
import { seeded } from '../kernel/raw.ts'
import { type Native, native, said } from './exponential-model.ts'
import { configWith, Sluice } from './harness.ts'
import { bitsOf } from './otlp-output.ts'
import { attributes, type ExponentialPoint, exponential, nanos, T } from './otlp-request.ts'
import { fieldsOf, scramble } from './otlp-scramble.ts'

// Exponential histograms by chance to an origin of 2.0, through tables that turn over and pieces of few points: what comes out is what the model says.

type Next = (n: number) => number
type Side = ExponentialPoint['positive']

const MAX = 2 ** 31 - 1
const SCALES = [-5, -4, -1, 0, 3, 7, 8, 9, 10, 13, 20, 39, 40, 41, MAX]
const THRESHOLDS = [0, -0, -1, Number.NaN, 0.001, 1, 5e-324, 1e-128]

function anySide(next: Next): Side {
  const large = [1, 1, 1, 2 ** 31, 2 ** 31, 2 ** 54][next(6)]!
  const density = next(4)
  const length = [0, 1, 3, 20, 200][next(5)]!
  // Long runs of empty buckets, too, and nothing but empty ones.
  const count = () =>
    density === 0 || next(1 + 4 * next(density)) ? 0n : BigInt(next(300) * large)
  const offset = [next(40) - 20, -next(2 ** 31) - 1, MAX - next(220), 0][next(5) % 4]!
  return { offset, bucketCounts: Array.from({ length }, count) }
}

function anyPoint(next: Next): ExponentialPoint {
  const [positive, negative] = [anySide(next), anySide(next)]
  const zeroCount = next(2) ? BigInt(next(4)) : 0n
  const point: ExponentialPoint = {
    attributes: attributes(next(2) ? { k: `v${next(3)}` } : {}),
    timeUnixNano: nanos(T - 1000 * next(3)) + BigInt(next(1_000_000)),
    startTimeUnixNano: next(3) ? nanos(T - 90_000) + 999_999n : BigInt(next(1_000_000)),
    scale: SCALES[next(SCALES.length)]!,
    zeroCount,
    zeroThreshold: THRESHOLDS[next(THRESHOLDS.length)]!,
    flags: next(8) ? 2 * next(2) : 1,
    ...(next(5) && { sum: next(6) ? next(900) / 8 - 40 : Number.NaN }),
    ...(next(6) && { positive }),
    ...(next(2) ? { negative } : {}),
  }
  const counts = [point.positive, point.negative].flatMap((side) => side?.bucketCounts ?? [])
  const all = counts.reduce((sum, n) => sum + n, zeroCount)
  const count = all + (next(10) ? 0n : BigInt(next(3) - 1))
  return { ...point, count: BigInt.asUintN(64, count) }
}

function anyRequest(next: Next): ExportMetricsServiceRequest {
  const metrics = Array.from({ length: 1 + next(3) }, () =>
    exponential(
      ['latency', 'size', 'depth'][next(3)]!,
      ...Array.from({ length: next(8) }, () => anyPoint(next)),
    ),
  )
  return create(ExportMetricsServiceRequestSchema, {
    resourceMetrics: [{ scopeMetrics: [{ metrics }] }],
  })
}

/** By `name,k=value@ms`, of equal ones the last; and the rejected points by reason. */
function expected(request: ExportMetricsServiceRequest) {
  const histograms: Record<string, Native> = {}
  const rejected: Record<string, number> = {}
  const metrics = request.resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) => metrics),
  )
  for (const { name, data } of metrics) {
    const points = data.value!.dataPoints as ExponentialHistogramDataPoint[]
    for (const point of points) {
      const made = native(point)
      if (typeof made === 'string') rejected[made] = (rejected[made] ?? 0) + 1
      else histograms[`${seriesOf(name, point)}@${point.timeUnixNano / 1_000_000n}`] = made
    }
  }
  return { histograms, rejected }
}

function seriesOf(name: string, { attributes: [label] }: ExponentialHistogramDataPoint): string {
  return label === undefined ? name : `${name},k=${label.value!.value.value}`
}

/** What the pieces say, and how many histograms they carry. */
function read(pieces: readonly Uint8Array[]) {
  const histograms: Record<string, Native> = {}
  let carried = 0
  for (const piece of pieces) {
    const { symbols, timeseries } = fromBinary(RequestSchema, piece)
    const raw = fieldsOf(piece).filter(({ number }) => number === 5)
    timeseries.forEach(({ labelsRefs, samples, exemplars, metadata }, i) => {
      const [, name, k, value] = Array.from(labelsRefs, (ref) => symbols[ref])
      expect([samples, exemplars]).toEqual([[], []])
      expect(metadata?.type).toBe(3)
      for (const { payload } of fieldsOf(raw[i]!.payload).filter(({ number }) => number === 3)) {
        const one = fromBinary(HistogramSchema, payload)
        const series = k === undefined ? name : `${name},${k}=${value}`
        histograms[`${series}@${one.timestamp}`] = said(one, sumOf(payload))
        carried++
      }
    })
  }
  return { histograms, carried }
}

function sumOf(histogram: Uint8Array): string {
  const sum = fieldsOf(histogram).find(({ number }) => number === 3)?.payload
  return sum ? Buffer.from(sum).reverse().toString('hex') : bitsOf(0)
}

class Small extends Sluice {
  override readonly workspace: Workspace

  constructor(config: Config, table: number) {
    super(config)
    this.workspace = new Workspace(kernelModule, { table })
  }
}

test.each([
  { how: 'in pieces of many points', table: 3e7, points: 2000, seed: 1 },
  { how: 'in pieces of two', table: 3e7, points: 2, seed: 2 },
  { how: 'through a table that turns over', table: 6000, points: 5, seed: 3 },
])('exponential histograms by chance go to 2.0 as the model says, $how', (how) => {
  const next = seeded(how.seed)
  const origin = `protobuf_message: io.prometheus.write.v2.Request, queue_config: {max_samples_per_send: ${how.points}}`
  const config = configWith('[]', { origin, sluice: 'limits: {subrequests: 10000}' })
  const sluice = new Small(config, how.table)
  const seen = { rejected: 0, stale: 0, merged: 0, negative: 0, empty: 0, wide: 0, turnOvers: 0 }
  for (let round = 0; round < 150; round++) {
    const request = anyRequest(next)
    const want = expected(request)
    const plain = toBinary(ExportMetricsServiceRequestSchema, request)
    for (const body of [plain, scramble(plain, next)]) {
      const { batch, raw } = sluice.run(body, 0, 'otlp')
      const { histograms, carried } = read(raw[0]!)
      expect(histograms, `round ${round}`).toEqual(want.histograms)
      const codes = batch.points!.rejected.map(({ code, count }) => [code, count])
      expect(Object.fromEntries(codes), `round ${round}`).toEqual(want.rejected)
      const [{ superseded, pieces }] = batch.cargos as [(typeof batch.cargos)[0]]
      const counted = pieces.reduce((sum, { counts }) => sum + counts.histograms, 0)
      expect(counted).toBe(carried)
      expect(carried + superseded.histograms).toBe(batch.received.histograms)
      seen.turnOvers += batch.turnOvers
    }
    const made = Object.values(want.histograms)
    seen.rejected += Object.keys(want.rejected).length
    seen.stale += made.filter(({ sum }) => sum === '7ff0000000000002').length
    seen.negative += made.filter(({ negative }) => negative.length > 1).length
    seen.empty += made.filter(({ positive, count }) => count > 0n && positive.length === 0).length
    seen.wide += made.filter(({ zeroThreshold }) => zeroThreshold > 1e-128).length
    seen.merged += made.filter(({ schema }) => schema === 8).length
  }
  const { turnOvers, ...often } = seen
  for (const [what, n] of Object.entries(often)) expect(n, what).toBeGreaterThan(50)
  expect(turnOvers > 20).toBe(how.table < 1e6)
})
