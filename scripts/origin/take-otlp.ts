import {
  AggregationTemporality,
  type ExportMetricsServiceRequest,
  type KeyValue,
  type Metric,
  type ResourceMetrics,
  type ScopeMetrics,
} from '../../src/wire/gen/opentelemetry_pb.js'
import { type AnyPoint, checkAttributes, checkOtlpPoint } from './check-otlp-point.ts'
import { plainLabels } from './otlp-labels.ts'
import { storeOtlpPoint } from './store-otlp-point.ts'
import type { Taking } from './take-points.ts'
import { checkFields } from './unknown-fields.ts'

/**
 * Checks an OTLP request with all that is in it, and stores its points, a series for each set of attributes. Names are
 * made by the plain rule of plainName, without units and `_total`; attributes of the resource are labels of every series.
 */
export function takeOtlp(request: ExportMetricsServiceRequest, taking: Taking): void {
  checkFields(request, () => 'the request', taking.findings)
  for (const [i, resource] of request.resourceMetrics.entries())
    takeResource(resource, `resource ${i}`, taking)
}

function takeResource(all: ResourceMetrics, place: string, taking: Taking): void {
  const { findings } = taking
  const where = () => place
  const attributes = all.resource?.attributes ?? []
  checkFields(all, where, findings)
  if (all.resource !== undefined) checkFields(all.resource, where, findings)
  checkAttributes(attributes, where, findings)
  for (const [i, scope] of all.scopeMetrics.entries())
    takeScope(scope, attributes, `${place} scope ${i}`, taking)
}

function takeScope(
  all: ScopeMetrics,
  resource: readonly KeyValue[],
  place: string,
  taking: Taking,
): void {
  const { findings } = taking
  const { scope } = all
  const where = () => place
  checkFields(all, where, findings)
  if (scope !== undefined) {
    checkFields(scope, where, findings)
    checkAttributes(scope.attributes, where, findings)
  }
  for (const [i, metric] of all.metrics.entries())
    takeMetric(metric, resource, `${place} metric ${i}`, taking)
}

function takeMetric(
  metric: Metric,
  resource: readonly KeyValue[],
  place: string,
  taking: Taking,
): void {
  const { findings } = taking
  const { name, data } = metric
  const where = () => `${place} ${JSON.stringify(name)}`
  const say = (message: string) => findings.add('metric', where, message)
  checkFields(metric, where, findings)
  if (name === '') say('it has no name')
  checkAttributes(metric.metadata, where, findings)
  if (data.case === undefined) {
    say('it has no data')
    return
  }
  checkFields(data.value, where, findings)
  if ('aggregationTemporality' in data.value) {
    const { aggregationTemporality: said } = data.value
    const { DELTA, CUMULATIVE } = AggregationTemporality
    if (said !== DELTA && said !== CUMULATIVE)
      say(`its temporality is ${said}, neither 1 (delta) nor 2 (cumulative)`)
  }
  const points: readonly AnyPoint[] = data.value.dataPoints
  for (const [i, point] of points.entries()) {
    const at = () => `${where()} point ${i}`
    checkOtlpPoint(point, at, findings)
    const labels = plainLabels(name, resource, point.attributes)
    storeOtlpPoint(point, labels, at, taking)
    if ('exemplars' in point) taking.came.exemplars += point.exemplars.length
  }
}
