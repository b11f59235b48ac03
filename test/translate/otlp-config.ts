import type { OtlpConfig } from '../../src/config/types.ts'
import { type Bytes, double, field, number, text } from '../batch/message.ts'

/** Prometheus' defaults, and what a test wants to differ. */
export function otlp(changes: Partial<OtlpConfig> = {}): OtlpConfig {
  return {
    translationStrategy: 'UnderscoreEscapingWithSuffixes',
    promoteResourceAttributes: [],
    promoteAllResourceAttributes: false,
    ignoreResourceAttributes: [],
    keepIdentifyingResourceAttributes: false,
    convertHistogramsToNhcb: false,
    promoteScopeMetadata: false,
    labelNameUnderscoreSanitization: true,
    labelNamePreserveMultipleUnderscores: true,
    targetInfo: true,
    exemplarMaxLength: 128,
    delta: 'reject',
    dedupeJoinedValues: false,
    ...changes,
  }
}

/** Something that an AnyValue holds; bytes as they are, numbers as doubles, bigints as integers, null as nothing. */
export type Value =
  | string
  | boolean
  | bigint
  | number
  | null
  | Uint8Array
  | readonly Value[]
  | ReadonlyMap<string, Value>

/** An AnyValue message. */
export function anyValue(value: Value): Bytes {
  if (value === null) return []
  if (typeof value === 'string') return text(1, value)
  if (typeof value === 'boolean') return number(2, value ? 1 : 0)
  if (typeof value === 'bigint') return number(3, value)
  if (typeof value === 'number') return double(4, value)
  if (value instanceof Uint8Array) return field(7, [...value])
  if (Array.isArray(value)) {
    return field(
      5,
      value.flatMap((item) => field(1, anyValue(item))),
    )
  }
  const entries = [...(value as ReadonlyMap<string, Value>)]
  return field(
    6,
    entries.flatMap(([key, item]) => field(1, keyValue(key, item))),
  )
}

/** A KeyValue message. */
export function keyValue(key: string, value: Value): Bytes {
  return [...text(1, key), ...field(2, anyValue(value))]
}
