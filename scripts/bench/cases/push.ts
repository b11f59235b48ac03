import { create, toBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import { WriteRequestSchema } from '../../../src/wire/gen/prometheus_pb.js'
import { benchConfig } from '../bench-config.ts'
import type { BenchCase, Ways } from '../case.ts'
import { plainPush } from '../plain-push.ts'
import { FIRST_STAMP } from '../shape.ts'
import { requestOf, wholePath } from '../whole-path.ts'

/** Points of the pushes that one operation has under way at a time. */
const SIZES = [10_000, 137, 5210, 2500, 33, 7800, 900, 4100]

/**
 * Pushes of very different size, every point a series of its own, all under way at once through the one workspace: what shared batch state
 * was measured with. Known: the series have been there before. New: none has.
 */
export const pushCases: readonly BenchCase[] = (['known', 'new'] as const).map((state) => ({
  name: `push/varying/${state}`,
  items: SIZES.reduce((sum, n) => sum + n, 0),
  unit: 'series',
  make: () => ways(state),
}))

function ways(state: 'known' | 'new'): Ways {
  const config = benchConfig({ rules: 'none', samplesPerSend: 1_000_000 })
  const requests = SIZES.map((n, i) => requestOf(body(n, i)))
  const { push, empty } = wholePath(config)
  const plain = plainPush(config)
  return {
    sluice: {
      before: state === 'new' ? empty : undefined,
      run: () => Promise.all(requests.map(push)),
    },
    plain: { run: () => Promise.all(requests.map(plain)) },
  }
}

function body(n: number, push: number): Uint8Array {
  const timeseries = Array.from({ length: n }, (_, i) => ({
    labels: [
      { name: '__name__', value: 'test_metric' },
      { name: 'job', value: 'bench' },
      { name: 'point', value: `${push}-${i}` },
    ],
    samples: [{ value: i, timestamp: BigInt(FIRST_STAMP) }],
  }))
  return SnappyJS.compress(toBinary(WriteRequestSchema, create(WriteRequestSchema, { timeseries })))
}
