import type { Kernel } from '../kernel/kernel.ts'
import { LabelPair } from '../relabel/label-pair.ts'
import { LabelSet } from '../relabel/label-set.ts'
import { boundText } from '../translate/bound-text.ts'
import { STATUS_GROUP, STATUS_OK } from '../wire/layout.ts'
import type { SeriesRules } from './series-rules.ts'

/** One variant of the histogram's series: its labels, or the rule that drops it. */
type Output = LabelSet | number

/**
 * The classic series that stand in for a native histogram with custom buckets where an origin can't take it: a bucket for each
 * bound, the one up to +Inf, the count and the sum, in this order. Their labels are made of what each origin's rules made of the
 * histogram's: rules see its own name.
 */
export class CustomBuckets {
  readonly #kernel: Kernel
  readonly #rules: SeriesRules
  readonly #member = new LabelSet()

  constructor(kernel: Kernel, rules: SeriesRules) {
    this.#kernel = kernel
    this.#rules = rules
  }

  /**
   * Adds the group of the last MISS, which is about such a histogram. `labels` are its series', after ingress rules and external
   * labels, sorted; own: they are the output of every variant, whatever the rules. False when the generation is full.
   */
  miss(labels: LabelSet, own: boolean): boolean {
    const kernel = this.#kernel
    const bounds = doubles(kernel.pairBytes(kernel.missPair(kernel.missLabels)))
    const outputs = this.#outputs(labels, own)
    kernel.beginGroup()
    for (const bound of [...bounds, Infinity]) {
      const le = new LabelPair('le', boundText(bound))
      if (!this.#add(labels, outputs, '_bucket', le)) return false
    }
    if (!this.#add(labels, outputs, '_count') || !this.#add(labels, outputs, '_sum')) return false
    return kernel.addCustom(STATUS_GROUP)
  }

  #outputs(labels: LabelSet, own: boolean): Output[] {
    return Array.from({ length: this.#rules.variants }, (_, v) => {
      const output = new LabelSet()
      output.copy(labels)
      const rule = own ? -1 : this.#rules.apply(v, output)
      return rule < 0 ? output : rule
    })
  }

  #add(labels: LabelSet, outputs: readonly Output[], suffix: string, le?: LabelPair): boolean {
    const kernel = this.#kernel
    kernel.beginOutputs()
    if (!this.#rules.list(this.#derive(labels, suffix, le))) return false
    for (const output of outputs) {
      if (typeof output === 'number') {
        kernel.addDropped(output)
        continue
      }
      const derived = this.#derive(output, suffix, le)
      const over = this.#rules.overLimit(derived)
      if (over !== STATUS_OK) return kernel.addMember(over)
      if (!this.#rules.list(derived)) return false
    }
    return kernel.addMember(STATUS_OK)
  }

  /** The labels under another name, with `le`. Valid until the next call. */
  #derive(labels: LabelSet, suffix: string, le: LabelPair | undefined): LabelSet {
    const member = this.#member
    member.copy(labels)
    member.set(new LabelPair('__name__', labels.get('__name__') + suffix))
    if (le) member.set(le)
    member.sortByBytes()
    return member
  }
}

function doubles(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: bytes.byteLength >>> 3 }, (_, i) => view.getFloat64(i * 8, true))
}
