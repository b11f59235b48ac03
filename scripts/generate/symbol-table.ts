import type { FramedTemplate } from './framed-template.ts'
import { MessageBuffer, sameBytes } from './message-buffer.ts'

/** A framed template whose frame is a symbol's field, and which symbol it was in the request that is being written. */
export interface SymbolSource {
  readonly framed: FramedTemplate
  /** By slot: the request in which it was found last, and as which symbol. */
  readonly requests: Int32Array
  readonly refs: Int32Array
}

/** Where a framed template's symbols are remembered: by slot, for one request. */
export function symbolSource(framed: FramedTemplate): SymbolSource {
  const { slots } = framed
  return { framed, requests: new Int32Array(slots), refs: new Int32Array(slots) }
}

/** The symbols of a request of remote write 2.0, each once, as they are written: the first is empty. Allocates only to grow. */
export class SymbolTable {
  /** `symbols` fields of a Request. */
  readonly message = new MessageBuffer()
  #request = 0
  #count = 0
  /** Where each symbol begins in the message, and after the last where it ends. */
  #starts = new Int32Array(1024)
  #hashes = new Int32Array(1024)
  /** By hash: the number of a symbol, or 0, which is the empty one's and is never looked for. */
  #places = new Int32Array(4096)

  /** Begins another request. */
  begin(): void {
    this.message.clear()
    this.message.byte(0x22)
    this.message.byte(0)
    this.#starts[1] = this.message.length
    this.#places.fill(0)
    this.#count = 1
    // It would take days to come around.
    this.#request = (this.#request + 1) | 0
  }

  /** The number of the symbol that the template has for this series. */
  find({ framed, requests, refs }: SymbolSource, seriesId: number, generation: number): number {
    const known = framed.find(seriesId, generation)
    const { slot } = framed
    if (known && requests[slot] === this.#request) return refs[slot]!
    requests[slot] = this.#request
    return (refs[slot] = this.#intern(framed))
  }

  #intern({ bytes, start, length }: FramedTemplate): number {
    const mask = this.#places.length - 1
    const hashed = hash(bytes, start, length)
    let place = hashed & mask
    for (let ref = this.#places[place]!; ref !== 0; ref = this.#places[place]!) {
      const at = this.#starts[ref]!
      const same = this.#hashes[ref] === hashed && this.#starts[ref + 1]! - at === length
      if (same && sameBytes(this.message.bytes, at, bytes, start, length)) return ref
      place = (place + 1) & mask
    }
    const ref = this.#count++
    this.#places[place] = ref
    this.#hashes[ref] = hashed
    this.message.copy(bytes, start, length)
    if (this.#count >= this.#starts.length) this.#grow()
    this.#starts[this.#count] = this.message.length
    return ref
  }

  #grow(): void {
    this.#starts = grown(this.#starts)
    this.#hashes = grown(this.#hashes)
    const places = new Int32Array(this.#places.length * 2)
    const mask = places.length - 1
    for (let ref = 1; ref < this.#count; ref++) {
      let place = this.#hashes[ref]! & mask
      while (places[place] !== 0) place = (place + 1) & mask
      places[place] = ref
    }
    this.#places = places
  }
}

function grown(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}

/** FNV-1a, of four bytes at once. Of all bytes: where long values differ is anywhere. */
function hash(bytes: Buffer, start: number, length: number): number {
  let mixed = 0x811c9dc5 ^ length
  const end = start + length
  let at = start
  for (; at + 4 <= end; at += 4) {
    const four =
      bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    mixed = Math.imul(mixed ^ four, 0x01000193)
    mixed ^= mixed >>> 15
  }
  for (; at < end; at++) mixed = Math.imul(mixed ^ bytes[at]!, 0x01000193)
  // Values often differ in their last digit only.
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  return mixed ^ (mixed >>> 13)
}
