import { error, type Value } from './config-file.ts'
import { readExpanded } from './expand.ts'
import { headerNameProblem, headerValueProblem } from './header.ts'
import { type Entry, type Fields, isSet, readEntries, readFields, readItems } from './read.ts'

/** The headers of an origin. */
export interface CustomHeaders {
  readonly headers: (readonly [name: string, value: string])[]
  /** The values that hold `{tenant}`. */
  readonly tenantHeaders: Value[]
}

/**
 * `headers` and `http_headers` of an origin as name and value, in the order of the file. `{tenant}` in a value is
 * left as it is. A name may come once, in any case.
 */
export function readCustomHeaders(fields: Fields): CustomHeaders {
  const headers: (readonly [string, string])[] = []
  const tenantHeaders: Value[] = []
  const seen = new Set<string>()
  const add = (entry: Entry, value: Value | undefined): void => {
    const wrongName = headerNameProblem(entry.key)
    if (wrongName !== undefined) error(entry.at, wrongName)
    const name = entry.key.toLowerCase()
    if (seen.has(name)) error(entry.at, 'this header is there twice')
    seen.add(name)
    const text = value && readExpanded(value)
    if (value === undefined || text === undefined) return
    const wrongValue = headerValueProblem(text)
    if (wrongValue !== undefined) error(value, wrongValue)
    headers.push([entry.key, text])
    if (text.includes('{tenant}')) tenantHeaders.push(value)
  }
  for (const entry of entriesOf(fields.get('headers'))) add(entry, entry.value)
  for (const entry of entriesOf(fields.get('http_headers'))) add(entry, singleValue(entry.value))
  return { headers, tenantHeaders }
}

function entriesOf(value: Value | undefined): Entry[] {
  return value === undefined ? [] : (readEntries(value) ?? [])
}

/** The one value that an entry of `http_headers` gives, be it under `values` or `secrets`. */
function singleValue(header: Value): Value | undefined {
  const fields = readFields(header, ['values', 'secrets', 'files'], true)
  if (fields === undefined) return undefined
  const files = fields.get('files')
  if (isSet(files)) {
    return error(files, `there are no files at the edge: use secrets with a binding, \${NAME}`)
  }
  const values = ['values', 'secrets'].flatMap((key) => {
    const list = fields.get(key)
    return list === undefined ? [] : (readItems(list) ?? [])
  })
  if (values.length === 1) return values[0]
  return error(header, 'wanted exactly one value for this header, under values or secrets')
}
