import type { Limits } from '../config/types.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { LabelPair } from '../relabel/label-pair.ts'
import { LabelSet } from '../relabel/label-set.ts'
import { utf8Length } from '../wire/label.ts'
import {
  REASON_EMPTY_LABEL_NAME,
  REASON_LABEL_NAME_TOO_LONG,
  REASON_LABEL_VALUE_TOO_LONG,
  REASON_TOO_MANY_LABELS,
  STATUS_DROPPED,
  STATUS_OK,
} from '../wire/layout.ts'
import type { Variants } from './variants.ts'

/** The generation of the table is full. */
export const FULL = -1

/**
 * What all series go through when they are met for the first time, whatever protocol they came by: ingress rules, external labels,
 * each origin's rules, limits; and the outputs that come of it, as the kernel wants them listed.
 */
export class SeriesRules {
  readonly #kernel: Kernel
  readonly #variants: Variants
  readonly #externalLabels: readonly LabelPair[]
  readonly #limits: Pick<Limits, 'labels' | 'labelName' | 'labelValue'>
  /** Counts generations of the table, so that ids of an older one are known for what they are. */
  #generation = 0
  readonly #work = new LabelSet()

  constructor(kernel: Kernel, variants: Variants, limits: Limits) {
    this.#kernel = kernel
    this.#variants = variants
    this.#externalLabels = variants.externalLabels.map(
      ([name, value]) => new LabelPair(name, value),
    )
    this.#limits = limits
  }

  /** Number of outputs that a series has. */
  get variants(): number {
    return this.#variants.rules.length
  }

  /** Forgets ids and what rules remember: call it whenever the table turned over. */
  forget(): void {
    this.#generation++
    this.#variants.ingress.forget()
    for (const rules of this.#variants.rules) rules.forget()
  }

  /** The pair stands for the table's pair of that id, in this generation. */
  identify(pair: LabelPair, id: number): void {
    pair.id = id
    pair.generation = this.#generation
  }

  /**
   * Applies, in place, what comes before the origins' rules to labels that are sorted and have no empty values, the order of Prometheus: ingress rules, then external labels.
   * They are sorted again. STATUS_OK or STATUS_DROPPED.
   */
  admit(labels: LabelSet): number {
    const { ingress } = this.#variants
    if (ingress.length > 0) {
      const dropped = ingress.apply(labels) >= 0
      if (dropped || labels.get('__name__') === '') return STATUS_DROPPED
    }
    for (const pair of this.#externalLabels) {
      if (labels.indexOf(pair.name) < 0) labels.push(pair)
    }
    if (ingress.length + this.#externalLabels.length > 0) labels.sortByBytes()
    return STATUS_OK
  }

  /** Lists the outputs of a series that was admitted, one a variant. Its labels may be changed. STATUS_OK, the REASON_ why it is refused, or FULL. */
  listOutputs(admitted: LabelSet): number {
    const kernel = this.#kernel
    const { rules } = this.#variants
    for (let v = 0; v < rules.length; v++) {
      let labels = admitted
      if (rules[v].length > 0) {
        if (v < rules.length - 1) {
          labels = this.#work
          labels.copy(admitted)
        }
        const rule = rules[v].apply(labels)
        if (rule >= 0) {
          kernel.addDropped(rule)
          continue
        }
        labels.sortByBytes()
      }
      // A series without labels, or without a name, is dropped by the rules that left it so.
      if (labels.get('__name__') === '') {
        kernel.addDropped(0)
        continue
      }
      const over = this.overLimit(labels)
      if (over) return over
      if (!this.list(labels)) return FULL
    }
    return STATUS_OK
  }

  /** Applies variant v's rules, in place, to labels that were admitted; they are sorted again. Returns the rule that drops them, -1 for none. */
  apply(v: number, labels: LabelSet): number {
    const rules = this.#variants.rules[v]
    if (rules.length > 0) {
      const rule = rules.apply(labels)
      if (rule >= 0) return rule
      labels.sortByBytes()
    }
    return labels.get('__name__') === '' ? 0 : -1
  }

  /** Lists these labels. False when the generation is full. */
  list({ pairs, length }: LabelSet): boolean {
    const kernel = this.#kernel
    const generation = this.#generation
    kernel.addOutput(length)
    for (let i = 0; i < length; i++) {
      const pair = pairs[i]
      if (pair.generation !== generation) {
        const id = kernel.intern(pair.name, pair.value)
        if (id === 0) return false
        pair.id = id
        pair.generation = generation
      }
      kernel.addPair(pair.id)
    }
    return true
  }

  /** The REASON_ of the first limit that the labels break, 0 when they keep all. */
  overLimit({ pairs, length }: LabelSet): number {
    const { labels: most, labelName, labelValue } = this.#limits
    if (length > most) return REASON_TOO_MANY_LABELS
    for (let i = 0; i < length; i++) {
      const { name, value } = pairs[i]
      if (name === '') return REASON_EMPTY_LABEL_NAME // by a labelmap
      if (longer(name, labelName)) return REASON_LABEL_NAME_TOO_LONG
      if (longer(value, labelValue)) return REASON_LABEL_VALUE_TOO_LONG
    }
    return 0
  }
}

/** Whether the string has more than `most` bytes in UTF-8. Most strings are told by their length alone. */
function longer(s: string, most: number): boolean {
  return s.length * 3 > most && utf8Length(s) > most
}
