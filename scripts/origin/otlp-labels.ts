import type { AnyValue, KeyValue } from '../../src/wire/gen/opentelemetry_pb.js'

/** A name by the plain rule: each character that names of Prometheus do not have becomes `_`. */
export function plainName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_:]/gu, '_')
  return /^[0-9]/.test(plain) ? `_${plain}` : plain
}

/** Attributes of a resource that say what was scraped, in Prometheus' words. */
const TARGET = new Set(['service.name', 'service.namespace', 'service.instance.id'])

/**
 * Labels of a series: attributes by the plain rule; of those that end up with one name the last stays, those of the point
 * come last. `service.name` and `service.instance.id` of the resource are `job` and `instance`, as everywhere in
 * Prometheus. Empty values are left out.
 */
export function plainLabels(
  name: string,
  resource: readonly KeyValue[],
  attributes: readonly KeyValue[],
): Map<string, string> {
  const labels = new Map(targetLabels(resource))
  const others = resource.filter(({ key }) => !TARGET.has(key))
  for (const { key, value } of [...others, ...attributes])
    labels.set(plainName(key).replaceAll(':', '_'), anyText(value))
  labels.set('__name__', plainName(name))
  for (const [label, value] of labels) if (value === '') labels.delete(label)
  return labels
}

function targetLabels(resource: readonly KeyValue[]): (readonly [string, string])[] {
  const text = (key: string) => anyText(resource.find((one) => one.key === key)?.value)
  const namespace = text('service.namespace')
  const name = text('service.name')
  const job = namespace !== '' && name !== '' ? `${namespace}/${name}` : name
  return [
    ['job', job],
    ['instance', text('service.instance.id')],
  ]
}

/** A value as a label has it: text as it is, lists and maps as JSON. */
export function anyText(value: AnyValue | undefined): string {
  const plain = plainValue(value)
  return typeof plain === 'object' ? JSON.stringify(plain) : String(plain)
}

function plainValue(any: AnyValue | undefined): unknown {
  if (any === undefined) return ''
  const held = any.value
  switch (held.case) {
    case undefined:
      return ''
    case 'arrayValue':
      return held.value.values.map(plainValue)
    case 'kvlistValue':
      return Object.fromEntries(held.value.values.map(({ key, value }) => [key, plainValue(value)]))
    case 'bytesValue':
      return Buffer.from(held.value).toString('base64')
    case 'intValue':
      return String(held.value)
    default:
      return held.value
  }
}
