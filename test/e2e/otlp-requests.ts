import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { seeded } from '../../scripts/seeded.ts'
import {
  type ExportMetricsServiceRequest,
  ExportMetricsServiceRequestSchema,
  type MetricSchema,
  type ResourceMetricsSchema,
} from '../../src/wire/gen/opentelemetry_pb.js'
import { type Attribute, someAttributes, text } from './otlp-attributes.ts'
import { somePoints } from './otlp-points.ts'
import { pick } from './pick.ts'

/** A metric, as `create` takes it. */
export type MetricInit = MessageInitShape<typeof MetricSchema>

const RESOURCES = 3
const METRICS = 4

const SUFFIXES = [
  '',
  '.requests',
  '.requests.total',
  '_total',
  '.duration',
  '.duration_seconds',
  '.duration.milliseconds',
  '.utilization',
  '.ratio',
  '_bytes',
  ' with blanks ',
  '/per/second',
  '.per_second',
  '.ünï.cödé',
  '.日本',
  ':colons:',
  '__under__scores__',
  '...dots..',
  '-dash-1',
  '.1.2',
  '.sum',
  '_count',
]

const UNITS = [
  '',
  '1',
  's',
  'ms',
  'us',
  'µs',
  'By',
  'KiBy',
  'kBy',
  'KBy',
  'By/s',
  'KiBy/m',
  'm',
  'm/s',
  '1/min',
  '1/s',
  '/s',
  's/',
  '{request}',
  '{request}/s',
  's/{op}',
  'By{x}',
  '%',
  'Cel',
  'h/d',
  'requests',
  ' s ',
  'm^2',
  'V/m/s',
  'USD',
  'a.b_c/x y',
  '__',
  '日本',
]

const DESCRIPTIONS = ['', 'Requests served.', 'Zeile\nzwei "ü" \\']

/**
 * The `n`th request of a seed: one to three resources of one to three scopes of one to four metrics of all types, around
 * `at` (milliseconds). All of it is what Prometheus takes without a word and stores as Sluice's origins do. No two
 * requests have a series in common: each metric has `r` and `n` in its name, each resource in its attributes.
 * customBuckets: for configs with `convert_histograms_to_nhcb`.
 */
export function otlpRequest(
  seed: number,
  n: number,
  at: number,
  customBuckets = false,
): ExportMetricsServiceRequest {
  const random = seeded(seed * 10_000 + n)
  const upTo = (most: number) => 1 + Math.floor(random() * most)
  let metrics = 0
  const resourceMetrics = Array.from({ length: upTo(RESOURCES) }, (_, r) => ({
    ...someResource(random, `${n}.${r}`),
    schemaUrl: pick(random, ['', 'https://opentelemetry.io/schemas/1.30.0']),
    scopeMetrics: Array.from({ length: upTo(2) }, () => ({
      ...someScope(random),
      metrics: Array.from({ length: upTo(METRICS) }, () =>
        someMetric(random, `r${n}m${metrics++}`, at, customBuckets),
      ),
    })),
  }))
  return create(ExportMetricsServiceRequestSchema, { resourceMetrics })
}

type ResourceInit = Pick<MessageInitShape<typeof ResourceMetricsSchema>, 'resource'>

/** With `request` among the attributes, so that no other resource has the same; or with none at all. */
function someResource(random: () => number, request: string): ResourceInit {
  if (random() < 0.05) return {}
  const maybe = (key: string, likely: number, values: readonly string[]): Attribute[] =>
    random() < likely ? [text(key, pick(random, values))] : []
  const known = [
    ...maybe('service.name', 0.8, ['checkout', 'cart é', '']),
    ...maybe('service.namespace', 0.5, ['shop', '', 'a/b']),
    ...maybe('service.instance.id', 0.7, ['627cc493', 'pod-1:80', '']),
    ...maybe('host.name', 0.5, ['node-1', 'NODE-2']),
    ...maybe('k8s.pod.name', 0.5, ['checkout-5d7']),
    text('e2e.request', request),
  ]
  const keys = known.map(({ key }) => key)
  const others = someAttributes(random, 4).filter(({ key }) => !keys.includes(key))
  return { resource: { attributes: [...known, ...others].sort(() => random() - 0.5) } }
}

function someScope(random: () => number) {
  const schemaUrl = pick(random, ['', 'https://example.com/schema'])
  if (random() < 0.1) return { schemaUrl }
  const name = pick(random, ['', 'io.opentelemetry.http', 'meter "é"'])
  const version = pick(random, ['', '1.2.3'])
  const attributes = [
    ...someAttributes(random, 2),
    ...(random() < 0.2 ? [text('name', 'of an attribute')] : []),
  ]
  return { scope: { name, version, attributes }, schemaUrl }
}

function someMetric(
  random: () => number,
  id: string,
  at: number,
  customBuckets: boolean,
): MetricInit {
  const start = pick(random, ['', '', '', '9', ' ', '.', '_'])
  return {
    name: `${start}${id}${pick(random, SUFFIXES)}`,
    unit: pick(random, UNITS),
    description: pick(random, DESCRIPTIONS),
    metadata: someAttributes(random, 1),
    data: somePoints(random, at, customBuckets),
  }
}
