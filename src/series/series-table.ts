import type { Limits } from '../config/types.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { LabelPair } from '../relabel/label-pair.ts'
import { LabelSet } from '../relabel/label-set.ts'
import { type Asked, LONGEST_LABEL } from '../relabel/rule-program.ts'
import { utf8Length } from '../wire/label.ts'
import {
  MAX_LABELS,
  MISS_CUSTOM,
  MISS_POINT,
  MISS_RULE,
  R_KEY,
  R_KEY_LENGTH,
  R_MISS,
  REASON_DUPLICATE_LABEL,
  REASON_EMPTY_LABEL_NAME,
  REASON_NO_NAME,
  REASON_TOO_MANY_BUCKETS,
  REASON_TOO_MANY_LABELS,
  REASON_UTF8,
  STATUS_OK,
} from '../wire/layout.ts'
import { ABSENT, ANSWER_NO, ANSWER_REMOVE, ANSWER_YES } from '../wire/rule-layout.ts'
import { CustomBuckets } from './custom-buckets.ts'
import { PointTable, type Translation } from './point-table.ts'
import { FULL, SeriesRules } from './series-rules.ts'
import type { Variants } from './variants.ts'

/** What became of a miss: the series is in the table, is refused for a reason, or the generation is full. */
export type Missed = 'inserted' | 'full' | number

/**
 * The TypeScript side of the series table: what a miss means. It keeps label strings and interned outputs of the young
 * generation, and nothing that a request owns.
 */
export class SeriesTable {
  readonly #kernel: Kernel
  readonly #rules: SeriesRules
  readonly #points: PointTable
  readonly #customBuckets: CustomBuckets
  /** Labels of the young generation by the number of their pair; a number is the REASON_ why it can't be accepted. */
  #pairs: (LabelPair | number)[] = []
  readonly #base = new LabelSet()
  readonly #asked: ReadonlyMap<number, Asked>

  /** `translator` is for OTLP, and says what the config's explicit histograms become. */
  constructor(kernel: Kernel, variants: Variants, limits: Limits, translation: Translation) {
    this.#kernel = kernel
    this.#rules = new SeriesRules(kernel, variants, limits)
    this.#points = new PointTable(kernel, this.#rules, limits, translation)
    this.#customBuckets = new CustomBuckets(kernel, this.#rules)
    this.#asked = variants.program?.asked ?? new Map()
    this.clear()
    kernel.setRules(variants.program?.bytes)
  }

  /** Sets of OTLP labels so far in which values were joined, since attributes got the same name. */
  get joined(): number {
    return this.#points.joined
  }

  /** Empties both generations. */
  clear(): void {
    this.#kernel.clear(this.#rules.variants)
    this.forget()
  }

  /** Forgets everything about the young generation: call it whenever the table turned over. */
  forget(): void {
    this.#pairs = []
    this.#points.forget()
    this.#rules.forget()
  }

  /**
   * Decides what the series of the last MISS becomes, in the order of Prometheus: ingress rules, external labels, each
   * origin's rules, empty values removed, sorted by bytes, limits. A number is the REASON_ to refuse it with, for series
   * that can't be in the table.
   */
  miss(): Missed {
    const about = this.#kernel.report(R_MISS)
    if (about === MISS_POINT) return this.#points.miss() ? 'inserted' : 'full'
    if (about === MISS_RULE) return this.#answer() ? 'inserted' : 'full'
    const n = this.#kernel.missLabels
    if (n === 0) return REASON_NO_NAME
    if (n > MAX_LABELS) return REASON_TOO_MANY_LABELS
    const labels = this.#base
    const refused = this.#take(n)
    if (refused !== STATUS_OK) return this.#insert(refused)
    const admitted = this.#rules.admit(labels)
    if (admitted !== STATUS_OK) return this.#insert(admitted)
    if (about === MISS_CUSTOM) return this.#custom(false)
    this.#kernel.beginOutputs()
    const listed = this.#rules.listOutputs(labels)
    return listed === FULL ? 'full' : this.#insert(listed)
  }

  /** Tells the kernel what a rule makes of a value that it can't match; the series is looked up again. False when the generation is full. */
  #answer(): boolean {
    const kernel = this.#kernel
    const memo = kernel.report(R_KEY)
    const pair = kernel.report(R_KEY_LENGTH)
    const { target, answer } = this.#asked.get(memo)!
    const value = pair === ABSENT ? '' : kernel.readPair(pair).value
    if (target === undefined) {
      kernel.answerRule(memo, pair, answer(value) ? ANSWER_YES : ANSWER_NO)
      return true
    }
    const text = answer(value)
    if (text === null) kernel.answerRule(memo, pair, ANSWER_NO)
    else if (text === '') kernel.answerRule(memo, pair, ANSWER_REMOVE)
    else if (utf8Length(target) + utf8Length(text) > LONGEST_LABEL) kernel.answerRule(memo, pair, 0)
    else {
      const made = kernel.intern(target, text)
      if (made === 0) return false
      kernel.answerRule(memo, pair, made)
    }
    return true
  }

  /** As `miss`, for a message of our own making that is cut anew: every variant's output is the series itself. */
  missOfOwn(): Missed {
    this.#take(this.#kernel.missLabels)
    if (this.#kernel.report(R_MISS) === MISS_CUSTOM) return this.#custom(true)
    this.#kernel.beginOutputs()
    for (let v = 0; v < this.#rules.variants; v++) {
      if (!this.#rules.list(this.#base)) return 'full'
    }
    return this.#insert(STATUS_OK)
  }

  /** The histogram's series is in the table, its labels at hand: the classic series that stand in for it are missed. */
  #custom(own: boolean): Missed {
    const missed = this.#customBuckets.miss(this.#base, own)
    if (missed === STATUS_OK) return 'inserted'
    if (missed !== FULL) return missed
    // The histogram's own series is there already.
    return this.#kernel.youngSeries > 1 ? 'full' : REASON_TOO_MANY_BUCKETS
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
    if (canonical) this.#rules.identify(pair, id)
    return pair
  }
}
