import type { Pattern } from './pattern.ts'
import type { Template } from './template.ts'

/**
 * Go's Regexp.ReplaceAllString: `text` with every match expanded; null when there is none. A relabel regex matches the
 * whole text once, but for those that take the anchors apart (`a)|(b`).
 */
export function replaceMatches(
  text: string,
  find: Pattern['find'],
  expand: Template['expand'],
): string | null {
  let bounds = find(text)
  if (bounds === null) return null
  let replaced = ''
  let copied = 0
  for (let at = 0; bounds !== null; bounds = at <= text.length ? find(text, at) : null) {
    const [start, end] = [bounds[0], bounds[1]]
    replaced += text.slice(copied, start)
    // An empty match right after another one is none.
    if (end > copied || start === 0) replaced += expand(text, bounds)
    copied = end
    const next = at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
    at = Math.max(end, next)
  }
  return replaced + text.slice(copied)
}
