import { error, type Value } from './config-file.ts'
import { readItems, readText } from './read.ts'

/** unicode.IsSpace of Go, which is what Prometheus trims: not quite that of `String.trim`. */
const SPACE = /^\p{White_Space}$/u

/** A list of OTel attributes, trimmed. An empty one is an error, and so is one that is there twice; both are left out. */
export function readAttributes(value: Value): string[] {
  const first = new Map<string, string>()
  for (const item of readItems(value, 'a list of attributes') ?? []) {
    const text = readText(item, 'an attribute')
    if (text === undefined) continue
    const attribute = trim(text)
    const before = first.get(attribute)
    if (attribute === '') error(item, 'this attribute is empty')
    else if (before !== undefined) error(item, `the same attribute as in ${before}`)
    else first.set(attribute, item.path)
  }
  return [...first.keys()]
}

function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && SPACE.test(text[start]!)) start++
  while (end > start && SPACE.test(text[end - 1]!)) end--
  return text.slice(start, end)
}
