/** Bytes that one number with its tag takes at the most. */
const ROOM = 16

/**
 * Writes protobuf into one growing buffer. `length` may be set back to what it was before: what was
 * written since is gone.
 */
export class ProtobufWriter {
  length = 0
  /** The buffer; holds more than `length`, and another one after any method that writes. */
  bytes: Uint8Array<ArrayBuffer>
  #view: DataView
  readonly #most: number
  readonly #tooMuch: () => Error

  /** `first` bytes are made room for at once; past `most` bytes, writing throws what `tooMuch` makes. */
  constructor(first: number, most: number, tooMuch: () => Error) {
    this.bytes = new Uint8Array(Math.min(first, most) + ROOM)
    this.#view = new DataView(this.bytes.buffer)
    this.#most = most
    this.#tooMuch = tooMuch
  }

  /** What was written. Throws when it is more than `most`. The writer gives it away: no more writing. */
  finish(): Uint8Array<ArrayBuffer> {
    if (this.length > this.#most) throw this.#tooMuch()
    return this.bytes.subarray(0, this.length)
  }

  /** Makes room for `more` bytes behind `length`. */
  reserve(more: number): void {
    if (this.length + more > this.bytes.length) this.#grow(more)
  }

  /** A tag, or any other number below 2^32. */
  varint(value: number): void {
    this.reserve(ROOM)
    const { bytes } = this
    let at = this.length
    let rest = value >>> 0
    for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80
    bytes[at++] = rest
    this.length = at
  }

  /** 64 bits, two's complement, in halves. */
  varint64(low: number, high: number): void {
    this.reserve(ROOM)
    let rest = low >>> 0
    let above = high >>> 0
    while (above !== 0) {
      this.bytes[this.length++] = (rest & 0x7f) | 0x80
      rest = ((rest >>> 7) | (above << 25)) >>> 0
      above >>>= 7
    }
    this.varint(rest)
  }

  /** 64 bits in halves. */
  fixed64(low: number, high: number): void {
    this.reserve(ROOM)
    this.#view.setUint32(this.length, low, true)
    this.#view.setUint32(this.length + 4, high, true)
    this.length += 8
  }

  double(value: number): void {
    this.reserve(ROOM)
    this.#view.setFloat64(this.length, value, true)
    this.length += 8
  }

  /** Bytes from `start` to before `stop`, without a length. */
  copy(from: Uint8Array, start: number, stop: number): void {
    this.reserve(stop - start)
    const { bytes } = this
    let at = this.length
    if (stop - start > 64) bytes.set(from.subarray(start, stop), at)
    else for (let i = start; i < stop; i++) bytes[at++] = from[i]!
    this.length += stop - start
  }

  /**
   * Begins what has a length before it, of which nobody knows yet; `room` is how many bytes that
   * length will probably take, 1 or 2. To be given to `end`.
   */
  begin(room: number): number {
    this.reserve(ROOM)
    this.length += room
    return this.length
  }

  /** Writes the length of what was written since `begin(room)` returned `from`. */
  end(from: number, room: number): void {
    const size = this.length - from
    let needed = 1
    for (let rest = size >>> 7; rest > 0; rest >>>= 7) needed++
    if (needed !== room) {
      this.reserve(needed)
      this.bytes.copyWithin(from - room + needed, from, from + size)
    }
    this.length = from - room
    this.varint(size)
    this.length += size
  }

  #grow(more: number): void {
    const needed = this.length + more
    // What is reserved may be more than what will be written, by ROOM.
    if (needed > this.#most + ROOM) throw this.#tooMuch()
    const grown = new Uint8Array(Math.min(needed * 2, this.#most + ROOM))
    grown.set(this.bytes.subarray(0, this.length))
    this.bytes = grown
    this.#view = new DataView(grown.buffer)
  }
}
