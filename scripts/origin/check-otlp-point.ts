import type {
  Exemplar,
  ExponentialHistogramDataPoint,
  HistogramDataPoint,
  KeyValue,
  NumberDataPoint,
  SummaryDataPoint,
} from '../../src/wire/gen/opentelemetry_pb.js'
import type { Findings } from './problems.ts'
import { checkFields } from './unknown-fields.ts'

/** The flag of a point that says there is no value. */
const NO_VALUE = 1

type Say = (message: string) => void

/** A data point of any type. */
export type AnyPoint =
  | NumberDataPoint
  | HistogramDataPoint
  | ExponentialHistogramDataPoint
  | SummaryDataPoint

/** Whether a point says that it has no value. */
export function hasNoValue({ flags }: AnyPoint): boolean {
  return (flags & NO_VALUE) !== 0
}

/** Checks a data point by itself: its times, attributes and exemplars, and whether its parts agree. */
export function checkOtlpPoint(point: AnyPoint, where: () => string, findings: Findings): void {
  checkFields(point, where, findings)
  const say: Say = (message) => findings.add('point', where, message)
  const { timeUnixNano, startTimeUnixNano, attributes } = point
  if (timeUnixNano === 0n) findings.add('time', where, 'it has no time')
  else if (startTimeUnixNano > timeUnixNano)
    findings.add('time', where, `its start ${startTimeUnixNano} is after its time ${timeUnixNano}`)
  checkAttributes(attributes, where, findings)
  if ('exemplars' in point)
    for (const exemplar of point.exemplars) checkExemplar(exemplar, where, findings)
  switch (point.$typeName) {
    case 'opentelemetry.proto.NumberDataPoint':
      if (point.value.case === undefined && !hasNoValue(point)) say('it has no value')
      break
    case 'opentelemetry.proto.HistogramDataPoint':
      checkExplicit(point, say)
      break
    case 'opentelemetry.proto.ExponentialHistogramDataPoint':
      checkExponential(point, where, findings, say)
      break
    case 'opentelemetry.proto.SummaryDataPoint':
      checkSummary(point, where, findings, say)
      break
  }
}

/** Checks attributes: each has a key, no key is there twice. */
export function checkAttributes(
  attributes: readonly KeyValue[],
  where: () => string,
  findings: Findings,
): void {
  const seen = new Set<string>()
  for (const attribute of attributes) {
    const { key, value } = attribute
    checkFields(attribute, where, findings)
    if (value !== undefined) checkFields(value, where, findings)
    if (key === '') findings.add('attributes', where, 'an attribute has no key')
    if (seen.has(key))
      findings.add('attributes', where, `the attribute ${JSON.stringify(key)} is there twice`)
    seen.add(key)
  }
}

function checkExemplar(exemplar: Exemplar, where: () => string, findings: Findings): void {
  const { traceId, spanId, value, timeUnixNano, filteredAttributes } = exemplar
  const say = (message: string) => findings.add('exemplar', where, message)
  checkFields(exemplar, where, findings)
  if (value.case === undefined) say('an exemplar has no value')
  if (timeUnixNano === 0n) say('an exemplar has no time')
  for (const [name, id, length] of [
    ['trace', traceId, 16],
    ['span', spanId, 8],
  ] as const)
    if (id.length !== 0 && id.length !== length)
      say(`its ${name} id has ${id.length} bytes, not ${length}`)
  checkAttributes(filteredAttributes, where, findings)
}

function checkExplicit(point: HistogramDataPoint, say: Say): void {
  const { explicitBounds: bounds, bucketCounts, count, min, max } = point
  // Both may be missing: then there are no buckets.
  if (bounds.length + bucketCounts.length > 0 && bucketCounts.length !== bounds.length + 1)
    say(`it has ${bucketCounts.length} bucket counts and ${bounds.length} bounds`)
  for (const [i, bound] of bounds.entries())
    if (Number.isNaN(bound) || (i > 0 && !(bound > bounds[i - 1]!)))
      say(`bound ${i} is ${bound}, not above ${bounds[i - 1] ?? 'nothing'}`)
  checkTotal(bucketCounts, count, say)
  if (min !== undefined && max !== undefined && min > max)
    say(`its min ${min} is above its max ${max}`)
}

function checkExponential(
  point: ExponentialHistogramDataPoint,
  where: () => string,
  findings: Findings,
  say: Say,
): void {
  const { positive, negative, zeroCount, count, min, max, zeroThreshold } = point
  for (const side of [positive, negative])
    if (side !== undefined) checkFields(side, where, findings)
  const counts = [zeroCount, ...(positive?.bucketCounts ?? []), ...(negative?.bucketCounts ?? [])]
  checkTotal(counts, count, say)
  if (!(zeroThreshold >= 0)) say(`its zero threshold is ${zeroThreshold}`)
  if (min !== undefined && max !== undefined && min > max)
    say(`its min ${min} is above its max ${max}`)
}

/** No counts at all are no buckets. */
function checkTotal(counts: readonly bigint[], count: bigint, say: Say): void {
  const total = counts.reduce((sum, one) => sum + one, 0n)
  if (counts.length > 0 && total !== count)
    say(`its buckets have ${total} observations, its count is ${count}`)
}

function checkSummary(
  point: SummaryDataPoint,
  where: () => string,
  findings: Findings,
  say: Say,
): void {
  for (const [i, one] of point.quantileValues.entries()) {
    checkFields(one, where, findings)
    if (!(one.quantile >= 0 && one.quantile <= 1)) say(`quantile ${i} is ${one.quantile}`)
    else if (i > 0 && !(one.quantile > point.quantileValues[i - 1]!.quantile))
      say(`quantile ${i} is ${one.quantile}, not above the one before it`)
  }
}
