import { isLabelName } from '../config/relabel-config.ts'
import type { Config, RelabelAction, RelabelConfig } from '../config/types.ts'
import {
  ACTION_DROP,
  ACTION_DROPEQUAL,
  ACTION_HASHMOD,
  ACTION_KEEP,
  ACTION_KEEPEQUAL,
  ACTION_LABELDROP,
  ACTION_LABELKEEP,
  ACTION_LOWERCASE,
  ACTION_REPLACE,
  ACTION_UPPERCASE,
  MEMOS,
  PROGRAM,
  RULE_ACTION,
  RULE_FIXED,
  RULE_MATCHER,
  RULE_MEMO,
  RULE_MODULUS_HIGH,
  RULE_MODULUS_LOW,
  RULE_SEPARATOR,
  RULE_SEPARATOR_LENGTH,
  RULE_SOURCES,
  RULE_SOURCES_AT,
  RULE_TARGET,
  RULE_TEMPLATE,
  RULE_WORDS,
} from '../wire/rule-layout.ts'
import { compilePattern, type Pattern } from './pattern.ts'
import { ProgramWriter } from './program-writer.ts'
import { parseShapes, type Shape } from './shape.ts'
import { compileTemplate, type Template } from './template.ts'

/** Relabel rules as the kernel runs them on series that are met for the first time (rule-layout.ts). */
export interface RuleProgram {
  readonly bytes: Uint8Array
  /** Rules whose regex needs an engine, by the number of their memo: what becomes of a value. */
  readonly asked: ReadonlyMap<number, Asked>
}

/** Whether the value, '' for a label that is absent, matches; or the value that the rule's target is set to where it does, '' to remove it, null where it does not match. */
export type Asked =
  | { readonly target: undefined; readonly answer: (value: string) => boolean }
  | { readonly target: string; readonly answer: (value: string) => string | null }

/** The rules that all of it depends on. */
export interface ProgramRules {
  readonly ingress: readonly RelabelConfig[]
  readonly externalLabels: Config['externalLabels']
  readonly variants: readonly (readonly RelabelConfig[])[]
  readonly limits: Pick<Config['limits'], 'labels' | 'labelName' | 'labelValue'>
}

/** A rule, or all of them, is of a kind that the kernel does not run. */
class NotHere extends Error {}

/** Bytes of a name or a text at the most: longer ones make labels that are the host's anyway. */
const LONGEST = 120
/** Of name and value together of a label that the kernel runs rules on. */
export const LONGEST_LABEL = 123
const MOST_SOURCES = 16
const MOST_GROUPS = 62

/** The program for these rules. Undefined when some of them are none of the kernel's: a labelmap, a target name that is made of groups, an engine's regex over several labels. */
export function compileProgram(rules: ProgramRules): RuleProgram | undefined {
  const { limits } = rules
  // Then labels that the kernel deals with keep both limits.
  if (limits.labelName < LONGEST_LABEL || limits.labelValue < LONGEST_LABEL) return undefined
  try {
    return new Compiler().compile(rules)
  } catch (error) {
    if (error instanceof NotHere || error instanceof RangeError) return undefined
    throw error
  }
}

const ACTIONS: Partial<Record<RelabelAction, number>> = {
  keep: ACTION_KEEP,
  drop: ACTION_DROP,
  replace: ACTION_REPLACE,
  hashmod: ACTION_HASHMOD,
  labeldrop: ACTION_LABELDROP,
  labelkeep: ACTION_LABELKEEP,
  lowercase: ACTION_LOWERCASE,
  uppercase: ACTION_UPPERCASE,
  keepequal: ACTION_KEEPEQUAL,
  dropequal: ACTION_DROPEQUAL,
}

class Compiler {
  readonly #out = new ProgramWriter(PROGRAM)
  readonly #asked = new Map<number, Asked>()
  #memos = 0

  compile({ ingress, externalLabels, variants, limits }: ProgramRules): RuleProgram {
    const out = this.#out
    const header = out.words(6 + variants.length)
    const labels = externalLabels.map(([name, value]) => {
      if (value === '') throw new NotHere()
      return this.#fixed(name, value)
    })
    out.set(header, 0, variants.length)
    out.set(header, 1, this.#block(ingress))
    out.set(header, 2, labels.length)
    out.set(header, 3, out.list(labels))
    out.set(header, 4, limits.labels)
    out.set(header, 5, this.#name('__name__'))
    for (const [v, rules] of variants.entries()) out.set(header, 6 + v, this.#block(rules))
    return { bytes: out.bytes(), asked: this.#asked }
  }

  /** Place of the block, 0 when there are no rules. Rules first, then what they refer to. */
  #block(rules: readonly RelabelConfig[]): number {
    if (rules.length === 0) return 0
    const out = this.#out
    const block = out.words(1 + rules.length * RULE_WORDS)
    out.set(block, 0, rules.length)
    for (const [i, rule] of rules.entries()) this.#rule(block + 4 + i * RULE_WORDS * 4, rule)
    return block
  }

  #rule(at: number, config: RelabelConfig): void {
    const out = this.#out
    const action = ACTIONS[config.action]
    if (action === undefined || config.sourceLabels.length > MOST_SOURCES) throw new NotHere()
    out.set(at, RULE_ACTION, action)
    const sources = config.sourceLabels.map((name) => this.#nameBytes(name))
    out.set(at, RULE_SOURCES, sources.length)
    out.set(at, RULE_SOURCES_AT, out.records(sources))
    const [separator, length] = this.#text(config.separator)
    out.set(at, RULE_SEPARATOR, separator)
    out.set(at, RULE_SEPARATOR_LENGTH, length)
    switch (config.action) {
      case 'keepequal':
      case 'dropequal':
        out.set(at, RULE_TARGET, this.#name(config.targetLabel))
        return
      case 'lowercase':
      case 'uppercase':
        out.set(at, RULE_TARGET, this.#name(config.targetLabel))
        this.#remember(at, config)
        return
      case 'hashmod':
        out.set(at, RULE_TARGET, this.#name(config.targetLabel))
        this.#remember(at, config)
        out.set(at, RULE_MODULUS_LOW, Number(config.modulus & 0xffffffffn))
        out.set(at, RULE_MODULUS_HIGH, Number(config.modulus >> 32n))
        return
      case 'labeldrop':
      case 'labelkeep':
        if (!this.#matcher(at, config.regex)) throw new NotHere()
        return
      case 'keep':
      case 'drop':
        if (this.#matcher(at, config.regex)) return
        this.#ask(at, config, { target: undefined, answer: compilePattern(config.regex).test })
        return
      default:
        this.#replace(at, config)
    }
  }

  #replace(at: number, config: RelabelConfig): void {
    const out = this.#out
    const pattern = compilePattern(config.regex)
    const { groups, names } = pattern
    const target = compileTemplate(config.targetLabel, groups, names).constant
    // What does not name a label is never set: the rule does nothing. That is for the host to know.
    if (target === null || !isLabelName(target, config.nameScheme ?? 'utf8')) throw new NotHere()
    out.set(at, RULE_TARGET, this.#name(target))
    const replacement = compileTemplate(config.replacement, groups, names)
    const here = this.#matcher(at, config.regex)
    if (replacement.constant !== null) {
      const text = replacement.constant
      if (text !== '') out.set(at, RULE_FIXED, this.#fixed(target, text))
      if (!here) this.#ask(at, config, { target: undefined, answer: pattern.test })
    } else if (here) {
      out.set(at, RULE_TEMPLATE, this.#template(replacement))
      this.#remember(at, config)
    } else this.#ask(at, config, { target, answer: expansion(pattern, replacement) })
  }

  /** Whether the regex is one that needs no engine; then its matcher is written. */
  #matcher(rule: number, regex: string): boolean {
    const shapes = parseShapes(regex)
    if (shapes === null) return false
    if (shapes.groups > MOST_GROUPS) throw new NotHere()
    const words = [
      shapes.alternatives.length,
      shapes.groups,
      Number(shapes.whole),
      ...firstBytes(shapes.alternatives),
    ]
    for (const { prefix, gaps, middle, suffix } of shapes.alternatives) {
      words.push(...this.#text(prefix), gaps.length)
      for (const i of [0, 1]) {
        const gap = gaps[i]
        const not = gap?.not.codePointAt(0)
        if (not !== undefined && not > 127) throw new NotHere()
        words.push(
          gap?.least ?? 0,
          Number(gap?.lazy ?? false),
          not === undefined ? 0 : not + 1,
          gap?.group ?? 0,
        )
      }
      words.push(...this.#text(middle), ...this.#text(suffix))
    }
    this.#out.set(rule, RULE_MATCHER, this.#out.list(words))
    return true
  }

  /** The host is asked about each value of the rule's one source. */
  #ask(rule: number, { sourceLabels }: RelabelConfig, asked: Asked): void {
    if (sourceLabels.length > 1 || this.#memos === MEMOS) throw new NotHere()
    this.#asked.set(this.#memos, asked)
    this.#out.set(rule, RULE_MEMO, ++this.#memos)
  }

  /** What a value of its one source comes to is remembered, if there is room. */
  #remember(rule: number, { sourceLabels }: RelabelConfig): void {
    if (sourceLabels.length === 1 && this.#memos < MEMOS)
      this.#out.set(rule, RULE_MEMO, ++this.#memos)
  }

  #template({ parts }: Template): number {
    const words = parts.flatMap((part) =>
      typeof part === 'number' ? [part + 1, 0, 0] : [0, ...this.#text(part)],
    )
    return this.#out.list([parts.length, ...words])
  }

  #name(name: string): number {
    return this.#out.records([this.#nameBytes(name)])
  }

  #nameBytes(name: string): Uint8Array {
    const [at, length] = this.#text(name)
    if (length === 0) throw new NotHere()
    return this.#out.nameRecord(at, length)
  }

  #fixed(name: string, value: string): number {
    const [label, length] = [encoder.encode(name), encoder.encode(value)]
    if (label.length + length.length > LONGEST_LABEL) throw new NotHere()
    return this.#out.fixed(label, length)
  }

  /** Place and length of a text. */
  #text(text: string): [number, number] {
    const bytes = encoder.encode(text)
    if (bytes.length > LONGEST) throw new NotHere()
    return [this.#out.text(bytes), bytes.length]
  }
}

const encoder = new TextEncoder()

/** Eight words with a bit for each byte that a match may begin with. One that may be empty, or begins with a gap, may begin with any. */
function firstBytes(alternatives: readonly Shape[]): number[] {
  const words = Array.from({ length: 8 }, () => 0)
  for (const { prefix } of alternatives) {
    const [first] = encoder.encode(prefix)
    if (first === undefined) return words.fill(0xffffffff)
    words[first >> 5] = (words[first >> 5]! | (1 << (first & 31))) >>> 0
  }
  return words
}

function expansion({ find }: Pattern, replacement: Template): (value: string) => string | null {
  return (value) => {
    const bounds = find(value)
    return bounds === null ? null : replacement.expand(value, bounds)
  }
}
