import type { Config, OriginConfig, RelabelConfig } from '../config/types.ts'
import { compileRules, type Hashmod, type Ruleset } from '../relabel/compile.ts'
import { compileProgram, type RuleProgram } from '../relabel/rule-program.ts'

/** The rules of one config, compiled: what the series table runs for a series that it meets for the first time. */
export interface Variants {
  readonly ingress: Ruleset
  readonly externalLabels: Config['externalLabels']
  /** One for each different `write_relabel_configs`: origins with equal rules share one, and its outputs. */
  readonly rules: readonly Ruleset[]
  /** Index into `rules` for each origin, in the order of the config. */
  readonly ofOrigin: readonly number[]
  /** The same rules for the kernel, if all of them are of kinds that it can run. */
  readonly program?: RuleProgram
}

/** Compiles the rules of a config. It was checked when it was loaded, so nothing can go wrong here. */
export function compileVariants(config: Config, hashmod: Hashmod): Variants {
  const seen: string[] = []
  const rules: Ruleset[] = []
  const variants: (readonly RelabelConfig[])[] = []
  const ofOrigin = config.origins.map((origin) => {
    const text = rulesText(origin)
    const known = seen.indexOf(text)
    if (known >= 0) return known
    variants.push(origin.writeRelabelConfigs)
    rules.push(compileRules(origin.writeRelabelConfigs, hashmod))
    return seen.push(text) - 1
  })
  const { ingressRules: ingress, externalLabels, limits } = config
  const program = compileProgram({ ingress, externalLabels, variants, limits })
  return {
    ingress: compileRules(config.ingressRules, hashmod),
    externalLabels: config.externalLabels,
    rules,
    ofOrigin,
    ...(program && { program }),
  }
}

function rulesText(origin: OriginConfig): string {
  const plain = (rule: RelabelConfig) => ({ ...rule, modulus: String(rule.modulus) })
  return JSON.stringify(origin.writeRelabelConfigs.map(plain))
}
