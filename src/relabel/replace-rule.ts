import { isLabelName } from '../config/relabel-config.ts'
import { LabelPair } from './label-pair.ts'
import { joinSources, type Rule, type RuleParts, rememberJoined } from './rule.ts'
import { compileTemplate } from './template.ts'

/**
 * replace: where the regex matches, the label that the target expands to is set to what the replacement expands to, or
 * deleted when that is empty. A target that is not a label name: nothing happens.
 */
export function replaceRule({ config, memory, pattern }: RuleParts): Rule {
  const { cheap, test, find, groups, names } = pattern()
  const target = compileTemplate(config.targetLabel, groups, names)
  const replacement = compileTemplate(config.replacement, groups, names)
  const validName = (name: string) => isLabelName(name, config.nameScheme ?? 'utf8')
  const name = target.constant
  const text = replacement.constant

  if (name !== null && !validName(name)) return () => true
  if (name !== null && text !== null) {
    const pair = new LabelPair(name, text)
    const join = joinSources(config)
    const matches = cheap ? test : memory.remember(test)
    return (labels) => {
      if (matches(join(labels))) labels.set(pair)
      return true
    }
  }
  const expand = rememberJoined(config, memory, (value) => {
    const bounds = find(value)
    if (bounds === null) return null
    const label = name ?? target.expand(value, bounds)
    if (!validName(label)) return null
    return new LabelPair(label, replacement.expand(value, bounds))
  })
  return (labels) => {
    const pair = expand(labels)
    if (pair !== null) labels.set(pair)
    return true
  }
}
