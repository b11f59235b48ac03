import type { MessageInitShape } from '@bufbuild/protobuf'
import type { AnyValueSchema, KeyValueSchema } from '../../src/wire/gen/opentelemetry_pb.js'
import { pick } from './pick.ts'

/** An attribute, as `create` takes it. */
export type Attribute = MessageInitShape<typeof KeyValueSchema>

/** An attribute's value, as `create` takes it. */
export type Value = MessageInitShape<typeof AnyValueSchema>

/** An attribute whose value is text. */
export function text(key: string, value: string): Attribute {
  return { key, value: { value: { case: 'stringValue', value } } }
}

/** A value that is a double. */
export function double(value: number): Value {
  return { value: { case: 'doubleValue', value } }
}

/** A value that is a list. */
export function list(...values: readonly Value[]): Value {
  return { value: { case: 'arrayValue', value: { values: [...values] } } }
}

/** Many of them become the same label name; each has a letter or a digit in it, which Prometheus wants of every key. */
const KEYS = [
  'http.method',
  'http_method',
  'http-method',
  'http:method',
  'a.b',
  'a_b',
  'a b',
  'a..b',
  'A.B',
  '1st',
  '1.5',
  '_private',
  '.hidden',
  '__reserved__',
  '__x..y__',
  '__tmp',
  '___a',
  'trailing_',
  'trailing.',
  '__name__',
  '..name__',
  'job',
  'instance',
  'le',
  'quantile',
  'host.name',
  'service.name',
  'otel_scope_name',
  'otel.scope.version',
  'clé1',
  'ключ 1',
  '日本x',
  '😀z',
  'a\u0301',
  'with "quotes" and \\',
  'new\nline',
]

const TEXTS = [
  '',
  'GET',
  'x;y',
  ' blanks ',
  'line\nbreak\ttab',
  'quotes " and \\ and \'',
  '<a href="?b&c">',
  'naïve Straße',
  '日本語',
  '😀 \u2028 \u2029 \u00a0 \ufeff',
  '{"json":true}',
  'true',
  '0',
]

const INTEGERS = [0n, 1n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)]

const DOUBLES = [
  0,
  -0,
  1,
  -2.5,
  0.1,
  1 / 3,
  1e6,
  123456789.125,
  1e20,
  1e21,
  -1.5e300,
  1e-6,
  1e-7,
  5e-324,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
]

/** Up to `most` attributes with different keys, of all kinds of values. */
export function someAttributes(random: () => number, most: number): Attribute[] {
  const count = Math.floor(random() * (most + 1))
  const keys = new Set(Array.from({ length: count }, () => pick(random, KEYS)))
  return [...keys].map((key) => ({ key, value: someValue(random) }))
}

/** Whether there is anything in the attribute's value. */
export function hasText({ value }: Attribute): boolean {
  const one = value?.value
  if (one === undefined || one.case === undefined) return false
  return !(one.case === 'stringValue' || one.case === 'bytesValue') || one.value.length > 0
}

/** Undefined, empty, plain or nested up to three levels. */
function someValue(random: () => number): Value | undefined {
  return random() < 0.03 ? undefined : nestable(random, 3, DOUBLES)
}

function nestable(random: () => number, depth: number, doubles: readonly number[]): Value {
  const kind = random() * (depth > 0 ? 10 : 8)
  if (kind < 3.5) return { value: { case: 'stringValue', value: pick(random, TEXTS) } }
  if (kind < 4.5) return { value: { case: 'boolValue', value: random() < 0.5 } }
  if (kind < 5.5) return { value: { case: 'intValue', value: pick(random, INTEGERS) } }
  if (kind < 6.8) return double(pick(random, doubles))
  if (kind < 7.7) return { value: { case: 'bytesValue', value: someBytes(random) } }
  if (kind < 8) return {}
  // Prometheus loses a list or a map that has one of the others.
  const finite = DOUBLES.filter(Number.isFinite)
  const length = Math.floor(random() * 4)
  const values = Array.from({ length }, () => nestable(random, depth - 1, finite))
  if (kind < 9) return list(...values)
  const pairs = values.map((value) => ({ key: pick(random, KEYS), value }))
  return { value: { case: 'kvlistValue', value: { values: pairs } } }
}

function someBytes(random: () => number): Uint8Array {
  return Uint8Array.from({ length: Math.floor(random() * 6) }, () => random() * 256)
}
