import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import type { Ruleset } from '../../src/relabel/compile.ts'
import { LabelPair } from '../../src/relabel/label-pair.ts'
import { LabelSet } from '../../src/relabel/label-set.ts'
import {
  LabelSchema,
  type TimeSeries,
  WriteRequestSchema,
} from '../../src/wire/gen/prometheus_pb.js'

/**
 * The plain way, which the benchmarks compare with: snappyjs and protobuf-es, the rules run on objects, one series after the other. A body to a
 * body. It trusts what it decodes, as only a benchmark may.
 */
export function plainWay(body: Uint8Array, rules: Ruleset): Uint8Array {
  const request = fromBinary(WriteRequestSchema, new Uint8Array(SnappyJS.uncompress(body)))
  const labels = new LabelSet()
  const timeseries: TimeSeries[] = []
  for (const series of request.timeseries) {
    labels.clear()
    for (const { name, value } of series.labels) labels.push(new LabelPair(name, value))
    if (rules.apply(labels) >= 0) continue
    labels.sortByBytes()
    series.labels = []
    for (let i = 0; i < labels.length; i++) {
      const { name, value } = labels.pairs[i]
      series.labels.push(create(LabelSchema, { name, value }))
    }
    timeseries.push(series)
  }
  request.timeseries = timeseries
  return new Uint8Array(SnappyJS.compress(toBinary(WriteRequestSchema, request)))
}
