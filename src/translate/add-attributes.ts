import { compareBytes } from '../relabel/byte-order.ts'
import { LabelPair } from '../relabel/label-pair.ts'
import { REASON_DUPLICATE_LABEL } from '../wire/layout.ts'
import type { Attribute } from './attribute.ts'
import type { LabelList } from './label-list.ts'

/** What becomes of attributes whose label names are equal (spec 4.7.1). */
export interface Joining {
  /** Without it only a repeated key makes names equal, and is refused, as Prometheus does. */
  readonly escape: boolean
  /** A value that is equal to what is there already is not repeated. */
  readonly dedupe: boolean
  /** Called once for each set of labels in which values were joined. */
  joined(): void
}

/**
 * Adds the attributes' labels to the list, which begins anew; values of equal names are joined with `;` in the order of
 * the keys' bytes. Returns 0 or the REASON_ why these attributes can't be accepted. Attributes without equal names keep
 * their LabelPair objects.
 */
export function addAttributes(
  attributes: readonly Attribute[],
  into: LabelPair[],
  list: LabelList,
  joining: Joining,
): number {
  list.begin(into)
  let collision = false
  let empty = false
  for (const { problem, name, pair } of attributes) {
    if (problem !== 0) return problem
    if (pair !== undefined) collision = !list.add(pair) || collision
    else if (name !== undefined) empty = true
  }
  // An empty value makes no label, but is joined to one of its name.
  if (empty && !collision) collision = attributes.some((a) => isEmptyOf(a, list))
  if (!collision) return 0
  if (!joining.escape) return refuseRepeated(attributes)
  list.begin(into)
  return join(attributes, list, joining)
}

function isEmptyOf({ name, pair }: Attribute, list: LabelList): boolean {
  return pair === undefined && name !== undefined && list.get(name) !== undefined
}

/** Names are keys: two of them with values make two labels of one name. An empty one is as good as absent. */
function refuseRepeated(attributes: readonly Attribute[]): number {
  const names = new Set<string>()
  for (const { pair } of attributes) {
    if (pair === undefined) continue
    if (names.has(pair.name)) return REASON_DUPLICATE_LABEL
    names.add(pair.name)
  }
  return 0
}

/** Prometheus asks whether there is a value, not whether there is a key: an empty first value is not joined. */
function join(attributes: readonly Attribute[], list: LabelList, joining: Joining): number {
  let joined = false
  const sorted = attributes.toSorted((a, b) => compareBytes(a.key, b.key))
  for (const { name, value, pair } of sorted) {
    if (name === undefined) continue
    const present = list.get(name)
    if (present === undefined) {
      if (pair !== undefined) list.add(pair)
      continue
    }
    joined = true
    if (joining.dedupe && present.value === value) continue
    list.set(new LabelPair(name, `${present.value};${value}`))
  }
  if (joined) joining.joined()
  return 0
}
