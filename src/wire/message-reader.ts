import { readText } from './label.ts'

/**
 * Reads one protobuf message field by field, for the miss path: the kernel has found the bytes well-formed. Where they
 * are not after all it throws, and never reads past the message. The bytes are lent by whoever made the reader.
 *
 *     while (reader.more) {
 *       const tag = reader.tag()
 *       if (tag === 10) name = reader.text()
 *       else reader.skip(tag)
 *     }
 */
export class MessageReader {
  readonly #bytes: Uint8Array
  #at: number
  readonly #end: number

  /** For the message at [start, end) of `bytes`. */
  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
  }

  /** Whether there is another field. */
  get more(): boolean {
    return this.#at < this.#end
  }

  /** The next field: its number times 8, plus its wire type. Its value is to be read, or skipped, before anything else. */
  tag(): number {
    return this.#varint()
  }

  /** Passes over the value of the field with that tag: of any type, also a group with all that is in it. */
  skip(tag: number): void {
    let open = 0
    for (let inner = tag; ; inner = this.#varint()) {
      const wire = inner & 7
      if (wire === 0) this.#varint()
      else if (wire === 1) this.#pass(8)
      else if (wire === 2) this.#pass(this.#varint())
      else if (wire === 3) open++
      else if (wire === 4) open--
      else if (wire === 5) this.#pass(4)
      else throw new Error(`BUG: wire type ${wire}`)
      if (open <= 0) return
    }
  }

  /** A varint as a truth value. */
  bool(): boolean {
    let any = 0
    for (;;) {
      const byte = this.#byte()
      any |= byte & 127
      if (byte < 128) return any !== 0
    }
  }

  /** A varint as int64: exact, negative ones too. */
  int64(): bigint {
    let low = 0
    let high = 0
    for (let i = 0; ; i++) {
      const byte = this.#byte()
      // Seven bytes are 49 bits, which a number holds; ten bytes are more than 64, which asIntN cuts off.
      if (i < 7) low += (byte & 127) * 2 ** (7 * i)
      else if (i < 10) high += (byte & 127) * 2 ** (7 * (i - 7))
      if (byte < 128) break
    }
    return high === 0 ? BigInt(low) : BigInt.asIntN(64, (BigInt(high) << 49n) | BigInt(low))
  }

  /** Eight bytes as a double. The bits of a NaN are not kept. */
  double(): number {
    const at = this.#at
    this.#pass(8)
    const { buffer, byteOffset } = this.#bytes
    return new DataView(buffer, byteOffset + at, 8).getFloat64(0, true)
  }

  /** A string; `invalidTexts` counts it where it is no UTF-8. */
  text(): string {
    const length = this.#varint()
    const at = this.#at
    this.#pass(length)
    return readText(this.#bytes, at, length)
  }

  /** Bytes, lent like those of this message. */
  bytes(): Uint8Array {
    const length = this.#varint()
    const at = this.#at
    this.#pass(length)
    return this.#bytes.subarray(at, at + length)
  }

  /** A message inside of this one, which goes on behind it. */
  message(): MessageReader {
    const length = this.#varint()
    const at = this.#at
    this.#pass(length)
    return new MessageReader(this.#bytes, at, at + length)
  }

  #varint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#byte()
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }

  #byte(): number {
    if (this.#at >= this.#end) throw new Error('BUG: a message ends inside a field')
    return this.#bytes[this.#at++]!
  }

  #pass(length: number): void {
    if (!(length <= this.#end - this.#at)) throw new Error('BUG: a message ends inside a field')
    this.#at += length
  }
}
