import { create, toBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import { WriteRequestSchema } from '../../src/wire/gen/prometheus_pb.js'

/** Series of the request. */
export const LARGE_SERIES = 10
const WORD = 'abcdefghij'

/**
 * A request of remote write 1.0 in snappy with ten series of one sample each, each with a label value of `bytes` bytes that differs in its first one only: as the benchmark of
 * Thanos Receive has it.
 */
export function largeValues(bytes: number, timestamp: number): Uint8Array {
  const rest = WORD.repeat(Math.ceil(bytes / WORD.length)).slice(0, bytes - 1)
  const timeseries = Array.from({ length: LARGE_SERIES }, (_, i) => ({
    labels: [
      { name: '__name__', value: 'test_metric' },
      { name: 'long', value: `${i}${rest}` },
    ],
    samples: [{ value: i, timestamp: BigInt(timestamp) }],
  }))
  const request = create(WriteRequestSchema, { timeseries })
  return SnappyJS.compress(toBinary(WriteRequestSchema, request))
}
