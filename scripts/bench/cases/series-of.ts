import { create, toBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import { WriteRequestSchema } from '../../../src/wire/gen/prometheus_pb.js'
import { benchConfig } from '../bench-config.ts'
import type { BenchCase, Work } from '../case.ts'
import { plainWay } from '../plain.ts'
import { inProcess } from '../section.ts'
import { FIRST_STAMP } from '../shape.ts'

const SIZES = [100, 1000, 10_000, 100_000]
/** Milliseconds from one sample to the next. */
const INTERVAL = 15_000

/** The same samples as one series, and as a series each; all are known. Four labels: 100,000 series must fit a body. */
export const seriesOfCases: readonly BenchCase[] = [
  ...SIZES.map((n): BenchCase => {
    return { name: `series-of/${n}`, items: n, unit: 'sample', make: () => ways(n, oneSeries(n)) }
  }),
  ...SIZES.map((n): BenchCase => {
    const make = () => ways(n, distinctSeries(n))
    return { name: `series-of/${n}/distinct`, items: n, unit: 'sample', make }
  }),
]

function ways(n: number, body: Uint8Array): { sluice: Work; plain?: Work } {
  const config = benchConfig()
  const { run } = inProcess(config)
  const plain = plainWay(config.origins[0].writeRelabelConfigs)
  run(body)
  if (run(body).missed > 0) throw new Error(`BUG: ${n} series are more than the table holds`)
  return {
    sluice: { run: () => run(body) },
    // It would take seconds for each of the largest.
    ...(n < 100_000 && { plain: { run: () => plain(body) } }),
  }
}

function oneSeries(n: number): Uint8Array {
  const samples = Array.from({ length: n }, (_, i) => sample(i, FIRST_STAMP - (n - i) * INTERVAL))
  return compressed([{ labels: labels(0), samples }])
}

function distinctSeries(n: number): Uint8Array {
  const series = (_: unknown, i: number) => ({
    labels: labels(i),
    samples: [sample(i, FIRST_STAMP)],
  })
  return compressed(Array.from({ length: n }, series))
}

interface Series {
  readonly labels: { name: string; value: string }[]
  readonly samples: { value: number; timestamp: bigint }[]
}

function compressed(timeseries: Series[]): Uint8Array {
  const request = create(WriteRequestSchema, { timeseries })
  return SnappyJS.compress(toBinary(WriteRequestSchema, request))
}

function labels(i: number) {
  return [
    { name: '__name__', value: 'http_requests_total' },
    { name: 'instance', value: `10.0.0.${i % 200}:9090` },
    { name: 'job', value: 'api' },
    { name: 'pod', value: `api-${i}` },
  ]
}

function sample(i: number, time: number) {
  return { value: i * 7.25, timestamp: BigInt(time) }
}
