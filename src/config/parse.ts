import { DEFAULT_TENANT } from './auth.ts'
import { error, MAX_PROBLEMS, type Value, warn } from './config-file.ts'
import { readGlobal } from './global.ts'
import { readOtlp } from './otlp.ts'
import { readFields } from './read.ts'
import { readRemoteWrite } from './remote-write.ts'
import { readSluice } from './sluice.ts'
import type { Config, Problem } from './types.ts'
import { ignore } from './unsupported.ts'
import { parseYamlText } from './yaml-text.ts'

/** Parts of Prometheus' config about what Sluice does not do. */
const IGNORED = {
  scrape_configs: 'ignored: Sluice does not scrape',
  scrape_config_files: 'ignored: Sluice does not scrape',
  rule_files: 'ignored: Sluice has no rules and no queries',
  alerting: 'ignored: Sluice has no rules and no alerts',
  storage: 'ignored: Sluice stores nothing',
  tracing: 'ignored: Sluice sends no traces',
  remote_read: 'ignored: Sluice answers no queries',
  runtime: 'ignored: it is about the Go runtime',
}

const KEYS = ['global', 'remote_write', 'otlp', 'sluice']

/** How a config is read. */
export interface ParseOptions {
  /** A config without `sluice.auth` is open instead of wrong. Only where none but this machine can connect. */
  readonly openWithoutAuth?: boolean
  /** Every binding is taken to be there, with its own name as its value: to check a config without its secrets. */
  readonly ignoreBindings?: boolean
}

/** A config, or what is wrong with it. */
export interface ParseResult {
  /** There exactly when no problem is an error. Frozen, all of it. */
  readonly config?: Config
  /** In the order of the file, at most 101 of them. */
  readonly problems: readonly Problem[]
}

/**
 * Reads a config: YAML, then every key with its type and bounds, then `${NAME}` from `bindings`. Finds every
 * problem at once. Never throws about its input; no problem holds the value of a binding or a credential.
 */
export function parseConfig(
  text: string,
  bindings: Readonly<Record<string, unknown>>,
  options: ParseOptions = {},
): ParseResult {
  const get = (name: string) => {
    if (options.ignoreBindings) return name
    return Object.hasOwn(Object.prototype, name) ? undefined : bindings[name]
  }
  return readConfig(text, get, options)
}

/** As `parseConfig`, with a function that finds a binding. */
export function readConfig(
  text: string,
  get: (name: string) => unknown,
  { openWithoutAuth = false, ignoreBindings = false }: ParseOptions,
): ParseResult {
  const { file, root } = parseYamlText(text, { get, pretended: ignoreBindings })
  if (root === undefined) return { problems: inOrder(file.problems) }
  const fields = readFields(root, [...KEYS, ...Object.keys(IGNORED)])
  const at: Value = { ...root, offset: -1 }
  if (fields !== undefined) ignore(fields, IGNORED)
  const { scheme, externalLabels } = readGlobal(fields?.get('global'))
  const { origins, tenantHeaders } = readRemoteWrite(at, fields?.get('remote_write'), scheme)
  const otlp = readOtlp(fields?.get('otlp'), scheme, origins)
  const { auth, withoutTenant, ...sluice } = readSluice(at, fields?.get('sluice'), {
    scheme,
    openWithoutAuth,
    origins: origins.length,
  })
  if (auth === 'none') for (const header of tenantHeaders) error(header, NO_TENANT)
  if (tenantHeaders.length > 0) for (const entry of withoutTenant) warn(entry, UNNAMED_TENANT)
  const problems = inOrder(file.problems)
  if (auth === undefined || file.problems.some(isError)) return { problems }
  return { config: deepFreeze({ externalLabels, origins, auth, otlp, ...sluice }), problems }
}

const NO_TENANT =
  '{tenant} stands for the tenant of an entry in sluice.auth, and with auth: none there is none'
const UNNAMED_TENANT = `no tenant here, so {tenant} in the headers of an origin becomes "${DEFAULT_TENANT}"`

function isError({ severity }: Problem): boolean {
  return severity === 'error'
}

/** The problems in the order of the file, those without a place first. Of too many, errors are kept first. */
function inOrder(problems: readonly Problem[]): Problem[] {
  const errorsFirst = problems.toSorted((a, b) => Number(isError(b)) - Number(isError(a)))
  const kept = errorsFirst
    .slice(0, MAX_PROBLEMS)
    .sort((a, b) => a.line - b.line || a.column - b.column)
  if (problems.length === kept.length) return kept
  const message = `and ${problems.length - kept.length} more problems`
  return [...kept, { severity: errorsFirst[kept.length]!.severity, ...NOWHERE, message }]
}

const NOWHERE = { line: 0, column: 0, path: '' }

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) deepFreeze(part)
  return Object.freeze(value)
}
