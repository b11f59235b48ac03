import { zstdDecompressSync } from 'node:zlib'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import type { Counts } from '../src/deliver/payload.ts'
import type { Protocol } from '../src/deliver/protocol.ts'
import {
  HistogramSchema,
  SampleSchema,
  type WriteRequest,
  WriteRequestSchema,
} from '../src/wire/gen/prometheus_pb.js'
import * as v2 from '../src/wire/gen/prometheus-write-v2_pb.js'

/** A request body as a receiver reads it. */
export interface Opened {
  readonly protocol: Protocol
  /** Not compressed. */
  readonly raw: Uint8Array
  /** What a message of 2.0 says is here too, as far as 1.0 can say it. */
  readonly message: WriteRequest
  /** Where it is one of 2.0. */
  readonly v2?: v2.Request
}

const PROTOCOLS: ReadonlyMap<string, Protocol> = new Map([
  ['application/x-protobuf snappy 0.1.0 -', { message: 1, compression: 'snappy' }],
  ['application/x-protobuf zstd - 1', { message: 1, compression: 'zstd' }],
  [
    'application/x-protobuf;proto=io.prometheus.write.v2.Request snappy 2.0.0 -',
    { message: 2, compression: 'snappy' },
  ],
])

/** Reads a body by its headers, to the letter of the specifications: throws where they do not agree, or a rule is broken. */
export function openPayload(headers: Headers, body: Uint8Array): Opened {
  const said = [
    'Content-Type',
    'Content-Encoding',
    'X-Prometheus-Remote-Write-Version',
    'X-VictoriaMetrics-Remote-Write-Version',
  ].map((name) => headers.get(name) ?? '-')
  const protocol = PROTOCOLS.get(said.join(' '))
  if (protocol === undefined) throw new Error(`no protocol has the headers ${said.join(' ')}`)
  const raw = new Uint8Array(
    protocol.compression === 'zstd' ? zstdDecompressSync(body) : SnappyJS.uncompress(body),
  )
  if (protocol.message === 1) return { protocol, raw, message: fromBinary(WriteRequestSchema, raw) }
  const request = fromBinary(v2.RequestSchema, raw)
  checkRequest(request)
  return { protocol, raw, message: asWriteRequest(request), v2: request }
}

/** What a receiver counts of a message. */
export function countsIn({
  timeseries,
}: Pick<WriteRequest, 'timeseries'>): Omit<Counts, 'metadata'> {
  const all = (kind: 'samples' | 'histograms' | 'exemplars') =>
    timeseries.reduce((sum, one) => sum + one[kind].length, 0)
  return { samples: all('samples'), histograms: all('histograms'), exemplars: all('exemplars') }
}

/** What a sender of 2.0 must keep to (spec 2.2). */
function checkRequest({ symbols, timeseries }: v2.Request): void {
  if (symbols[0] !== '') throw new Error('the first symbol is not empty')
  if (new Set(symbols).size !== symbols.length) throw new Error('a symbol is there twice')
  for (const { labelsRefs, samples, histograms, exemplars, metadata } of timeseries) {
    const refs = [labelsRefs, ...exemplars.map((exemplar) => exemplar.labelsRefs)]
    for (const list of refs) if (list.length % 2 !== 0) throw new Error('refs are odd in number')
    const all = [...refs.flat(), metadata?.helpRef ?? 0, metadata?.unitRef ?? 0]
    if (all.some((ref) => ref >= symbols.length)) throw new Error('a ref leads out of the symbols')
    const names = labelsRefs.filter((_, i) => i % 2 === 0).map((ref) => symbols[ref]!)
    const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    if (names.join('\0') !== sorted.join('\0')) throw new Error(`labels are not sorted: ${names}`)
    if (!names.includes('__name__')) throw new Error('a series has no name')
    if (samples.length > 0 === histograms.length > 0) {
      throw new Error('a series has both samples and histograms, or neither')
    }
  }
}

function asWriteRequest({ symbols, timeseries }: v2.Request): WriteRequest {
  const labelsOf = (refs: readonly number[]) =>
    Array.from({ length: refs.length / 2 }, (_, i) => ({
      name: symbols[refs[2 * i]!]!,
      value: symbols[refs[2 * i + 1]!]!,
    }))
  return create(WriteRequestSchema, {
    timeseries: timeseries.map(({ labelsRefs, samples, histograms, exemplars }) => ({
      labels: labelsOf(labelsRefs),
      // The same bytes mean the same, but for start timestamps.
      samples: samples.map((one) => fromBinary(SampleSchema, toBinary(v2.SampleSchema, one))),
      histograms: histograms.map((one) =>
        fromBinary(HistogramSchema, toBinary(v2.HistogramSchema, one)),
      ),
      exemplars: exemplars.map(({ labelsRefs, value, timestamp }) => ({
        labels: labelsOf(labelsRefs),
        value,
        timestamp,
      })),
    })),
  })
}
