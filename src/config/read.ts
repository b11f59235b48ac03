import { isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import { closestWord } from './closest-word.ts'
import { error, type Value, valueAt } from './config-file.ts'
import { parseDuration } from './duration.ts'
import { parseSize } from './size.ts'

/** A key of a mapping with what it says. The value's offset is that of the key where nothing was written. */
export interface Entry {
  readonly key: string
  /** The key itself, for problems about it. */
  readonly at: Value
  readonly value: Value
}

/** The fields of a mapping that were written; one that is null counts as not written, as in Prometheus. */
export type Fields = ReadonlyMap<string, Value>

/** The largest number a config may hold. */
const MAX_INTEGER = 2 ** 31 - 1

/**
 * All entries of a mapping, in the order of the file, merge keys (`<<`) followed; undefined (and an error) when it
 * is no mapping. A key that is written twice is an error.
 */
export function readEntries(value: Value, wanted = 'a mapping'): Entry[] | undefined {
  if (!isMap(value.node)) return error(value, `wanted ${wanted}, found ${kindOf(value)}`)
  const own = new Map<string, Entry>()
  const merged: Entry[] = []
  for (const pair of (value.node as YAMLMap<Node, Node | null>).items) {
    const offset = pair.key.range?.[0] ?? value.offset
    const keyNode = value.file.aliases.get(pair.key) ?? pair.key
    if (!isScalar(keyNode)) {
      error({ ...value, offset }, 'a key must be a plain word')
      continue
    }
    const key = scalarText(keyNode)
    if (key === '<<') {
      merged.push(...mergedEntries({ ...value, offset }, pair.value))
      continue
    }
    const path = keyPath(value.path, key)
    const entry = {
      key,
      at: { ...value, path, offset },
      value: valueAt(value.file, path, pair.value, offset),
    }
    if (own.has(key)) error(entry.at, 'this key is written twice')
    else own.set(key, entry)
  }
  for (const entry of merged) if (!own.has(entry.key)) own.set(entry.key, entry)
  return [...own.values()]
}

function mergedEntries(at: Value, node: Node | null): Entry[] {
  const source = { ...valueAt(at.file, at.path, node, at.offset), path: at.path }
  if (isSeq(source.node)) {
    return source.node.items.flatMap((item) => mergedEntries(source, item as Node))
  }
  return readEntries(source, '<< to name a mapping') ?? []
}

/**
 * The fields of a mapping whose keys are known. An unknown key is an error, with what was likely meant. Keys of
 * a `secret` mapping are not repeated: a missing space (`{bearer:s3cret}`) makes a secret part of the key.
 */
export function readFields(
  value: Value,
  known: readonly string[],
  secret = false,
): Fields | undefined {
  const entries = readEntries(value)
  if (entries === undefined) return undefined
  const fields = new Map<string, Value>()
  for (const entry of entries) {
    if (!known.includes(entry.key)) {
      const meant = closestWord(entry.key, known)
      const hint = meant === undefined ? '' : `: did you mean ${meant}?`
      error(secret ? { ...entry.at, path: value.path } : entry.at, `unknown key${hint}`)
    } else if (entry.value.node !== null && !isNull(entry.value)) {
      fields.set(entry.key, entry.value)
    }
  }
  return fields
}

/** The items of a list; undefined (and an error) when it is none. */
export function readItems(value: Value, wanted = 'a list'): Value[] | undefined {
  if (!isSeq(value.node)) return error(value, `wanted ${wanted}, found ${kindOf(value)}`)
  return value.node.items.map((item, i) =>
    valueAt(value.file, `${value.path}[${i}]`, item as Node | null, value.offset),
  )
}

/** A string. As in Prometheus a number or a boolean is one too, exactly as written. Never repeated in an error. */
export function readText(value: Value, wanted = 'a string'): string | undefined {
  if (!isScalar(value.node) || isNull(value)) {
    return error(value, `wanted ${wanted}, found ${kindOf(value)}`)
  }
  const text = scalarText(value.node)
  if (!text.isWellFormed()) return error(value, 'this is not valid Unicode')
  return text
}

/** true or false (also yes, no, on, off, as in Prometheus); `fallback` when missing or wrong. */
export function readBoolean(value: Value | undefined, fallback: boolean): boolean {
  if (value === undefined) return fallback
  const text = readText(value, 'true or false')
  if (text === undefined) return fallback
  if (/^(true|yes|on|y)$/i.test(text)) return true
  if (/^(false|no|off|n)$/i.test(text)) return false
  return wrong(value, 'true or false', text) ?? fallback
}

/** A whole number from `min` to `max`; `fallback` when missing or wrong. */
export function readInteger(
  value: Value | undefined,
  fallback: number,
  { min = 1, max = MAX_INTEGER } = {},
): number {
  if (value === undefined) return fallback
  const wanted = `a whole number from ${min} to ${max}`
  const text = readText(value, wanted)
  if (text === undefined) return fallback
  const number = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max) return number
  return wrong(value, wanted, text) ?? fallback
}

/** Milliseconds of a duration; `fallback` when missing or wrong. */
export function readDuration(
  value: Value | undefined,
  fallback: number,
  { min = 0, max = Number.POSITIVE_INFINITY, range = '' } = {},
): number {
  if (value === undefined) return fallback
  const wanted = `a duration such as 30s or 1h30m${range}`
  const text = readText(value, wanted)
  if (text === undefined) return fallback
  const milliseconds = parseDuration(text)
  if (milliseconds !== undefined && milliseconds >= min && milliseconds <= max) return milliseconds
  return wrong(value, wanted, text) ?? fallback
}

/** Bytes of a size; `fallback` when missing or wrong. */
export function readSize(
  value: Value | undefined,
  fallback: number,
  { min = 1, max = MAX_INTEGER, range = '' } = {},
): number {
  if (value === undefined) return fallback
  const wanted = `a size such as 512KB or 3MB${range}`
  const text = readText(value, wanted)
  if (text === undefined) return fallback
  const bytes = parseSize(text)
  if (bytes !== undefined && bytes >= min && bytes <= max) return bytes
  return wrong(value, wanted, text) ?? fallback
}

/** One of some words; `fallback` when missing or wrong. */
export function readWord<const T extends string>(
  value: Value | undefined,
  words: readonly T[],
  fallback: T,
): T {
  if (value === undefined) return fallback
  const wanted = words.filter((word) => word !== '').join(' or ')
  const text = readText(value, wanted)
  if (text === undefined) return fallback
  return words.find((word) => word === text) ?? wrong(value, wanted, text) ?? fallback
}

/** Whether a field was given a value that asks for something: not false, 0, "" or an empty collection. */
export function isSet(value: Value | undefined): value is Value {
  if (value === undefined || isNull(value)) return false
  if (isMap(value.node) || isSeq(value.node)) return value.node.items.length > 0
  return isScalar(value.node) && !/^(|false|no|off|n|0|0s)$/i.test(scalarText(value.node))
}

/** Whether nothing stands there. */
export function isNull(value: Value): boolean {
  return value.node === null || (isScalar(value.node) && value.node.value === null)
}

/** The text of a scalar as written: `1.0` is not `1`. */
export function scalarText(node: { value: unknown; source?: string | undefined }): string {
  if (typeof node.value === 'string') return node.value
  return node.value === null ? '' : (node.source ?? String(node.value))
}

/** What stands there, without what it says. */
export function kindOf(value: Value): string {
  if (isMap(value.node)) return 'a mapping'
  if (isSeq(value.node)) return 'a list'
  if (isNull(value)) return 'nothing'
  const type = isScalar(value.node) ? typeof value.node.value : 'string'
  return type === 'bigint' ? 'a number' : `a ${type}`
}

function wrong(value: Value, wanted: string, text: string): undefined {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text
  return error(value, `wanted ${wanted}, found ${JSON.stringify(shown)}`)
}

/** Only plain words become part of a path. For any other key the path ends at the mapping, the position tells. */
function keyPath(parent: string, key: string): string {
  if (!/^[\w-]{1,64}$/.test(key)) return parent
  return parent === '' ? key : `${parent}.${key}`
}
