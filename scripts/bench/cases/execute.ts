import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import {
  MetricMetadata_MetricType,
  WriteRequestSchema,
} from '../../../src/wire/gen/prometheus_pb.js'
import { benchConfig } from '../bench-config.ts'
import { inTurn } from '../bodies.ts'
import type { BenchCase, Ways } from '../case.ts'
import { plainPush } from '../plain-push.ts'
import { FIRST_STAMP } from '../shape.ts'
import { requestOf, wholePath } from '../whole-path.ts'

type Message = MessageInitShape<typeof WriteRequestSchema>

const SIZES = [100, 1000, 10_000]
/** Requests that come in turn, each with a series of its own. */
const REQUESTS = 16

/**
 * The request of the benchmark that the exporter's buffer pools were measured with: one series, `test_metric` and a long label value in many
 * scripts, n samples; and the same with n histograms and metadata. From a request to an answered fetch.
 */
export const executeCases: readonly BenchCase[] = [
  ...SIZES.map((n): BenchCase => {
    return { name: `execute/${n}`, items: n, unit: 'sample', make: () => ways(n, false) }
  }),
  ...SIZES.map((n): BenchCase => {
    const make = () => ways(n, true)
    return { name: `execute/${n}/histograms`, items: 2 * n, unit: 'sample', make }
  }),
]

function ways(n: number, histograms: boolean): Ways {
  // One payload each, as from the plain way: no origin's limit cuts it.
  const config = benchConfig({ rules: 'none', samplesPerSend: 1_000_000 })
  const requests = Array.from({ length: REQUESTS }, (_, i) => {
    const bytes = toBinary(
      WriteRequestSchema,
      create(WriteRequestSchema, message(i, n, histograms)),
    )
    return requestOf(SnappyJS.compress(bytes))
  })
  const { push } = wholePath(config)
  const plain = plainPush(config)
  const [ours, theirs] = [inTurn(requests), inTurn(requests)]
  return { sluice: { run: () => push(ours()) }, plain: { run: () => plain(theirs()) } }
}

const SCRIPTS = 'ετικέτα метка תווית بطاقة लेबल 标签 ラベル 라벨 ป้ายชื่อ etikett '

function message(i: number, n: number, histograms: boolean): Message {
  const digits = String(i).repeat(16)
  const labels = [
    { name: '__name__', value: 'test_metric' },
    { name: `test_label_name_${digits}`, value: `test_label_value_${digits} ${SCRIPTS.repeat(8)}` },
  ]
  const times = Array.from({ length: n }, (_, k) => BigInt(FIRST_STAMP - (n - k) * 1000))
  const samples = times.map((timestamp, k) => ({ value: i * n + k, timestamp }))
  if (!histograms) return { timeseries: [{ labels, samples }] }
  return {
    timeseries: [{ labels, samples, histograms: times.map(histogram) }],
    metadata: [
      {
        type: MetricMetadata_MetricType.COUNTER,
        metricFamilyName: 'test_metric',
        unit: 's',
        help: 'test_metric_help',
      },
    ],
  }
}

function histogram(timestamp: bigint, k: number) {
  return {
    timestamp,
    count: { case: 'countInt' as const, value: BigInt(3 * k + 1) },
    zeroCount: { case: 'zeroCountInt' as const, value: BigInt(k) },
    sum: k,
    schema: 0,
    zeroThreshold: 0.001,
    positiveSpans: [{ offset: 0, length: 2 }],
    positiveDeltas: [BigInt(k), 1n],
  }
}
