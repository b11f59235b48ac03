import type { LabelPair } from '../relabel/label-pair.ts'

/** Up to this many labels, looking at each is faster than a map, which has to be filled first. */
const FEW = 16

/**
 * Labels being put together in an array, each name once, in no particular order. The array is its owner's, and is
 * written from `begin` on until the next `begin`.
 */
export class LabelList {
  #into: LabelPair[] = []
  /** Where names are in the array: of its first `#indexed` labels, when there are more than a few. */
  readonly #places = new Map<string, number>()
  #indexed = 0

  /** Empties the array, which is then filled. */
  begin(into: LabelPair[]): void {
    into.length = 0
    this.#into = into
    if (this.#indexed > 0) this.#places.clear()
    this.#indexed = 0
  }

  /** Adds the label if there is none of its name. False: there is one. */
  add(pair: LabelPair): boolean {
    if (this.#place(pair.name) >= 0) return false
    this.#into.push(pair)
    return true
  }

  /** Adds the label, in place of the one of its name. */
  set(pair: LabelPair): void {
    const place = this.#place(pair.name)
    this.#into[place < 0 ? this.#into.length : place] = pair
  }

  /** The label of that name. */
  get(name: string): LabelPair | undefined {
    const place = this.#place(name)
    return place < 0 ? undefined : this.#into[place]
  }

  /** Removes the label of that name, if there is one. */
  remove(name: string): void {
    const place = this.#place(name)
    if (place < 0) return
    const into = this.#into
    const last = into.pop()!
    if (place < into.length) into[place] = last
    if (this.#indexed === 0) return
    // The map knows of all but the newest, and of the last one's old place.
    this.#places.delete(name)
    if (place < into.length) this.#places.set(last.name, place)
    this.#indexed = Math.min(this.#indexed, into.length)
  }

  #place(name: string): number {
    const into = this.#into
    if (into.length > FEW) {
      while (this.#indexed < into.length)
        this.#places.set(into[this.#indexed]!.name, this.#indexed++)
      return this.#places.get(name) ?? -1
    }
    for (let i = 0; i < into.length; i++) {
      if (into[i]!.name === name) return i
    }
    return -1
  }
}
