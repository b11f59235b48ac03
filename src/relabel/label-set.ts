import { compareBytes } from './byte-order.ts'
import type { LabelPair } from './label-pair.ts'

/**
 * The labels of one series while it is looked at for the first time. One instance serves every series: `clear` it and
 * push the next one's labels. The arrays only grow; what lies beyond `length` is left over from earlier series and means
 * nothing. A few hundred labels at most: every search is linear.
 */
export class LabelSet {
  readonly pairs: LabelPair[] = []
  /** 0 for a label as it was sent, else the how-many-th it was set: `labelmap` visits labels in this order. */
  readonly turns: number[] = []
  length = 0
  #turn = 0

  /** Makes the set empty. Allocates nothing. */
  clear(): void {
    this.length = 0
    this.#turn = 0
  }

  /** Adds a label as it was sent. The caller leaves out empty values and refuses repeated names. */
  push(pair: LabelPair): void {
    const at = this.length++
    this.pairs[at] = pair
    this.turns[at] = 0
  }

  /** Becomes a copy of `from`, every label as sent. */
  copy(from: LabelSet): void {
    const { pairs, turns } = this
    this.length = from.length
    this.#turn = 0
    for (let i = 0; i < from.length; i++) {
      pairs[i] = from.pairs[i]
      turns[i] = 0
    }
  }

  /** Where `name` is; -1 when it is absent. */
  indexOf(name: string): number {
    const { pairs, length } = this
    for (let i = 0; i < length; i++) if (pairs[i].name === name) return i
    return -1
  }

  /** The value of `name`; '' when it is absent. */
  get(name: string): string {
    const at = this.indexOf(name)
    return at < 0 ? '' : this.pairs[at].value
  }

  /** Sets the label of the pair's name; an empty value deletes it. A pair that has the same value stays as it is. */
  set(pair: LabelPair): void {
    const at = this.indexOf(pair.name)
    if (pair.value === '') {
      if (at >= 0) this.removeAt(at)
      return
    }
    if (at < 0) {
      const end = this.length++
      this.pairs[end] = pair
      this.turns[end] = ++this.#turn
      return
    }
    if (this.turns[at] === 0) this.turns[at] = ++this.#turn
    if (this.pairs[at].value !== pair.value) this.pairs[at] = pair
  }

  /** Removes `name` if it is there. */
  delete(name: string): void {
    const at = this.indexOf(name)
    if (at >= 0) this.removeAt(at)
  }

  /** Removes the label at index `at`; later ones move down by one. */
  removeAt(at: number): void {
    const { pairs, turns } = this
    const length = --this.length
    for (let i = at; i < length; i++) {
      pairs[i] = pairs[i + 1]
      turns[i] = turns[i + 1]
    }
  }

  /**
   * Sorts by the UTF-8 bytes of the names and forgets which labels were set after others: from here on all count as
   * sent. Costs one comparison a label when they are sorted already, and one more for every doubling of their number for
   * each that is not in its place: they come from strangers.
   */
  sortByBytes(): void {
    const { pairs, turns, length } = this
    for (let i = 0; i < length; i++) {
      turns[i] = 0
      if (i === 0 || compareBytes(pairs[i - 1].name, pairs[i].name) <= 0) continue
      const pair = pairs[i]
      let to = 0
      for (let above = i - 1; to < above; ) {
        const middle = (to + above) >> 1
        if (compareBytes(pairs[middle].name, pair.name) > 0) above = middle
        else to = middle + 1
      }
      for (let at = i; at > to; at--) pairs[at] = pairs[at - 1]
      pairs[to] = pair
    }
    this.#turn = 0
  }
}
