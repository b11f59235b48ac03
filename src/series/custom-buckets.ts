import type { Kernel } from '../kernel/kernel.ts'
import { LabelPair } from '../relabel/label-pair.ts'
import { LabelSet } from '../relabel/label-set.ts'
import { MAX_LABELS, REASON_TOO_MANY_LABELS, STATUS_GROUP, STATUS_OK } from '../wire/layout.ts'
import { openMetricsFloat } from './open-metrics-float.ts'
import { FULL, type SeriesRules } from './series-rules.ts'

/** One variant of the histogram's series: its labels, or the rule that drops it. */
type Output = LabelSet | number

/**
 * The classic series that stand in for a native histogram with custom buckets where an origin can't take it: a bucket for each
 * bound, the one up to +Inf, the count and the sum, in this order. Their labels are made of what each origin's rules made of the
 * histogram's: rules see its own name. Limits are for what was sent: `le` and a longer name do not break them.
 */
export class CustomBuckets {
  readonly #kernel: Kernel
  readonly #rules: SeriesRules
  readonly #member = new LabelSet()
  readonly #none = new LabelSet()

  constructor(kernel: Kernel, rules: SeriesRules) {
    this.#kernel = kernel
    this.#rules = rules
  }

  /**
   * Adds the group of the last MISS, which is about such a histogram. `labels` are its series', after ingress rules and external
   * labels, sorted; own: they are the output of every variant, whatever the rules. STATUS_OK, the REASON_ why its series is refused, or FULL.
   */
  miss(labels: LabelSet, own: boolean): number {
    const kernel = this.#kernel
    const bounds = doubles(kernel.pairBytes(kernel.missPair(kernel.missLabels)))
    const outputs = this.#outputs(labels, own)
    // The kernel has no room for a label more.
    if (outputs.some((output) => withLe(output) > MAX_LABELS)) return REASON_TOO_MANY_LABELS
    kernel.beginGroup()
    for (const bound of [...bounds, Infinity]) {
      const le = new LabelPair('le', openMetricsFloat(bound))
      if (!this.#add(outputs, '_bucket', le)) return FULL
    }
    if (!this.#add(outputs, '_count') || !this.#add(outputs, '_sum')) return FULL
    return kernel.addCustom(STATUS_GROUP) ? STATUS_OK : FULL
  }

  #outputs(labels: LabelSet, own: boolean): Output[] {
    return Array.from({ length: this.#rules.variants }, (_, v) => {
      const output = new LabelSet()
      output.copy(labels)
      const rule = own ? -1 : this.#rules.apply(v, output)
      return rule < 0 ? output : rule
    })
  }

  /** Nothing looks a member up by labels of its own: its first output stands there, which then takes no room. */
  #add(outputs: readonly Output[], suffix: string, le?: LabelPair): boolean {
    const kernel = this.#kernel
    const first = outputs.find((output) => typeof output !== 'number')
    kernel.beginOutputs()
    if (!this.#rules.list(first ? this.#derive(first, suffix, le) : this.#none)) return false
    for (const output of outputs) {
      if (typeof output === 'number') {
        kernel.addDropped(output)
        continue
      }
      if (!this.#rules.list(output === first ? this.#member : this.#derive(output, suffix, le)))
        return false
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

/** Number of the labels, with `le`. */
function withLe(output: Output): number {
  if (typeof output === 'number') return 0
  return output.length + (output.indexOf('le') < 0 ? 1 : 0)
}

function doubles(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: bytes.byteLength >>> 3 }, (_, i) => view.getFloat64(i * 8, true))
}
