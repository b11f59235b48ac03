import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import { createFindings, type ProblemCode } from '../../../scripts/origin/problems.ts'
import { createSeriesStore } from '../../../scripts/origin/series-store.ts'
import {
  type Origin,
  type OriginOptions,
  startOrigin,
} from '../../../scripts/origin/start-origin.ts'
import { takeRequest } from '../../../scripts/origin/take-request.ts'
import type { WriteKind } from '../../../scripts/origin/write-kind.ts'
import { ExportMetricsServiceRequestSchema } from '../../../src/wire/gen/opentelemetry_pb.js'
import { WriteRequestSchema } from '../../../src/wire/gen/prometheus_pb.js'
import { RequestSchema } from '../../../src/wire/gen/prometheus-write-v2_pb.js'
import { atEnd } from '../scratch.ts'

export type Message1 = MessageInitShape<typeof WriteRequestSchema>
export type Message2 = MessageInitShape<typeof RequestSchema>
export type MessageOtlp = MessageInitShape<typeof ExportMetricsServiceRequestSchema>

/** A time in the past, milliseconds. */
export const T = 1_700_000_000_000
export const NANOS = BigInt(T) * 1_000_000n

export const KINDS = {
  remotewrite1: { protocol: 'remotewrite1', content: 'protobuf', encoding: 'identity' },
  remotewrite2: { protocol: 'remotewrite2', content: 'protobuf', encoding: 'identity' },
  otlp: { protocol: 'otlp', content: 'protobuf', encoding: 'identity' },
  json: { protocol: 'otlp', content: 'json', encoding: 'identity' },
} as const satisfies Record<string, WriteKind>

export const bytes1 = (message: Message1) =>
  toBinary(WriteRequestSchema, create(WriteRequestSchema, message))
export const bytes2 = (message: Message2) => toBinary(RequestSchema, create(RequestSchema, message))
export const bytesOtlp = (message: MessageOtlp) =>
  toBinary(ExportMetricsServiceRequestSchema, create(ExportMetricsServiceRequestSchema, message))

/** A label list from `name value name value`. */
export const labels = (text: string) => {
  const words = text === '' ? [] : text.split(' ')
  return Array.from({ length: words.length / 2 }, (_, i) => ({
    name: words[2 * i]!,
    value: words[2 * i + 1]!,
  }))
}

/** One series of 1.0 with samples `value@after`. */
export const series1 = (names: string, ...samples: (readonly [number, number])[]) => ({
  labels: labels(names),
  samples: samples.map(([value, after]) => ({ value, timestamp: BigInt(T + after) })),
})

/** What is found in bodies that come one after the other, as `code` or `code xN`, and the store they are in. */
export function found(kind: WriteKind, ...bodies: readonly Uint8Array[]) {
  const store = createSeriesStore()
  const codes: string[] = []
  const messages: string[] = []
  const written = { samples: 0, histograms: 0, exemplars: 0 }
  const came = { samples: 0, histograms: 0, exemplars: 0 }
  for (const [i, body] of bodies.entries()) {
    const findings = createFindings(i + 1, new Set<ProblemCode>())
    takeRequest(kind, body, { store, findings, now: T + 1000, written, came })
    for (const [code, count] of findings.counts)
      codes.push(count === 1 ? code : `${code} x${count}`)
    messages.push(...findings.listed.map(({ where, message }) => `${where}: ${message}`))
  }
  return { store, codes, messages, written, came }
}

/** An origin that ends with the test. */
export async function origin(options: OriginOptions = {}): Promise<Origin> {
  const started = await startOrigin(options)
  atEnd(() => started.stop())
  return started
}

export const HEADERS = {
  remotewrite1: {
    'Content-Type': 'application/x-protobuf',
    'Content-Encoding': 'snappy',
    'X-Prometheus-Remote-Write-Version': '0.1.0',
    'User-Agent': 'test',
  },
  remotewrite2: {
    'Content-Type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
    'Content-Encoding': 'snappy',
    'X-Prometheus-Remote-Write-Version': '2.0.0',
    'User-Agent': 'test',
  },
} as const

export const snappy = (bytes: Uint8Array) => new Uint8Array(SnappyJS.compress(bytes))

/** Sends a message of 1.0; `after` makes its sample another one. */
export function push1({ url }: Origin, after = 0, name = 'up'): Promise<Response> {
  const body = snappy(bytes1({ timeseries: [series1(`__name__ ${name}`, [1, after])] }))
  return fetch(`${url}/api/v1/write`, { method: 'POST', headers: HEADERS.remotewrite1, body })
}

/** What a query's answer says. */
export async function ask({ url }: Origin, query: string, time?: number) {
  const parameters = new URLSearchParams({ query, ...(time && { time: String(time / 1000) }) })
  const answer = await fetch(`${url}/api/v1/query?${parameters}`)
  const said = (await answer.json()) as { data?: Data; error?: string; errorType?: string }
  return { ...said, status: answer.status }
}

interface Data {
  readonly resultType: string
  readonly result: readonly Record<string, unknown>[]
}
