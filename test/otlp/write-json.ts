import { type JsonValue, toJson } from '@bufbuild/protobuf'
import {
  type ExportMetricsServiceRequest,
  ExportMetricsServiceRequestSchema,
} from '../../src/wire/gen/opentelemetry_pb.js'

const NUMBERS_OF_64_BITS = new Set([
  'startTimeUnixNano',
  'timeUnixNano',
  'count',
  'zeroCount',
  'bucketCounts',
  'asInt',
  'intValue',
])
const TEXTS = new Set([
  'name',
  'description',
  'unit',
  'schemaUrl',
  'version',
  'key',
  'stringValue',
  'bytesValue',
])
const IDS = new Set(['spanId', 'traceId'])

/** A request as OTLP/JSON says it is to be written: ids in hex, enums as numbers. */
export function plainJson(request: ExportMetricsServiceRequest): string {
  return JSON.stringify(hexIds(request))
}

/**
 * The same in ways that a receiver has to understand too: keys shuffled and in snake_case, numbers
 * bare, quoted or with exponents, characters escaped, blanks, nulls and keys that nobody knows.
 */
export function oddJson(request: ExportMetricsServiceRequest, random: () => number): string {
  const chance = (of: number) => random() < of
  const blank = () => (chance(0.1) ? [' ', '\n\t', '\r\n  '][Math.floor(random() * 3)]! : '')
  const quoted = (text: string) => {
    const whole = JSON.stringify(text)
    if (!chance(0.3)) return whole
    const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i))
    return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
  }
  const number = (value: number) => {
    const text = chance(0.3) ? value.toExponential() : String(value)
    return chance(0.3) ? `"${text}"` : text
  }
  const write = (value: JsonValue, key: string): string => {
    if (typeof value === 'number') return number(value)
    if (typeof value === 'string') {
      if (NUMBERS_OF_64_BITS.has(key) && chance(0.5)) return chance(0.2) ? `${value}.0e0` : value
      if (IDS.has(key)) return chance(0.5) ? `"${value.toUpperCase()}"` : `"${value}"`
      return TEXTS.has(key) ? quoted(value) : `"${value}"`
    }
    if (Array.isArray(value)) {
      return `[${blank()}${value.map((one) => `${write(one, key)}${blank()}`).join(`,${blank()}`)}]`
    }
    if (typeof value !== 'object' || value === null) return String(value)
    const members = Object.entries(value).map(([name, member]) => {
      const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      const key = quoted(chance(0.5) ? snake : name)
      return `${key}${blank()}:${blank()}${write(member, name)}${blank()}`
    })
    if (chance(0.2)) members.push('"unknown":[{"asInt":"x","\\"":{}},-1e5,null]')
    if (chance(0.2)) members.push('"flags":null')
    members.sort(() => random() - 0.5)
    return `{${blank()}${members.join(`,${blank()}`)}}`
  }
  return write(hexIds(request), '')
}

function hexIds(request: ExportMetricsServiceRequest): JsonValue {
  const json = toJson(ExportMetricsServiceRequestSchema, request, { enumAsInteger: true })
  const walk = (value: JsonValue, key: string): JsonValue => {
    if (typeof value === 'string' && IDS.has(key))
      return Buffer.from(value, 'base64').toString('hex')
    // JSON.stringify would lose the sign.
    if (Object.is(value, -0)) return '-0'
    if (Array.isArray(value)) return value.map((one) => walk(one, key))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one, name)]))
  }
  return walk(json, '')
}
