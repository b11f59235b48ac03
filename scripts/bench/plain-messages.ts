import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { WriteRequestSchema } from '../../src/wire/gen/prometheus_pb.js'
import { RequestSchema } from '../../src/wire/gen/prometheus-write-v2_pb.js'
import type { PlainLabels } from './plain.ts'

/** A series as an object would hold it. */
export interface Plain {
  readonly labels: PlainLabels
  readonly samples: readonly { readonly value: number; readonly timestamp: bigint }[]
}

/** Reads remote write 1.0 with protobuf-es. */
export function readPlain1(message: Uint8Array): Plain[] {
  return fromBinary(WriteRequestSchema, message).timeseries.map(({ labels, samples }) => ({
    labels: new Map(labels.map(({ name, value }) => [name, value])),
    samples,
  }))
}

/** Reads remote write 2.0 with protobuf-es. */
export function readPlain2(message: Uint8Array): Plain[] {
  const { symbols, timeseries } = fromBinary(RequestSchema, message)
  return timeseries.map(({ labelsRefs, samples }) => {
    const labels: PlainLabels = new Map()
    for (let i = 0; i < labelsRefs.length; i += 2) {
      labels.set(symbols[labelsRefs[i]!]!, symbols[labelsRefs[i + 1]!]!)
    }
    return { labels, samples }
  })
}

/** Writes remote write 1.0 with protobuf-es. */
export function writePlain1(series: readonly Plain[]): Uint8Array {
  const timeseries = series.map(({ labels, samples }) => ({
    labels: sorted(labels).map(([name, value]) => ({ name, value })),
    samples: samples.map(({ value, timestamp }) => ({ value, timestamp })),
  }))
  return toBinary(WriteRequestSchema, create(WriteRequestSchema, { timeseries }))
}

/** Writes remote write 2.0 with protobuf-es. */
export function writePlain2(series: readonly Plain[]): Uint8Array {
  const refs = new Map([['', 0]])
  const refOf = (text: string) => {
    const known = refs.get(text)
    if (known !== undefined) return known
    refs.set(text, refs.size)
    return refs.size - 1
  }
  const timeseries = series.map(({ labels, samples }) => ({
    labelsRefs: sorted(labels).flatMap(([name, value]) => [refOf(name), refOf(value)]),
    samples: samples.map(({ value, timestamp }) => ({ value, timestamp })),
  }))
  return toBinary(RequestSchema, create(RequestSchema, { symbols: [...refs.keys()], timeseries }))
}

function sorted(labels: PlainLabels): [string, string][] {
  return [...labels].filter(([, value]) => value !== '').sort(([a], [b]) => (a < b ? -1 : 1))
}
