import { fromBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { metricMetadata } from '../../src/series/metric-metadata.ts'
import { MetricMetadataSchema } from '../../src/wire/gen/prometheus_pb.js'

/** As protobuf-es reads it: type, family, unit. */
function read(type: number, name: string, unit: string) {
  const bytes = metricMetadata({ type, name, unit })
  if (bytes === undefined) return undefined
  const read = fromBinary(MetricMetadataSchema, bytes)
  return [read.type, read.metricFamilyName, read.unit, read.help]
}

test.each<[number, string, string, unknown]>([
  [1, 'requests_total', '', [1, 'requests_total', '', '']],
  [3, 'latency_seconds', 'seconds', [3, 'latency_seconds', 'seconds', '']],
  [2, 'ü'.repeat(200), 'ü', [2, 'ü'.repeat(200), 'ü', '']],
  [2, 'm'.repeat(65_535), '', [2, 'm'.repeat(65_535), '', '']],
  [2, 'm'.repeat(65_536), '', undefined],
  [2, 'g', 'u'.repeat(2000), [2, 'g', '', '']],
  [2, '', '', undefined],
])('metadata of type %i', (type, name, unit, want) => {
  expect(read(type, name, unit)).toEqual(want)
})
