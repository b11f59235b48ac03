import { error, type Value, warn } from './config-file.ts'
import { INGRESS, readOrigin } from './origin.ts'
import { readItems } from './read.ts'
import type { NameScheme } from './relabel-config.ts'
import type { OriginConfig } from './types.ts'

const MAX_ORIGINS = 16

/**
 * Reads `remote_write`; `file` is where its absence is noted. Names are made distinct. `tenantHeaders` are the
 * header values that hold `{tenant}`.
 */
export function readRemoteWrite(
  file: Value,
  value: Value | undefined,
  scheme: NameScheme,
): { origins: OriginConfig[]; tenantHeaders: Value[] } {
  const items = value === undefined ? [] : readItems(value, 'a list of origins')
  if (items === undefined) return { origins: [], tenantHeaders: [] }
  if (items.length === 0) error({ ...(value ?? file), path: 'remote_write' }, NO_ORIGIN)
  if (items.length > MAX_ORIGINS) {
    error(items[MAX_ORIGINS]!, `at most ${MAX_ORIGINS} origins are possible, this is one more`)
  }
  const read = items
    .slice(0, MAX_ORIGINS)
    .map((item) => readOrigin(item, scheme))
    .filter((origin) => origin !== undefined)
  const taken = new Set<string>([INGRESS])
  for (const { at, name } of read) {
    if (name === undefined) continue
    if (taken.has(name)) error({ ...at, path: `${at.path}.name` }, 'another origin has this name')
    taken.add(name)
  }
  if (read.length > 0 && read.every(({ rest }) => rest.onFailure === 'ignore')) {
    warn(value!, ALL_IGNORED)
  }
  return {
    origins: read.map(({ name, derivedName, rest }) => ({
      name: name ?? distinctName(derivedName, taken),
      ...rest,
    })),
    tenantHeaders: read.flatMap(({ tenantHeaders }) => tenantHeaders),
  }
}

const NO_ORIGIN =
  'at least one origin is needed, such as remote_write: [{url: "https://mimir.example/api/v1/push"}]'
const ALL_IGNORED =
  'every origin has on_failure: ignore, so a sender never learns that what it sent was lost'

/** The name itself, or with `#2`, `#3`, … when another origin has it. Adds it to `taken`. */
function distinctName(name: string, taken: Set<string>): string {
  let distinct = name
  for (let i = 2; taken.has(distinct); i++) distinct = `${name}#${i}`
  taken.add(distinct)
  return distinct
}
