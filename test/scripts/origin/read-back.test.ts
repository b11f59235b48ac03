import { create, toBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { queryAnswer } from '../../../scripts/origin/query.ts'
import { parseSelector } from '../../../scripts/origin/selector.ts'
import { valueText } from '../../../scripts/value-text.ts'
import { compareBytes } from '../../../src/relabel/byte-order.ts'
import { ExportMetricsServiceRequestSchema } from '../../../src/wire/gen/opentelemetry_pb.js'
import { plainJson } from '../../otlp/write-json.ts'
import { bytes1, bytes2, bytesOtlp, found, KINDS, type MessageOtlp, T } from './requests.ts'

/** Labels and samples, each 1 ms after the one before it. */
interface Series {
  readonly labels: Readonly<Record<string, string>>
  readonly values: readonly number[]
}

const STALE = new DataView(Uint8Array.of(0x7f, 0xf0, 0, 0, 0, 0, 0, 2).buffer).getFloat64(0)
const RUNS = { seed: 42, numRuns: 60 }
const word = fc.stringMatching(/^[a-z]{1,4}$/)
const value = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .filter((text) => text.isWellFormed())
const series: fc.Arbitrary<Series> = fc.record({
  labels: fc
    .dictionary(word, value, { maxKeys: 5 })
    .chain((labels) => word.map((name) => ({ ...labels, __name__: name }))),
  values: fc.array(fc.oneof(fc.double(), fc.integer(), fc.constant(STALE)), {
    minLength: 1,
    maxLength: 9,
  }),
})
const request = fc.uniqueArray(series, {
  maxLength: 8,
  selector: ({ labels }) => JSON.stringify(pairsOf(labels)),
})

function pairsOf(labels: Series['labels']): [string, string][] {
  return Object.entries(labels).sort(([a], [b]) => compareBytes(a, b))
}

const timed = (values: readonly number[]) =>
  values.map((value, i) => ({ value, timestamp: BigInt(T + i) }))

function message1(all: readonly Series[]): Uint8Array {
  return bytes1({
    timeseries: all.map(({ labels, values }) => ({
      labels: pairsOf(labels).map(([name, value]) => ({ name, value })),
      samples: timed(values),
    })),
  })
}

function message2(all: readonly Series[]): Uint8Array {
  const symbols = [...new Set(['', ...all.flatMap(({ labels }) => pairsOf(labels).flat())])]
  return bytes2({
    symbols,
    timeseries: all.map(({ labels, values }) => ({
      labelsRefs: pairsOf(labels)
        .flat()
        .map((text) => symbols.indexOf(text)),
      samples: timed(values),
    })),
  })
}

function otlp(all: readonly Series[]): MessageOtlp {
  const metrics = all.map(({ labels: { __name__, ...labels }, values }) => ({
    name: __name__!,
    data: {
      case: 'gauge' as const,
      value: {
        dataPoints: timed(values).map(({ value, timestamp }) => ({
          timeUnixNano: timestamp * 1_000_000n,
          attributes: Object.entries(labels).map(([key, text]) => ({
            key,
            value: { value: { case: 'stringValue' as const, value: text } },
          })),
          value: { case: 'asDouble' as const, value },
        })),
      },
    },
  }))
  return { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }
}

const json = (all: readonly Series[]) =>
  Buffer.from(plainJson(create(ExportMetricsServiceRequestSchema, otlp(all))))

/** JSON has one NaN only. */
const withoutMarkers = (all: readonly Series[]) =>
  all.map(({ labels, values }) => ({
    labels,
    values: values.map((value) => (Number.isNaN(value) ? Number.NaN : value)),
  }))

test.each([
  ['remote write 1.0', KINDS.remotewrite1, message1],
  ['remote write 2.0', KINDS.remotewrite2, message2],
  ['OTLP', KINDS.otlp, (all: readonly Series[]) => bytesOtlp(otlp(all))],
  ['OTLP as JSON', KINDS.json, (all: readonly Series[]) => json(withoutMarkers(all))],
] as const)('what %s wrote is read back the same', (name, kind, write) => {
  fc.assert(
    fc.property(request, (all) => {
      const { store, codes, came } = found(kind, write(all))
      expect(codes).toEqual([])
      expect(came.samples).toBe(all.reduce((sum, { values }) => sum + values.length, 0))
      const answer = [...queryAnswer(store, parseSelector('{__name__=~".+"}[1m]'), T + 100)].join(
        '',
      )
      const sent = name === 'OTLP as JSON' ? withoutMarkers(all) : all
      expect(linesOf(JSON.parse(answer).data.result)).toEqual(
        linesOf(
          sent.map(({ labels, values }) => ({
            metric: labels,
            values: values.map((value, i) => [(T + i) / 1000, valueText(value)]),
          })),
        ),
      )
    }),
    RUNS,
  )
})

function linesOf(result: readonly { metric: Series['labels']; values: unknown }[]): string[] {
  return result.map(({ metric, values }) => JSON.stringify([pairsOf(metric), values])).sort()
}

test('whatever bytes come, they are read or told, and nothing is thrown', () => {
  const message = message2([{ labels: { __name__: 'up', job: 'a' }, values: [1, 2] }])
  const spoilt = fc
    .tuple(
      fc.constantFrom(
        message,
        message1([{ labels: { __name__: 'up' }, values: [1] }]),
        toBinary(
          ExportMetricsServiceRequestSchema,
          create(
            ExportMetricsServiceRequestSchema,
            otlp([{ labels: { __name__: 'up' }, values: [1] }]),
          ),
        ),
      ),
      fc.array(fc.tuple(fc.nat(120), fc.nat(255)), { maxLength: 6 }),
    )
    .map(([bytes, changes]) => {
      const changed = Uint8Array.from(bytes)
      for (const [at, byte] of changes) changed[at % changed.length] = byte
      return changed
    })
  fc.assert(
    fc.property(fc.oneof(spoilt, fc.uint8Array({ maxLength: 60 })), (bytes) => {
      for (const kind of Object.values(KINDS)) {
        const { store, came } = found(kind, bytes)
        expect(store.points).toBeLessThanOrEqual(came.samples + came.histograms)
        expect(() =>
          JSON.parse([...queryAnswer(store, parseSelector('{}[1m]'), T)].join('')),
        ).not.toThrow()
      }
    }),
    { seed: 7, numRuns: 1500 },
  )
})
