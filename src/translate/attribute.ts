import { LabelPair } from '../relabel/label-pair.ts'
import { invalidTexts } from '../wire/label.ts'
import { REASON_ATTRIBUTE_NAME, REASON_UTF8 } from '../wire/layout.ts'
import type { MessageReader } from '../wire/message-reader.ts'
import { readKeyValue } from './any-value.ts'
import { attributeName, type LabelNaming } from './label-name.ts'

/** One attribute, of a point or of a resource, as text and as a label. Never changes: one object serves many points. */
export interface Attribute {
  /** As sent. */
  readonly key: string
  /** As a label's value (spec 3.5). */
  readonly value: string
  /** The label's name, also when the value is empty; undefined when no label is made of it: that would be `__name__`. */
  readonly name: string | undefined
  /** Undefined when the value is empty, or the name undefined, or there is a problem. */
  readonly pair: LabelPair | undefined
  /** 0, or REASON_UTF8 or REASON_ATTRIBUTE_NAME: no point that has this attribute can be accepted. */
  readonly problem: number
}

/** Reads a KeyValue message to its end. Keeps nothing of the bytes. */
export function readAttribute(reader: MessageReader, naming: LabelNaming): Attribute {
  const before = invalidTexts()
  const { key, value } = readKeyValue(reader)
  const none = { key, value, name: undefined, pair: undefined }
  if (key === '__name__') return { ...none, problem: 0 }
  if (invalidTexts() !== before) return { ...none, problem: REASON_UTF8 }
  const name = attributeName(key, naming)
  if (name === undefined) {
    // Prometheus looks at names only where it escapes them; elsewhere nothing becomes of what is wholly empty.
    return { ...none, problem: naming.escape || value !== '' ? REASON_ATTRIBUTE_NAME : 0 }
  }
  // `..name__` is escaped to it as well, and the metric's name would replace it.
  if (name === '__name__') return { ...none, problem: 0 }
  return {
    key,
    value,
    name,
    pair: value === '' ? undefined : new LabelPair(name, value),
    problem: 0,
  }
}
