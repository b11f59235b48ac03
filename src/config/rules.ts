import { isMap, isScalar, isSeq } from 'yaml'
import { error, type Value } from './config-file.ts'
import { isNull, readEntries, readItems, scalarText } from './read.ts'
import { type NameScheme, parseRelabelConfig } from './relabel-config.ts'
import type { RelabelConfig } from './types.ts'

/** A list of relabel configs. Bindings are never replaced in them: `$1` and `${1}` belong to the rules. */
export function readRules(value: Value | undefined, scheme: NameScheme): RelabelConfig[] {
  if (value === undefined) return []
  const rules: RelabelConfig[] = []
  for (const item of readItems(value, 'a list of relabel configs') ?? []) {
    if (isNull(item)) {
      error(item, 'this rule is empty')
      continue
    }
    const before = item.file.problems.length
    const places = new Map<string, Value>()
    const raw = plain(item, places)
    if (item.file.problems.length > before) continue
    const result = parseRelabelConfig(raw, scheme)
    if ('config' in result) {
      rules.push(result.config)
      continue
    }
    for (const { path, message } of result.problems) {
      const full = path === '' || path.startsWith('[') ? item.path + path : `${item.path}.${path}`
      error({ ...(places.get(full) ?? item), path: full }, message)
    }
  }
  return rules
}

/**
 * A value as plain objects, arrays and scalars. Every scalar but `modulus` is its text as written, since `regex:
 * 1.0` means "1.0" to Prometheus. Notes the place of each path.
 */
function plain(value: Value, places: Map<string, Value>): unknown {
  places.set(value.path, value)
  if (isNull(value)) return null
  if (isSeq(value.node)) return (readItems(value) ?? []).map((item) => plain(item, places))
  if (isMap(value.node)) {
    const entries = readEntries(value) ?? []
    for (const { at } of entries) places.set(at.path, at)
    return Object.fromEntries(entries.map((entry) => [entry.key, plain(entry.value, places)]))
  }
  if (!isScalar(value.node)) return null
  return value.path.endsWith('.modulus') ? value.node.value : scalarText(value.node)
}
