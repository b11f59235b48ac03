import type { RelabelAction, RelabelConfig } from '../config/types.ts'
import { labelName } from '../wire/label-name.ts'
import { explainRules, type Step } from './explain.ts'
import type { Hashmod } from './hashmod.ts'
import type { LabelSet } from './label-set.ts'
import { createMemory } from './memory.ts'
import { labelmapRule, nameFilterRule } from './name-rules.ts'
import { compilePattern } from './pattern.ts'
import { replaceRule } from './replace-rule.ts'
import type { Rule, RuleParts } from './rule.ts'
import { caseRule, equalityRule, filterRule, hashmodRule } from './value-rules.ts'

export type { Hashmod }

/** Compiled relabel rules. They run in order on the labels as the rules before left them; the first drop ends it. */
export interface Ruleset {
  /** Number of rules. */
  readonly length: number
  /**
   * Applies the rules in place to labels that are sorted by bytes, each name once, no empty values. -1 when the series
   * is kept, else the index of the rule that dropped it; the labels mean nothing then. A kept series may have no labels
   * left, or no `__name__`; names may come out unsorted, and a `labelmap` may have made an empty one.
   */
  apply(labels: LabelSet): number
  /** Does the same, and tells what each rule did. For people: it allocates freely. */
  explain(labels: LabelSet): Step[]
  /** Frees what the rules have found out about values. It never changes what they do. */
  forget(): void
}

const makers: Record<RelabelAction, (parts: RuleParts) => Rule> = {
  replace: replaceRule,
  keep: filterRule,
  drop: filterRule,
  keepequal: equalityRule,
  dropequal: equalityRule,
  hashmod: hashmodRule,
  labelmap: labelmapRule,
  labeldrop: nameFilterRule,
  labelkeep: nameFilterRule,
  lowercase: caseRule,
  uppercase: caseRule,
}

/**
 * Compiles validated relabel configs; cannot fail for those. `byHand: false` sends every regex to the engine: for tests
 * only, the results are the same.
 */
export function compileRules(
  configs: readonly RelabelConfig[],
  hashmod: Hashmod,
  { byHand = true }: { byHand?: boolean } = {},
): Ruleset {
  const memory = createMemory()
  const rules = configs.map((written) => {
    const config = withNames(written)
    const pattern = () => compilePattern(config.regex, byHand)
    return makers[config.action]({ config, hashmod, memory, pattern })
  })
  return {
    length: rules.length,
    apply(labels) {
      for (let i = 0; i < rules.length; i++) if (!rules[i](labels)) return i
      return -1
    },
    explain: (labels) => explainRules(configs, rules, labels),
    forget: memory.forget,
  }
}

/** The names as those of labels are, so that looking for one compares addresses. */
function withNames(config: RelabelConfig): RelabelConfig {
  const { sourceLabels, targetLabel } = config
  return {
    ...config,
    sourceLabels: sourceLabels.map(labelName),
    targetLabel: labelName(targetLabel),
  }
}
