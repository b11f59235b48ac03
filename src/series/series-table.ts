import type { Limits } from '../config/types.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { LabelPair } from '../relabel/label-pair.ts'
import { LabelSet } from '../relabel/label-set.ts'
import { utf8Length } from '../wire/label.ts'
import {
  MAX_LABELS,
  REASON_DUPLICATE_LABEL,
  REASON_EMPTY_LABEL_NAME,
  REASON_LABEL_NAME_TOO_LONG,
  REASON_LABEL_VALUE_TOO_LONG,
  REASON_NO_NAME,
  REASON_TOO_MANY_LABELS,
  REASON_UTF8,
  STATUS_DROPPED,
  STATUS_OK,
} from '../wire/layout.ts'
import type { Variants } from './variants.ts'

/** What became of a miss: the series is in the table, is refused for a reason, or the generation is full. */
export type Missed = 'inserted' | 'full' | number

/**
 * The TypeScript side of the series table: what a miss means. It keeps label strings and interned outputs of the young
 * generation, and nothing that a request owns.
 */
export class SeriesTable {
  readonly #kernel: Kernel
  readonly #variants: Variants
  readonly #externalLabels: readonly LabelPair[]
  readonly #limits: Pick<Limits, 'labels' | 'labelName' | 'labelValue'>
  /** Labels of the young generation by the number of their pair; a number is the REASON_ why it can't be accepted. */
  #pairs: (LabelPair | number)[] = []
  /** Counts generations, so that ids of an older one are known for what they are. */
  #generation = 0
  readonly #base = new LabelSet()
  readonly #work = new LabelSet()

  constructor(kernel: Kernel, variants: Variants, limits: Limits) {
    this.#kernel = kernel
    this.#variants = variants
    this.#externalLabels = variants.externalLabels.map(
      ([name, value]) => new LabelPair(name, value),
    )
    this.#limits = limits
    this.clear()
  }

  /** Empties both generations. */
  clear(): void {
    this.#kernel.clear(this.#variants.rules.length)
    this.forget()
  }

  /** Forgets everything about the young generation: call it whenever the table turned over. */
  forget(): void {
    this.#pairs = []
    this.#generation++
    this.#variants.ingress.forget()
    for (const rules of this.#variants.rules) rules.forget()
  }

  /**
   * Decides what the series of the last MISS becomes, in the order of Prometheus: ingress rules, external labels, each
   * origin's rules, empty values removed, sorted by bytes, limits. A number is the REASON_ to refuse it with, for series
   * that can't be in the table.
   */
  miss(): Missed {
    const n = this.#kernel.missLabels
    if (n === 0) return REASON_NO_NAME
    if (n > MAX_LABELS) return REASON_TOO_MANY_LABELS
    const labels = this.#base
    const refused = this.#take(n)
    if (refused !== STATUS_OK) return this.#insert(refused)
    const { ingress } = this.#variants
    if (ingress.length > 0) {
      const dropped = ingress.apply(labels) >= 0
      if (dropped || labels.get('__name__') === '') return this.#insert(STATUS_DROPPED)
    }
    for (const pair of this.#externalLabels) {
      if (labels.indexOf(pair.name) < 0) labels.push(pair)
    }
    if (ingress.length + this.#externalLabels.length > 0) labels.sortByBytes()
    return this.#outputs()
  }

  /** As `miss`, for a message of our own making that is cut anew: every variant's output is the series itself. */
  missOfOwn(): Missed {
    this.#take(this.#kernel.missLabels)
    this.#kernel.beginOutputs()
    for (const _ of this.#variants.rules) {
      if (!this.#addOutput(this.#base)) return 'full'
    }
    return this.#insert(STATUS_OK)
  }

  #insert(status: number): Missed {
    return this.#kernel.insert(status) ? 'inserted' : 'full'
  }

  /** Fills `#base` with the labels of the miss, sorted, empty values left out. Returns STATUS_OK or why it is refused. */
  #take(n: number): number {
    const kernel = this.#kernel
    const labels = this.#base
    labels.clear()
    let refused = STATUS_OK
    let named = false
    for (let i = 0; i < n; i++) {
      const id = kernel.missPair(i)
      const number = kernel.pairNumber(id)
      const pair = (this.#pairs[number] ??= this.#read(id))
      if (typeof pair === 'number') {
        refused ||= pair
        continue
      }
      if (pair.value === '') continue
      if (pair.name === '__name__') named = true
      labels.push(pair)
    }
    if (!named) refused ||= REASON_NO_NAME
    if (kernel.missSorted) return refused
    labels.sortByBytes()
    const { pairs, length } = labels
    for (let i = 1; i < length; i++) {
      if (pairs[i].name === pairs[i - 1].name) return refused || REASON_DUPLICATE_LABEL
    }
    return refused
  }

  #read(id: number): LabelPair | number {
    const { name, value, valid, canonical } = this.#kernel.readPair(id)
    if (!valid) return REASON_UTF8
    if (name === '') return REASON_EMPTY_LABEL_NAME
    const pair = new LabelPair(name, value)
    if (canonical) {
      pair.id = id
      pair.generation = this.#generation
    }
    return pair
  }

  #outputs(): Missed {
    const kernel = this.#kernel
    kernel.beginOutputs()
    const { rules } = this.#variants
    for (let v = 0; v < rules.length; v++) {
      let labels = this.#base
      if (rules[v].length > 0) {
        if (v < rules.length - 1) {
          labels = this.#work
          labels.copy(this.#base)
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
      const over = this.#overLimit(labels)
      if (over) return this.#insert(over)
      if (!this.#addOutput(labels)) return 'full'
    }
    return this.#insert(STATUS_OK)
  }

  /** Lists the labels as the next variant's output. False when the generation is full. */
  #addOutput({ pairs, length }: LabelSet): boolean {
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
  #overLimit({ pairs, length }: LabelSet): number {
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
