import type { Metric } from '../translate/metric.ts'

const encoder = new TextEncoder()

/** No name of a metric that is sent is longer: it is a label's value. A unit has no such limit. */
const LONGEST_NAME = 65_535
const LONGEST_UNIT = 1024

// MetricMetadata  type=1 enum   metric_family_name=2 string   help=4 string   unit=5 string

/**
 * Fields of MetricMetadata (spec 1.1) for this metric, without its help: the kernel adds that from each request. A unit that is very long is left out. Undefined for a
 * metric that has none: no series of that name goes out.
 */
export function metricMetadata({
  type,
  name,
  unit,
}: Pick<Metric, 'type' | 'name' | 'unit'>): Uint8Array | undefined {
  const family = encoder.encode(name)
  if (family.length === 0 || family.length > LONGEST_NAME) return undefined
  const words = encoder.encode(unit.length > LONGEST_UNIT ? '' : unit)
  return Uint8Array.from([8, type, ...field(18, family), ...(words.length ? field(42, words) : [])])
}

function field(tag: number, bytes: Uint8Array): number[] {
  const length: number[] = []
  let n = bytes.length
  for (; n > 127; n >>>= 7) length.push((n & 127) | 128)
  return [tag, ...length, n, ...bytes]
}
