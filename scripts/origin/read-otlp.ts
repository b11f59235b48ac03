import { fromBinary, fromJson, type JsonValue } from '@bufbuild/protobuf'
import {
  type ExportMetricsServiceRequest,
  ExportMetricsServiceRequestSchema,
} from '../../src/wire/gen/opentelemetry_pb.js'
import type { Findings } from './problems.ts'

const IDS: Readonly<Record<string, number>> = { traceId: 32, spanId: 16 }
/** Whole numbers that a double may not hold. */
const LONG_NUMBER = /[[:,\s]-?\d{16}/
const WHERE = 'the request'
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads an OTLP request in its binary form or as JSON. Throws when it is none; what is read but not allowed is told. */
export function readOtlp(
  bytes: Uint8Array,
  content: 'protobuf' | 'json',
  findings: Findings,
): ExportMetricsServiceRequest {
  if (content === 'protobuf') return fromBinary(ExportMetricsServiceRequestSchema, bytes)
  const json = parseOtlpJson(utf8.decode(bytes), findings)
  try {
    return fromJson(ExportMetricsServiceRequestSchema, json)
  } catch (error) {
    if (!(error instanceof Error) || !/is unknown$/.test(error.message)) throw error
    findings.add('unknown_field', WHERE, error.message)
    return fromJson(ExportMetricsServiceRequestSchema, json, { ignoreUnknownFields: true })
  }
}

/**
 * OTLP's JSON as protobuf has it (spec 3.3): ids are hex there and base64 here. Told are keys in snake_case, enums by
 * name and ids that are none, which OTLP forbids and protobuf would take.
 */
function parseOtlpJson(text: string, findings: Findings): JsonValue {
  const exact = LONG_NUMBER.test(text)
  return JSON.parse(text, (key, value: JsonValue, context?: { source?: string }) => {
    if (typeof value === 'number') return exact ? exactNumber(value, context?.source) : value
    if (key.includes('_'))
      findings.add('json', WHERE, `the key ${JSON.stringify(key)} is not in lowerCamelCase`)
    if (typeof value !== 'string') return value
    if (key === 'aggregationTemporality')
      findings.add('json', WHERE, `${key} is ${JSON.stringify(value)}: enums are numbers`)
    const digits = IDS[key]
    return digits === undefined ? value : base64Id(key, value, digits, findings)
  }) as JsonValue
}

/** 64-bit numbers may be bare in JSON; protobuf takes the digits as a string. */
function exactNumber(value: number, source: string | undefined): number | string {
  const whole = source !== undefined && /^-?\d+$/.test(source)
  return whole && !Number.isSafeInteger(value) ? source : value
}

function base64Id(key: string, value: string, digits: number, { add }: Findings): string {
  if (value === '' || (value.length === digits && /^[0-9a-fA-F]*$/.test(value)))
    return Buffer.from(value, 'hex').toString('base64')
  add('json', WHERE, `${key} is ${JSON.stringify(value)}, not ${digits} digits of hex`)
  return ''
}
