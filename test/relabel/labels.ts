import { parseRelabelConfig } from '../../src/config/relabel-config.ts'
import type { RelabelConfig } from '../../src/config/types.ts'
import { compileRules } from '../../src/relabel/compile.ts'
import { md5Hashmod } from '../../src/relabel/hashmod.ts'
import { LabelPair } from '../../src/relabel/label-pair.ts'
import { LabelSet } from '../../src/relabel/label-set.ts'

export type Labels = Readonly<Record<string, string>>

/** A label set as the proxy makes it from what was sent. Ids count from 1, in the order of the names' bytes. */
export function labelSet(labels: Labels): LabelSet {
  const set = new LabelSet()
  for (const [name, value] of Object.entries(labels)) set.push(new LabelPair(name, value))
  set.sortByBytes()
  for (let i = 0; i < set.length; i++) set.pairs[i].id = i + 1
  return set
}

/** Ids of the pairs, as they lie in the set. */
export function idsOf(set: LabelSet): number[] {
  return set.pairs.slice(0, set.length).map(({ id }) => id)
}

/** The labels as they lie in the set. */
export function pairsOf(set: LabelSet): [name: string, value: string][] {
  return set.pairs.slice(0, set.length).map(({ name, value }) => [name, value])
}

/** Parses one rule of a test; one that is refused fails it. */
export function rule(raw: object, scheme: 'utf8' | 'legacy' = 'utf8'): RelabelConfig {
  const parsed = parseRelabelConfig(raw, scheme)
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems))
  return parsed.config
}

/** What rules make of labels: the labels, or the index of the rule that dropped them. */
export function relabel(
  raw: readonly object[],
  labels: Labels,
  options: { byHand?: boolean; scheme?: 'utf8' | 'legacy' } = {},
): Labels | number {
  const configs = raw.map((config) => rule(config, options.scheme))
  const set = labelSet(labels)
  const dropped = compileRules(configs, md5Hashmod, options).apply(set)
  return dropped < 0 ? Object.fromEntries(pairsOf(set)) : dropped
}
