import { LabelPair } from './label-pair.ts'
import { joinSources, type Rule, type RuleParts, rememberJoined } from './rule.ts'
import { lowerRunes, upperRunes } from './rune-case.ts'

/** keep, drop: does the regex match the joined values? */
export function filterRule({ config, memory, pattern }: RuleParts): Rule {
  const { cheap, test } = pattern()
  const matches = cheap ? test : memory.remember(test)
  const join = joinSources(config)
  const kept = config.action === 'keep'
  return (labels) => matches(join(labels)) === kept
}

/** keepequal, dropequal: are the joined values those of the target label? */
export function equalityRule({ config }: RuleParts): Rule {
  const { targetLabel, action } = config
  const join = joinSources(config)
  const kept = action === 'keepequal'
  return (labels) => (join(labels) === labels.get(targetLabel)) === kept
}

/** hashmod: the target label becomes the number of a shard. */
export function hashmodRule(parts: RuleParts): Rule {
  const { modulus } = parts.config
  const shards = new Map<string, LabelPair>()
  const { targetLabel } = parts.config
  // Few shards, many values: each shard is one pair, so that the table knows it when it comes again.
  const shardOf = (shard: string): LabelPair => {
    const known = shards.get(shard)
    if (known !== undefined) return known
    const pair = new LabelPair(targetLabel, shard)
    if (shards.size < MOST_SHARDS) shards.set(shard, pair)
    return pair
  }
  return setTo(parts, (value) => shardOf(parts.hashmod(value, modulus)))
}

const MOST_SHARDS = 1024

/** lowercase, uppercase. */
export function caseRule(parts: RuleParts): Rule {
  const { action, targetLabel } = parts.config
  const map = action === 'lowercase' ? lowerRunes : upperRunes
  return setTo(parts, (value) => new LabelPair(targetLabel, map(value)))
}

function setTo({ config, memory }: RuleParts, map: (value: string) => LabelPair): Rule {
  const pairOf = rememberJoined(config, memory, map)
  return (labels) => {
    labels.set(pairOf(labels))
    return true
  }
}
