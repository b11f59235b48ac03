import { create, toBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import type { Config } from '../../../src/config/types.ts'
import { WriteRequestSchema } from '../../../src/wire/gen/prometheus_pb.js'
import { benchConfig } from '../bench-config.ts'
import { inTurn } from '../bodies.ts'
import type { BenchCase, Ways } from '../case.ts'
import { plainWay } from '../plain.ts'
import { type InProcess, inProcess } from '../section.ts'
import { FIRST_STAMP } from '../shape.ts'

const SIZES = [100, 1000, 10_000, 100_000]
const MILLION = 1_000_000
/** What a million samples take beyond the default: 18 MB decoded, 500 requests to the origin. */
const RAISED = { body: '16MB', decoded: '24MB', subrequests: 1000 }
/** Milliseconds from one sample to the next. */
const INTERVAL = 15_000

/** Samples of all bodies that come in turn: with a single small one the processor would learn it by heart. */
const IN_TURN = 100_000

/** The same samples as one series, and as a series each; all are known. Four labels: 100,000 series must fit a body. */
export const seriesOfCases: readonly BenchCase[] = [
  ...SIZES.map((n): BenchCase => {
    return { name: `series-of/${n}`, items: n, unit: 'sample', make: () => ways(n, oneSeries) }
  }),
  { name: `series-of/${MILLION}`, items: MILLION, unit: 'sample', make: million },
  ...SIZES.map((n): BenchCase => {
    const make = () => ways(n, distinctSeries)
    return { name: `series-of/${n}/distinct`, items: n, unit: 'sample', make }
  }),
]

function ways(n: number, bodyOf: (n: number, round: number) => Uint8Array): Ways {
  const bodies = Array.from({ length: IN_TURN / n }, (_, round) => bodyOf(n, round))
  const config = benchConfig()
  const [ours, theirs] = [inTurn(bodies), inTurn(bodies)]
  const run = known(config, bodies[0])
  const plain = plainWay(config.origins[0].writeRelabelConfigs)
  return {
    sluice: { run: () => run(ours()) },
    // It would take seconds for each of the largest.
    ...(n < 100_000 && { plain: { run: () => plain(theirs()) } }),
  }
}

function million(): Ways {
  const body = oneSeries(MILLION, 0)
  const run = known(benchConfig({ limits: RAISED }), body)
  return { sluice: { run: () => run(body) } }
}

/** The section under this config, with the body's series in its table. */
function known(config: Config, body: Uint8Array): InProcess['run'] {
  const { run } = inProcess(config)
  run(body)
  if (run(body).missed > 0) throw new Error('BUG: the table does not hold them all')
  return run
}

/** The same series in every round, with other samples. */
function oneSeries(n: number, round: number): Uint8Array {
  const first = FIRST_STAMP - n * INTERVAL
  const samples = Array.from({ length: n }, (_, i) => sample(round * n + i, first + i * INTERVAL))
  return compressed([{ labels: labels(0), samples }])
}

function distinctSeries(n: number, round: number): Uint8Array {
  const series = (_: unknown, i: number) => ({
    labels: labels(i),
    samples: [sample(round * n + i, FIRST_STAMP)],
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
