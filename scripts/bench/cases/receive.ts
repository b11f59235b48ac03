import { create, toBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import type { Config } from '../../../src/config/types.ts'
import { WriteRequestSchema } from '../../../src/wire/gen/prometheus_pb.js'
import { benchConfig } from '../bench-config.ts'
import type { BenchCase, Ways } from '../case.ts'
import { LARGE_SERIES, largeValues } from '../large-values.ts'
import { plainPush } from '../plain-push.ts'
import { FIRST_STAMP } from '../shape.ts'
import { answerAtOnce, requestOf, wholePath } from '../whole-path.ts'

const MIB = 1024 * 1024
const LARGE_VALUE = 10 * MIB

/** What differs between the two: the origin's answer, and so Sluice's. */
const ANSWERS = [
  { suffix: '', origin: 204, sluice: 204 },
  // The sender's mistake: it is not to send that again.
  { suffix: '/conflict', origin: 409, sluice: 400 },
]

/**
 * The requests of the benchmark of Thanos Receive, their series known, from a request to an answered fetch: many series with ten labels of under 1 KB together, and
 * ten series with a value of 10 MB each.
 */
export const receiveCases: readonly BenchCase[] = ANSWERS.flatMap(({ suffix, ...answers }) => [
  ...[500, 5000].map((n): BenchCase => {
    const make = () => ways(benchConfig({ rules: 'none', samplesPerSend: n }), typical(n), answers)
    return { name: `receive/${n}${suffix}`, items: n, unit: 'series', make }
  }),
  {
    name: `receive/large-values${suffix}`,
    items: (LARGE_SERIES * LARGE_VALUE) / 1024,
    unit: 'KiB',
    make: () => ways(largeConfig(), largeValues(LARGE_VALUE, FIRST_STAMP), answers, LARGE),
  },
])

function ways(
  config: Config,
  body: Uint8Array,
  answers: { readonly origin: number; readonly sluice: number },
  layout: { readonly table?: number; readonly budget?: number } = {},
): Ways {
  const request = requestOf(body)
  const fetch = answerAtOnce(answers.origin)
  const { push } = wholePath(config, { ...layout, fetch, expected: answers.sluice })
  const plain = plainPush(config, { fetch, expected: answers.origin })
  return { sluice: { run: () => push(request) }, plain: { run: () => plain(request) } }
}

/** Ten labels, names of 31 bytes and values of about 55. */
function typical(n: number): Uint8Array {
  const timeseries = Array.from({ length: n }, (_, s) => ({
    labels: [
      { name: '__name__', value: 'test_metric' },
      ...Array.from({ length: 9 }, (_, i) => ({
        name: `${'abcdefghij'.repeat(3)}${i}`,
        value: `${'abcdefghij'.repeat(5)}${s}_${i}`,
      })),
    ],
    samples: [{ value: s, timestamp: BigInt(FIRST_STAMP) }],
  }))
  const request = create(WriteRequestSchema, { timeseries })
  return SnappyJS.compress(toBinary(WriteRequestSchema, request))
}

/** Bytes: no isolate has as much. The table holds all values twice over. */
const LARGE = { table: 320 * MIB, budget: 320 * MIB }

/** Limits beyond those that a config may have. */
function largeConfig(): Config {
  const config = benchConfig({ rules: 'none' })
  const [origin] = config.origins
  const most = LARGE_SERIES * LARGE_VALUE + MIB
  return {
    ...config,
    limits: { ...config.limits, decoded: most, labelValue: LARGE_VALUE },
    origins: [{ ...origin, maxBytesPerSend: most }],
  }
}
