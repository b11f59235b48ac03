/** Bytes up to so many are copied one by one, which costs less than a call out of JavaScript. */
const FEW = 64

/**
 * A message being written: one piece of memory that grows to twice its size and is used again from its start. What is read of `bytes` up to `length` is lent
 * until something is written. Lengths of nested messages are written afterwards, into a place kept for a length that is guessed.
 */
export class MessageBuffer {
  /** May be another after each write. */
  bytes: Buffer
  /** So much of `bytes` is written. */
  length = 0

  /** `size` in bytes, to begin with. */
  constructor(size = 1024) {
    this.bytes = Buffer.allocUnsafeSlow(size)
  }

  /** Begins anew, in the same memory. */
  clear(): void {
    this.length = 0
  }

  /** What is written, lent until something else is. */
  written(): Uint8Array {
    return new Uint8Array(this.bytes.buffer, 0, this.length)
  }

  /** Writes one byte: also a tag of a field up to 15. */
  byte(value: number): void {
    if (this.length === this.bytes.length) this.#grow(1)
    this.bytes[this.length++] = value
  }

  /** Writes a whole number that is not negative and at most 2^53. */
  varint(value: number): void {
    if (this.length + 8 > this.bytes.length) this.#grow(8)
    this.length = putVarint(this.bytes, this.length, value)
  }

  /** Writes a double: 8 bytes. */
  double(value: number): void {
    if (this.length + 8 > this.bytes.length) this.#grow(8)
    this.length = this.bytes.writeDoubleLE(value, this.length)
  }

  /** Writes `value * scale` as 8 bytes, exact while it is below 2^63: both whole, not negative, the value at most 2^53 and the scale at most 2^20. */
  fixed64(value: number, scale = 1): void {
    if (this.length + 8 > this.bytes.length) this.#grow(8)
    // In pieces whose products are exact.
    const upper = Math.floor(value / 0x10000) * scale
    const lower = (value % 0x10000) * scale + (upper % 0x10000) * 0x10000
    this.bytes.writeUInt32LE(lower % 0x100000000, this.length)
    const carry = Math.floor(lower / 0x100000000)
    this.length = this.bytes.writeUInt32LE(Math.floor(upper / 0x10000) + carry, this.length + 4)
  }

  /** Writes digits: a whole number that is not negative and at most 2^53. */
  decimal(value: number): void {
    if (this.length + 16 > this.bytes.length) this.#grow(16)
    let digits = 1
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits++
    this.length += digits
    let rest = value
    for (let at = this.length - 1; digits > 0; digits--, at--) {
      this.bytes[at] = 48 + (rest % 10)
      rest = Math.floor(rest / 10)
    }
  }

  /** Writes text as UTF-8, without its length. Costs more than `constant`. */
  text(value: string): void {
    const most = value.length * 3
    if (this.length + most > this.bytes.length) this.#grow(most)
    this.length += this.bytes.write(value, this.length)
  }

  /** Writes all of these bytes. */
  constant(bytes: Buffer): void {
    this.copy(bytes, 0, bytes.length)
  }

  /** Writes these bytes of another buffer. */
  copy(from: Buffer, start: number, length: number): void {
    if (this.length + length > this.bytes.length) this.#grow(length)
    const { bytes, length: at } = this
    if (length > FEW) from.copy(bytes, at, start, start + length)
    else for (let i = 0; i < length; i++) bytes[at + i] = from[start + i]!
    this.length = at + length
  }

  /** Writes all that is in another. */
  append(other: MessageBuffer): void {
    this.copy(other.bytes, 0, other.length)
  }

  /** Begins a nested message that is about `guess` bytes long. Returns where its content begins. */
  open(guess: number): number {
    const size = varintSize(guess)
    if (this.length + size > this.bytes.length) this.#grow(size)
    return (this.length += size)
  }

  /** Ends the nested message that began at `start`, with the guess that it began with. Returns how long it is: the next one's guess. */
  close(start: number, guess: number): number {
    const length = this.length - start
    const kept = varintSize(guess)
    const size = varintSize(length)
    if (size !== kept) {
      if (size > kept && this.length + size > this.bytes.length) this.#grow(size)
      this.bytes.copyWithin(start - kept + size, start, this.length)
      this.length += size - kept
    }
    putVarint(this.bytes, start - kept, length)
    return length
  }

  /** Whether the same is written in both. */
  equals(other: MessageBuffer): boolean {
    return this.length === other.length && this.holds(other.bytes, 0, this.length)
  }

  /** Whether all that is written is the same as these bytes. */
  holds(bytes: Buffer, start: number, length: number): boolean {
    return length === this.length && sameBytes(this.bytes, 0, bytes, start, length)
  }

  #grow(more: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.length + more))
    this.bytes.copy(larger, 0, 0, this.length)
    this.bytes = larger
  }
}

/** Whether so many bytes are the same. */
export function sameBytes(
  a: Buffer,
  startA: number,
  b: Buffer,
  startB: number,
  length: number,
): boolean {
  for (let i = 0; i < length; i++) if (a[startA + i] !== b[startB + i]) return false
  return true
}

/** How many bytes a varint takes: a whole number that is not negative and at most 2^53. */
export function varintSize(value: number): number {
  let size = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++
  return size
}

function putVarint(bytes: Buffer, start: number, value: number): number {
  let at = start
  let rest = value
  while (rest >= 128) {
    bytes[at++] = (rest % 128) | 128
    rest = Math.floor(rest / 128)
  }
  bytes[at++] = rest
  return at
}
