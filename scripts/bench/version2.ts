import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import { WriteRequestSchema } from '../../src/wire/gen/prometheus_pb.js'
import { RequestSchema } from '../../src/wire/gen/prometheus-write-v2_pb.js'

/** A body of remote write 1.0 as one of 2.0: the same series in the same order, their labels' symbols as they come. Both are in snappy. */
export function version2Of(body: Uint8Array): Uint8Array {
  const message = fromBinary(WriteRequestSchema, new Uint8Array(SnappyJS.uncompress(body)))
  const refs = new Map([['', 0]])
  const refOf = (text: string) => {
    const known = refs.get(text) ?? refs.size
    refs.set(text, known)
    return known
  }
  const timeseries = message.timeseries.map(({ labels, samples }) => ({
    labelsRefs: labels.flatMap(({ name, value }) => [refOf(name), refOf(value)]),
    samples: samples.map(({ value, timestamp }) => ({ value, timestamp })),
  }))
  const request = create(RequestSchema, { symbols: [...refs.keys()], timeseries })
  return SnappyJS.compress(toBinary(RequestSchema, request))
}
