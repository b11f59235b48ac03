import { LabelPair } from './label-pair.ts'
import { replaceMatches } from './replace-matches.ts'
import type { Rule, RuleParts } from './rule.ts'
import { compileTemplate } from './template.ts'

/** labeldrop, labelkeep: removes the labels whose name does or does not match. `__name__` is no exception. */
export function nameFilterRule({ config, memory, pattern }: RuleParts): Rule {
  const { cheap, test } = pattern()
  const matches = cheap ? test : memory.remember(test)
  const removed = config.action === 'labeldrop'
  return (labels) => {
    for (let i = labels.length - 1; i >= 0; i--) {
      if (matches(labels.pairs[i].name) === removed) labels.removeAt(i)
    }
    return true
  }
}

/**
 * labelmap: each label whose name matches is copied to the name that the replacement expands to, which is not checked.
 * Labels as sent come first, by name, then those that were set, in that order, as they all were before this rule; of two
 * copies to one name the later stays.
 */
export function labelmapRule({ config, memory, pattern }: RuleParts): Rule {
  const { find, groups, names } = pattern()
  const template = compileTemplate(config.replacement, groups, names)
  const rename = memory.remember((name) => replaceMatches(name, find, template.expand))

  // Kept between calls.
  const copies: string[] = []
  const values: string[] = []
  const turns: number[] = []
  return (labels) => {
    let count = 0
    for (let i = 0; i < labels.length; i++) {
      const copy = rename(labels.pairs[i].name)
      if (copy === null) continue
      let at = count++
      for (; at > 0 && turns[at - 1] > labels.turns[i]; at--) {
        copies[at] = copies[at - 1]
        values[at] = values[at - 1]
        turns[at] = turns[at - 1]
      }
      copies[at] = copy
      values[at] = labels.pairs[i].value
      turns[at] = labels.turns[i]
    }
    for (let i = 0; i < count; i++) labels.set(new LabelPair(copies[i], values[i]))
    return true
  }
}
