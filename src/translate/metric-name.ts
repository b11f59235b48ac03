import { cleanUnit, cutUnderscore, unitWords } from './unit.ts'

/** What a metric of OTLP is; a counter is a monotonic sum, an up-down-counter one that is not. */
export type MetricKind =
  | 'gauge'
  | 'counter'
  | 'up-down-counter'
  | 'histogram'
  | 'exponential-histogram'
  | 'summary'

/** What a `translation_strategy` says about metrics (spec 4.1). */
export interface MetricNaming {
  /** Whether names keep to `[a-zA-Z_:][a-zA-Z0-9_:]*`. */
  readonly escape: boolean
  /** Whether units, `_total` and `_ratio` are added. */
  readonly suffixes: boolean
  /** What exporters put before each name, never set by a server's config. */
  readonly namespace?: string
}

/**
 * The Prometheus name of a metric (spec 4.3 to 4.5), without `_bucket` and the like. Undefined where nothing sensible is
 * left of it; without escaping it may be empty.
 */
export function metricName(
  name: string,
  unit: string,
  kind: MetricKind,
  naming: MetricNaming,
): string | undefined {
  if (!naming.escape) {
    const whole = naming.namespace ? `${naming.namespace}_${name}` : name
    return naming.suffixes ? withSuffixes(whole, unit, kind) : whole
  }
  const escaped = naming.suffixes
    ? escapedWithSuffixes(name, unit, kind, naming.namespace)
    : escapedAlone(name, naming.namespace)
  if (escaped === '') return undefined
  return escaped === name || /[^_]/.test(escaped) ? escaped : undefined
}

function escapedWithSuffixes(
  name: string,
  unit: string,
  kind: MetricKind,
  namespace: string | undefined,
): string {
  let tokens: string[] = name.match(/[A-Za-z0-9:]+/g) ?? []
  const words = unitWords(unit)
  let main = cleanUnit(words.main)
  if (tokens.includes(main)) main = ''
  let per = cleanUnit(words.per)
  if (per === 'per_') per = ''
  per = cutUnderscore(per)
  if (tokens.includes(per)) per = ''
  if (per !== '') main = cutUnderscore(main)
  if (main !== '') tokens.push(main)
  if (per !== '') tokens.push(per)
  if (kind === 'counter') tokens = atTheEnd(tokens, 'total')
  if (isRatio(unit, kind)) tokens = atTheEnd(tokens, 'ratio')
  if (namespace) tokens.unshift(namespace)
  return digitEscaped(tokens.join('_'))
}

function atTheEnd(tokens: readonly string[], token: string): string[] {
  return [...tokens.filter((other) => other !== token), token]
}

/** Many SDKs give unit 1 to counts of things, so that only gauges are taken for ratios. */
function isRatio(unit: string, kind: MetricKind): boolean {
  return unit === '1' && kind === 'gauge'
}

function escapedAlone(name: string, namespace: string | undefined): string {
  const escaped = fields(name)
  return namespace ? `${fields(namespace)}_${escaped}` : digitEscaped(escaped)
}

function fields(name: string): string {
  return (name.match(/[A-Za-z0-9:_]+/g) ?? []).join('_')
}

function digitEscaped(name: string): string {
  return /^[0-9]/.test(name) ? `_${name}` : name
}

function withSuffixes(name: string, unit: string, kind: MetricKind): string {
  const { main, per } = unitWords(unit)
  const ratio = isRatio(unit, kind)
  let result = name
  if (ratio) result = trimmed(result, 'ratio')
  if (kind === 'counter') result = trimmed(result, 'total')
  if (per !== '') result = trimmed(result, per)
  if (!result.endsWith(main)) result += `_${main}`
  if (per !== '') result += `_${per}`
  if (kind === 'counter') result += '_total'
  return ratio ? `${result}_ratio` : result
}

/**
 * The name without the suffix and the character before it, whatever that is; as it is where nothing would be left. The
 * whole character: Prometheus cuts a byte, so that a name may end inside one.
 */
function trimmed(name: string, suffix: string): string {
  if (!name.endsWith(suffix)) return name
  let end = name.length - suffix.length - 1
  if (end > 0 && (name.charCodeAt(end) & 0xfc00) === 0xdc00) end--
  return end > 0 ? name.slice(0, end) : name
}
