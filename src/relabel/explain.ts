import type { RelabelAction, RelabelConfig } from '../config/types.ts'
import { compareBytes } from './byte-order.ts'
import type { LabelSet } from './label-set.ts'
import { joinSources, type Rule } from './rule.ts'

/** What one rule did to one series. */
export interface Step {
  /** Index of the rule, from 0. */
  readonly rule: number
  readonly action: RelabelAction
  /** The joined values of the source labels; null for rules about label names. */
  readonly value: string | null
  readonly dropped: boolean
  /** In words: `dropped`, `nothing`, or what was set and removed. */
  readonly what: string
  /** The labels after the rule, in byte order. */
  readonly labels: readonly Label[]
}

type Label = readonly [name: string, value: string]

const aboutNames: readonly RelabelAction[] = ['labelmap', 'labeldrop', 'labelkeep']

/** Runs the rules one by one, up to the first that drops, and looks at the labels in between. */
export function explainRules(
  configs: readonly RelabelConfig[],
  rules: readonly Rule[],
  labels: LabelSet,
): Step[] {
  const steps: Step[] = []
  let before = snapshot(labels)
  for (const [rule, config] of configs.entries()) {
    const { action } = config
    const value = aboutNames.includes(action) ? null : joinSources(config)(labels)
    const dropped = !rules[rule](labels)
    const after = dropped ? before : snapshot(labels)
    const what = dropped ? 'dropped' : difference(before, after)
    steps.push({ rule, action, value, dropped, what, labels: after })
    if (dropped) break
    before = after
  }
  return steps
}

/** The labels in byte order; the set itself stays as it is. */
function snapshot({ pairs, length }: LabelSet): Label[] {
  const labels = pairs.slice(0, length).map(({ name, value }): Label => [name, value])
  return labels.sort(([a], [b]) => compareBytes(a, b))
}

function difference(before: readonly Label[], after: readonly Label[]): string {
  const old = new Map(before)
  const now = new Map(after)
  const removed = before.filter(([name]) => !now.has(name)).map(([name]) => `removed ${name}`)
  const set = after
    .filter(([name, value]) => old.get(name) !== value)
    .map(([name, value]) => `set ${name}=${JSON.stringify(value)}`)
  return [...set, ...removed].join(', ') || 'nothing'
}
