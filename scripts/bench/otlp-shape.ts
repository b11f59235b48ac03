import { gzipSync } from 'node:zlib'
import { create, toBinary } from '@bufbuild/protobuf'
import {
  AggregationTemporality,
  type ExportMetricsServiceRequest,
  ExportMetricsServiceRequestSchema,
} from '../../src/wire/gen/opentelemetry_pb.js'
import { FIRST_STAMP } from './shape.ts'

/** Data points of each request of `otlpRequests`. */
export const POINTS_PER_REQUEST = 2000
const METRICS_PER_RESOURCE = 4
const POINTS_PER_METRIC = 10
const HISTOGRAMS = 1000
const BUCKETS = 20
/** Series of each request of `otlpHistograms`: buckets, count and sum. */
export const HISTOGRAM_SERIES = HISTOGRAMS * (BUCKETS + 2)

type Init = Parameters<typeof create<typeof ExportMetricsServiceRequestSchema>>[1]

/**
 * Requests of 2,000 data points with 8 attributes each, four metrics a resource, every point a series and a pod of its own: `different` of them, and each `stamps`
 * times, a second later every time, ending at `last` (milliseconds). Request by request, all of one time before the next.
 */
export function otlpRequests(different: number, stamps: number, last = FIRST_STAMP): Uint8Array[] {
  const messages = Array.from({ length: different }, (_, i) => encode(numbers(i)))
  return Array.from({ length: stamps }, (_, s) => last - (stamps - 1 - s) * 1000).flatMap((time) =>
    messages.map((message) => stamped(message, time)),
  )
}

/** Those requests in gzip for a load: 40 times with later times each, ending now. */
export function otlpLoadBodies(different: number): Uint8Array[] {
  return otlpRequests(different, 40, Date.now()).map((body) => gzipSync(body))
}

/** The same, of 1,000 explicit histograms of 20 buckets: 22 series each. */
export function otlpHistograms(different: number): Uint8Array[] {
  return Array.from({ length: different }, (_, i) => stamped(encode(histograms(i)), FIRST_STAMP))
}

/** Every point has this time until it is stamped. */
const TIME = 0x1122334455667788n

function encode(request: ExportMetricsServiceRequest): Uint8Array {
  return toBinary(ExportMetricsServiceRequestSchema, request)
}

/** A copy with the time in all points. */
function stamped(message: Uint8Array, milliseconds: number): Uint8Array {
  const bytes = Buffer.from(message)
  const before = timeBytes(TIME)
  const after = timeBytes(BigInt(milliseconds) * 1_000_000n)
  for (let at = bytes.indexOf(before); at >= 0; at = bytes.indexOf(before, at + 8)) {
    after.copy(bytes, at)
  }
  return new Uint8Array(bytes)
}

function timeBytes(time: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(time)
  return bytes
}

function numbers(request: number): ExportMetricsServiceRequest {
  const perResource = METRICS_PER_RESOURCE * POINTS_PER_METRIC
  return ofResources(request, POINTS_PER_REQUEST / perResource, (resource) =>
    Array.from({ length: METRICS_PER_RESOURCE }, (_, m) => {
      const dataPoints = Array.from({ length: POINTS_PER_METRIC }, (_, p) => {
        const i = request * POINTS_PER_REQUEST + resource * perResource + m * POINTS_PER_METRIC + p
        return {
          timeUnixNano: TIME,
          attributes: attributes(i),
          value:
            m % 2 === 0
              ? ({ case: 'asInt', value: BigInt((i * 7919) % 1_000_000) } as const)
              : ({ case: 'asDouble', value: (i % 977) / 7 } as const),
        }
      })
      const name = { name: METRICS[m]!, unit: UNITS[m]! }
      return m % 2 === 0
        ? {
            ...name,
            data: { case: 'sum', value: { ...CUMULATIVE, isMonotonic: true, dataPoints } },
          }
        : { ...name, data: { case: 'gauge', value: { dataPoints } } }
    }),
  )
}

function histograms(request: number): ExportMetricsServiceRequest {
  const bounds = Array.from({ length: BUCKETS - 1 }, (_, i) => 0.001 * 1.8 ** i)
  return ofResources(request, HISTOGRAMS / 40, (resource) => [
    {
      name: 'http.server.request.duration',
      unit: 's',
      data: {
        case: 'histogram',
        value: {
          ...CUMULATIVE,
          dataPoints: Array.from({ length: 40 }, (_, p) => {
            const i = request * HISTOGRAMS + resource * 40 + p
            const counts = Array.from({ length: BUCKETS }, (_, b) => BigInt((i * (b + 3)) % 50))
            return {
              timeUnixNano: TIME,
              attributes: attributes(i),
              count: counts.reduce((sum, n) => sum + n, 0n),
              sum: i / 3,
              bucketCounts: counts,
              explicitBounds: bounds,
            }
          }),
        },
      },
    },
  ])
}

const CUMULATIVE = { aggregationTemporality: AggregationTemporality.CUMULATIVE } as const
/** No rule may depend on whether dots have become underscores: receivers differ in that, and would not do the same work. */
const METRICS = ['http.server.requests', 'queue.depth', 'system.network.io', 'process.memory.usage']
const UNITS = ['{request}', '1', 'By', 'By']
const JOBS = ['checkout', 'search', 'payment', 'billing', 'catalog', 'gateway', 'session']

type Metrics = NonNullable<
  NonNullable<NonNullable<NonNullable<Init>['resourceMetrics']>[number]['scopeMetrics']>[number]
>['metrics']

function ofResources(
  request: number,
  count: number,
  metricsOf: (resource: number) => Metrics,
): ExportMetricsServiceRequest {
  return create(ExportMetricsServiceRequestSchema, {
    resourceMetrics: Array.from({ length: count }, (_, r) => {
      const job = JOBS[(request + r) % JOBS.length]!
      const id = `${job}-${request}-${r}`
      const texts = { 'service.name': job, 'service.instance.id': id, 'k8s.cluster.name': 'prod' }
      return {
        resource: { attributes: Object.entries(texts).map(([key, value]) => text(key, value)) },
        scopeMetrics: [{ scope: { name: 'bench', version: '1.0.0' }, metrics: metricsOf(r) }],
      }
    }),
  })
}

/** Eight of them, with work for the ten rules: 4 % of the points are dropped, those of kube-system. */
function attributes(i: number) {
  const hash = (Math.imul(i, 2_654_435_761) >>> 0).toString(16).padStart(8, '0')
  return [
    text('container', 'app'),
    text('endpoint', 'metrics'),
    text('method', ['GET', 'POST', 'PUT', 'DELETE'][i % 4]!),
    text('namespace', i % 25 === 0 ? 'kube-system' : `team-${JOBS[i % 7]}-${i % 4}`),
    text('node', `Gke-Prod-Pool-${(i % 200).toString(16).padStart(8, '0')}`),
    text('pod', `${JOBS[i % 7]}-${hash}-${hash.slice(3)}`),
    text('route', `/api/v1/${JOBS[i % 7]}/{id}`),
    text('status', ['200', '201', '204', '400', '404', '429', '500', '503'][i % 8]!),
  ]
}

function text(key: string, value: string) {
  return { key, value: { value: { case: 'stringValue' as const, value } } }
}
