import type { RelabelConfig } from '../config/types.ts'
import type { Hashmod } from './hashmod.ts'
import type { LabelSet } from './label-set.ts'
import type { Memory } from './memory.ts'
import type { Pattern } from './pattern.ts'

/** A compiled rule: changes the labels in place; false when it drops the series. Never fails. */
export type Rule = (labels: LabelSet) => boolean

/** What rules are compiled with. */
export interface RuleParts {
  readonly config: RelabelConfig
  readonly hashmod: Hashmod
  readonly memory: Memory
  /** Compiles the rule's regex. To be called by actions that have one. */
  readonly pattern: () => Pattern
}

/** The values of the source labels, joined; '' for each that is absent. */
export function joinSources({
  sourceLabels,
  separator,
}: RelabelConfig): (labels: LabelSet) => string {
  if (sourceLabels.length === 0) return () => ''
  const [first, ...rest] = sourceLabels
  if (rest.length === 0) return (labels) => labels.get(first)
  return (labels) => {
    let joined = labels.get(first)
    for (const name of rest) joined += separator + labels.get(name)
    return joined
  }
}

/** `compute` of the joined values of the source labels, remembered by those values. */
export function rememberJoined<V>(
  config: RelabelConfig,
  memory: Memory,
  compute: (joined: string) => V,
): (labels: LabelSet) => V {
  const { sourceLabels, separator } = config
  if (sourceLabels.length === 2) {
    const [a, b] = sourceLabels
    const known = memory.rememberPair((first, second) => compute(first + separator + second))
    return (labels) => known(labels.get(a), labels.get(b))
  }
  const join = joinSources(config)
  const known = memory.remember(compute)
  return (labels) => known(join(labels))
}
