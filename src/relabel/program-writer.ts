/** Writes a program of relabel rules (rule-layout.ts): words, texts and records, one behind the other. Throws a RangeError when it is full. */
export class ProgramWriter {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #end = 0

  /** `most`: bytes that it may come to. */
  constructor(most: number) {
    this.#bytes = new Uint8Array(most)
    this.#view = new DataView(this.#bytes.buffer)
  }

  /** What is written. The writer's own, as long as nothing more is written. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#end)
  }

  /** Place of n words of zero. */
  words(n: number): number {
    return this.#take(n * 4)
  }

  /** Word i behind that place. */
  set(at: number, i: number, value: number): void {
    this.#view.setUint32(at + i * 4, value, true)
  }

  /** Place of these words. */
  list(words: readonly number[]): number {
    const at = this.words(words.length)
    for (const [i, word] of words.entries()) this.set(at, i, word)
    return at
  }

  /** Place of these records, one behind the other. */
  records(records: readonly Uint8Array[]): number {
    const places = records.map((record) => {
      const at = this.#take(record.length)
      this.#bytes.set(record, at)
      return at
    })
    return places[0] ?? 0
  }

  /** Place of the text. Behind it there is room for wide loads. */
  text(bytes: Uint8Array): number {
    const at = this.#take(bytes.length + 16)
    this.#bytes.set(bytes, at)
    return at
  }

  /** The record of the name that stands there, which is not written yet. */
  nameRecord(at: number, length: number): Uint8Array {
    const record = new Uint8Array(32)
    const view = new DataView(record.buffer)
    const n = Math.min(length, 7)
    record[0] = length
    record.set(this.#bytes.subarray(at, at + n), 1)
    record.fill(255, 8, 9 + n)
    view.setUint32(16, length, true)
    view.setUint32(20, at, true)
    return record
  }

  /** Place of a label that is set as it is. */
  fixed(name: Uint8Array, value: Uint8Array): number {
    const label = [10, name.length + value.length + 4, 10, name.length, ...name, 18, value.length]
    const at = this.#take(12 + label.length + value.length + 16)
    this.set(at, 0, label.length + value.length)
    this.#bytes.set(label, at + 12)
    this.#bytes.set(value, at + 12 + label.length)
    return at
  }

  #take(size: number): number {
    const at = this.#end
    const end = (at + size + 7) & ~7
    if (end > this.#bytes.length) throw new RangeError('the program is full')
    this.#end = end
    return at
  }
}
