import { LabelPair } from '../relabel/label-pair.ts'
import { invalidTexts } from '../wire/label.ts'
import { REASON_UTF8 } from '../wire/layout.ts'
import type { MessageReader } from '../wire/message-reader.ts'
import { readKeyValue } from './any-value.ts'
import { LabelList } from './label-list.ts'
import { type LabelNaming, labelName } from './label-name.ts'

/** What a scope gives to the labels of its points, with `promote_scope_metadata`. Never changes. */
export interface Scope {
  /** Labels that replace those of the same name; each name once. */
  readonly pairs: readonly LabelPair[]
  /** Names of labels that points may not have either: the scope has them, but they are empty. */
  readonly absent: readonly string[]
  /** 0 or REASON_UTF8: none of its points can be accepted. */
  readonly problem: number
}

// InstrumentationScope   name=1 string  version=2 string  attributes=3 repeated KeyValue
const NAME = 10
const VERSION = 18
const ATTRIBUTES = 26

/**
 * Reads an InstrumentationScope message to its end (spec 4.7.4). A scope without a name gives nothing. Keeps nothing of
 * the bytes.
 */
export function readScope(reader: MessageReader, schemaUrl: string, naming: LabelNaming): Scope {
  const pairs: LabelPair[] = []
  const absent: string[] = []
  const list = new LabelList()
  list.begin(pairs)
  const put = (name: string, value: string): void => {
    if (value === '') list.remove(name)
    else list.set(new LabelPair(name, value))
  }
  const before = invalidTexts()
  let name = ''
  let version = ''
  while (reader.more) {
    const tag = reader.tag()
    if (tag === NAME) name = reader.text()
    else if (tag === VERSION) version = reader.text()
    else if (tag === ATTRIBUTES) {
      const { key, value } = readKeyValue(reader.message())
      put(labelName(`otel_scope_${key}`, naming)!, value)
    } else reader.skip(tag)
  }
  if (name === '') return { pairs: [], absent, problem: 0 }
  const own = {
    otel_scope_name: name,
    otel_scope_version: version,
    otel_scope_schema_url: schemaUrl,
  }
  for (const [label, value] of Object.entries(own)) {
    put(label, value)
    if (value === '') absent.push(label)
  }
  return { pairs, absent, problem: invalidTexts() === before ? 0 : REASON_UTF8 }
}
