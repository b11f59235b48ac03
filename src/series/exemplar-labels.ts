import type { Attribute } from '../translate/attribute.ts'
import { writeLabel } from '../wire/label.ts'
import { REASON_ATTRIBUTE_NAME } from '../wire/layout.ts'

/** The longest text of one label: an exemplar may have 128 code points or, where the config says so, a few thousand. */
const LONGEST = 16_384
/** Fits what the kernel can intern. */
const LARGEST = 60_000

/** Bits of the ids' own labels. */
const IDS = new Map([
  ['trace_id', 1],
  ['span_id', 2],
])

/**
 * An exemplar's attributes as the kernel wants them: the number of code points of all names and values, four bytes, then label fields of remote write. Undefined when it can
 * have none of them: text that is not UTF-8, or too long. `own`: bits of the ids that it has, 1 a trace's, 2 a span's: attributes of their names are left out.
 */
export function exemplarLabels(
  attributes: readonly Attribute[],
  own: number,
): Uint8Array | undefined {
  const bytes = new Uint8Array(LARGEST)
  let points = 0
  let at = 4
  for (const { key, value, problem } of attributes) {
    // Its name need not be one of Prometheus.
    if (problem !== 0 && problem !== REASON_ATTRIBUTE_NAME) return undefined
    if (key === '' || value === '') continue
    if ((own & (IDS.get(key) ?? 0)) !== 0) continue
    if (key.length + value.length > 2 * LONGEST) return undefined
    points += pointsOf(key) + pointsOf(value)
    if (points > LONGEST || at + 4 * (key.length + value.length) + 32 > LARGEST) return undefined
    at = writeLabel(bytes, at, key, value)
  }
  new DataView(bytes.buffer).setUint32(0, points, true)
  return bytes.slice(0, at)
}

function pointsOf(text: string): number {
  let n = 0
  for (const _ of text) n++
  return n
}
