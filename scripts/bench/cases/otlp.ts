import { gunzipSync, gzipSync } from 'node:zlib'
import { fromBinary, fromJson, toBinary, toJsonString } from '@bufbuild/protobuf'
import { defaultOtlp } from '../../../src/config/otlp.ts'
import { protobufFromJson } from '../../../src/otlp/protobuf-from-json.ts'
import type { LabelPair } from '../../../src/relabel/label-pair.ts'
import { createTranslator } from '../../../src/translate/translator.ts'
import {
  ExportMetricsServiceRequestSchema,
  KeyValueSchema,
  ResourceSchema,
} from '../../../src/wire/gen/opentelemetry_pb.js'
import { benchConfig } from '../bench-config.ts'
import { inTurn } from '../bodies.ts'
import type { BenchCase, Ways } from '../case.ts'
import {
  HISTOGRAM_SERIES,
  otlpHistograms,
  otlpRequests,
  POINTS_PER_REQUEST,
} from '../otlp-shape.ts'
import { plainConversion } from '../plain-conversion.ts'
import { plainLabels } from '../plain-otlp.ts'
import { inProcess } from '../section.ts'

/** So many requests come in turn. */
const REQUESTS = 10
const HISTOGRAM_REQUESTS = 3
const MOST = 64 * 1024 * 1024

/** From a message to compressed payloads. */
export const otlpCases: readonly BenchCase[] = [
  ...(['warm', 'new'] as const).map((state): BenchCase => {
    const make = () => ways(otlpRequests(REQUESTS, 1), state)
    return { name: `otlp/${state}`, items: POINTS_PER_REQUEST, unit: 'sample', make }
  }),
  {
    name: 'otlp/histograms',
    items: HISTOGRAM_SERIES,
    unit: 'sample',
    make: () => ways(otlpHistograms(HISTOGRAM_REQUESTS), 'warm'),
  },
]

/** What is in other rooms than that. */
export const otlpStageCases: readonly BenchCase[] = [
  { name: 'labels/createAttributes', items: 1, unit: 'series', make: createAttributes },
  { name: 'otlp/json', items: POINTS_PER_REQUEST, unit: 'sample', make: json },
  { name: 'otlp/gunzip', items: POINTS_PER_REQUEST, unit: 'sample', make: gunzip },
]

function ways(bodies: readonly Uint8Array[], state: 'warm' | 'new'): Ways {
  const config = benchConfig()
  const { run, empty } = inProcess(config, 'otlp')
  const plain = plainConversion(config, 'otlp')
  const [ours, theirs] = [inTurn(bodies), inTurn(bodies)]
  for (const body of bodies) run(body)
  if (run(bodies[0]!).missed > 0) throw new Error('BUG: the table does not hold them all')
  return {
    sluice: { before: state === 'new' ? empty : undefined, run: () => run(ours()) },
    plain: { run: () => plain(theirs()) },
  }
}

/** The attributes of a data point to a set of labels: when it is met for the first time. A known point's are never looked at. */
function createAttributes(): Ways {
  const request = fromBinary(ExportMetricsServiceRequestSchema, otlpRequests(1, 1)[0]!)
  const [{ resource, scopeMetrics }] = request.resourceMetrics as [
    (typeof request.resourceMetrics)[0],
  ]
  const { data } = scopeMetrics[0]!.metrics[0]!
  const points = data.case === 'sum' ? data.value.dataPoints : []
  const translator = createTranslator(defaultOtlp)
  const from = translator.resource(toBinary(ResourceSchema, resource!))
  const bytes = points.map(({ attributes }) => attributes.map((a) => toBinary(KeyValueSchema, a)))
  const identity = new Map([
    ['job', 'checkout'],
    ['instance', 'checkout-0-0'],
  ])
  const into: LabelPair[] = []
  const [ours, theirs] = [inTurn(bytes), inTurn(points)]
  return {
    sluice: {
      run: () =>
        translator.labels(
          from,
          undefined,
          ours().map((attribute) => translator.attribute(attribute)),
          into,
        ),
    },
    plain: { run: () => plainLabels(theirs().attributes, identity) },
  }
}

function json(): Ways {
  const texts = otlpRequests(2, 1).map((body) => {
    const request = fromBinary(ExportMetricsServiceRequestSchema, body)
    return new TextEncoder().encode(toJsonString(ExportMetricsServiceRequestSchema, request))
  })
  const [ours, theirs] = [inTurn(texts), inTurn(texts)]
  const decoder = new TextDecoder()
  return {
    sluice: { run: () => protobufFromJson(ours(), MOST) },
    plain: {
      run: () => {
        const value = JSON.parse(decoder.decode(theirs()))
        const request = fromJson(ExportMetricsServiceRequestSchema, value)
        return toBinary(ExportMetricsServiceRequestSchema, request)
      },
    },
  }
}

function gunzip(): Ways {
  const bodies = inTurn(otlpRequests(2, 1).map((body) => gzipSync(body)))
  return { sluice: { run: () => gunzipSync(bodies()) } }
}
