import { fromBinary } from '@bufbuild/protobuf'
import type { OtlpConfig, RelabelConfig } from '../../src/config/types.ts'
import { boundText } from '../../src/translate/bound-text.ts'
import { metricName } from '../../src/translate/metric-name.ts'
import {
  type AnyValue,
  ExportMetricsServiceRequestSchema,
  type KeyValue,
  type Metric,
  type Resource,
} from '../../src/wire/gen/opentelemetry_pb.js'
import { type PlainLabels, plainRules } from './plain.ts'
import type { Plain } from './plain-messages.ts'

/**
 * The plain way to read OTLP: protobuf-es reads it, names and labels are translated and rules run on objects, one series after the other. It knows what the benchmarks send: sums,
 * gauges and explicit histograms with text as attributes.
 */
export function readPlainOtlp(
  otlp: OtlpConfig,
  configs: readonly RelabelConfig[],
): (message: Uint8Array) => Plain[] {
  const isKept = plainRules(configs)
  return (message) => {
    const request = fromBinary(ExportMetricsServiceRequestSchema, message)
    const series: Plain[] = []
    const add = (labels: PlainLabels, value: number, time: bigint) => {
      if (!isKept(labels)) return
      series.push({ labels, samples: [{ value, timestamp: time / 1_000_000n }] })
    }
    for (const { resource, scopeMetrics } of request.resourceMetrics) {
      let latest = 0n
      const identity = identityOf(resource)
      for (const { metrics } of scopeMetrics) {
        for (const metric of metrics) {
          for (const time of addMetric(metric, identity, add)) if (time > latest) latest = time
        }
      }
      const info = targetInfo(resource, identity)
      if (otlp.targetInfo && info !== undefined) add(info, 1, latest)
    }
    return series
  }
}

type Add = (labels: PlainLabels, value: number, time: bigint) => void
const NAMING = { escape: true, suffixes: true }

function addMetric({ name, unit, data }: Metric, identity: PlainLabels, add: Add): bigint[] {
  if (data.case === 'histogram') {
    const family = metricName(name, unit, 'histogram', NAMING) ?? ''
    return data.value.dataPoints.map((point) => {
      const labels = plainLabels(point.attributes, identity)
      const of = (suffix: string, le?: number) => {
        const own = new Map(labels).set('__name__', family + suffix)
        return le === undefined ? own : own.set('le', boundText(le))
      }
      const time = point.timeUnixNano
      let total = 0n
      point.explicitBounds.forEach((bound, i) => {
        total += point.bucketCounts[i]!
        add(of('_bucket', bound), Number(total), time)
      })
      add(of('_bucket', Infinity), Number(point.count), time)
      add(of('_count'), Number(point.count), time)
      if (point.sum !== undefined) add(of('_sum'), point.sum, time)
      return time
    })
  }
  if (data.case !== 'sum' && data.case !== 'gauge') return []
  const family = metricName(name, unit, data.case === 'sum' ? 'counter' : 'gauge', NAMING) ?? ''
  return data.value.dataPoints.map(({ attributes, value, timeUnixNano }) => {
    const labels = plainLabels(attributes, identity).set('__name__', family)
    add(labels, Number(value.value ?? 0), timeUnixNano)
    return timeUnixNano
  })
}

/** The labels of a point: its attributes by escaped names, `job` and `instance`. */
export function plainLabels(attributes: readonly KeyValue[], identity: PlainLabels): PlainLabels {
  const labels: PlainLabels = new Map()
  const sorted = [...attributes].sort((a, b) => (a.key < b.key ? -1 : 1))
  for (const { key, value } of sorted) {
    const name = escaped(key)
    const before = labels.get(name)
    labels.set(name, before === undefined ? textOf(value) : `${before};${textOf(value)}`)
  }
  for (const [name, value] of identity) labels.set(name, value)
  return labels
}

function escaped(key: string): string {
  const name = key.replace(/[^A-Za-z0-9_]/gu, '_')
  return /^\d/.test(name) ? `key_${name}` : name
}

function textOf(value: AnyValue | undefined): string {
  return String(value?.value.value ?? '')
}

function identityOf(resource: Resource | undefined): PlainLabels {
  const labels: PlainLabels = new Map()
  for (const { key, value } of resource?.attributes ?? []) {
    if (key === 'service.name') labels.set('job', textOf(value))
    if (key === 'service.instance.id') labels.set('instance', textOf(value))
  }
  return labels
}

function targetInfo(
  resource: Resource | undefined,
  identity: PlainLabels,
): PlainLabels | undefined {
  const rest = (resource?.attributes ?? []).filter(({ key }) => !key.startsWith('service.'))
  if (rest.length === 0) return undefined
  return plainLabels(rest, identity).set('__name__', 'target_info')
}
