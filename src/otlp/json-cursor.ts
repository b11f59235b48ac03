import { Buffer } from 'node:buffer'

/**
 * What is wrong with a JSON text, and where. Thrown and caught inside this room only; no Error, since
 * that would take a stack with it, and there may be thousands.
 */
export class Wrong {
  /** "expected …, found … at byte …". */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Values may be nested this deep where they are skipped. */
export const MAX_SKIP_DEPTH = 1000

export const QUOTE = 0x22
export const COMMA = 0x2c
export const MINUS = 0x2d
export const DOT = 0x2e
export const ZERO = 0x30
export const COLON = 0x3a
export const OPEN_LIST = 0x5b
export const BACKSLASH = 0x5c
export const CLOSE_LIST = 0x5d
export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d

const LETTER_U = 0x75

/** By byte: 1 where a string can't simply go on: its end, an escape, a control, anything but ASCII. */
const SPECIAL = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte > 0x7e || byte === QUOTE || byte === BACKSLASH ? 1 : 0,
)
const ESCAPES = new Set(Buffer.from('"\\/bfnrt'))

/** The value of a hex digit, -1 of anything else. */
export function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** Whether `byte` is one of e and E. */
export function isExponentMark(byte: number): boolean {
  return (byte | 0x20) === 0x65
}

/**
 * Goes through the bytes of one JSON text (RFC 8259, strictly; no byte order mark) without making
 * strings of them. Its methods move `at` behind what they read, and throw a Wrong where the text is
 * something else. The bytes stay the caller's and must not change meanwhile.
 */
export class JsonCursor {
  readonly bytes: Uint8Array
  at = 0
  /** Of the last string: its bytes between the quotes are those from `start` to before `stop`. */
  start = 0
  stop = 0
  /** Of the last string: whether it has escapes. */
  escaped = false
  readonly #latin: Buffer
  #nest: Uint8Array | undefined

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.#latin = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  /** The next byte that is no blank; `at` is left there. -1 at the end. */
  peek(): number {
    const { bytes } = this
    const end = bytes.length
    let at = this.at
    for (; at < end; at++) {
      const byte = bytes[at]!
      if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) {
        this.at = at
        return byte
      }
    }
    this.at = at
    return -1
  }

  /** Passes a byte that must come next, blanks before it. */
  pass(byte: number, expected: string): void {
    if (this.peek() !== byte) this.fail(expected)
    this.at++
  }

  /** Behind the opening bracket: whether it is closed at once, which is passed. */
  closes(closer: number): boolean {
    if (this.peek() !== closer) return false
    this.at++
    return true
  }

  /** Behind an element: passes the comma (true) or the closing bracket (false). */
  more(closer: number): boolean {
    const byte = this.peek()
    if (byte !== COMMA && byte !== closer) {
      this.fail(closer === CLOSE_OBJECT ? 'a comma or "}"' : 'a comma or "]"')
    }
    this.at++
    return byte === COMMA
  }

  /** Passes a string whose opening quote is at `at`, checks its escapes and its UTF-8. */
  string(): void {
    const { bytes } = this
    const end = bytes.length
    let at = this.at + 1
    this.start = at
    this.escaped = false
    for (;;) {
      while (at < end && SPECIAL[bytes[at]!] === 0) at++
      if (at === end) this.fail('the end of a string', at)
      const byte = bytes[at]!
      if (byte === QUOTE) break
      if (byte === BACKSLASH) at = this.#escape(at)
      else if (byte >= 0x80) at = this.#character(at)
      else if (byte === 0x7f) at++
      else this.fail('no control character in a string', at)
    }
    this.stop = at
    this.at = at + 1
  }

  /** Passes a key and the colon behind it. */
  key(): void {
    if (this.peek() !== QUOTE) this.fail('a key in quotes')
    this.string()
    this.pass(COLON, 'a colon')
  }

  /** Passes a number that begins at `at`. */
  number(): void {
    const { bytes } = this
    if (bytes[this.at] === MINUS) this.at++
    const first = this.at
    const digits = this.#digits()
    if (digits > 1 && bytes[first] === ZERO) this.fail('no zero before a number', first)
    if (bytes[this.at] === DOT) {
      this.at++
      this.#digits()
    }
    if (this.at < bytes.length && isExponentMark(bytes[this.at]!)) {
      this.at++
      const sign = bytes[this.at]
      if (sign === MINUS || sign === 0x2b) this.at++
      this.#digits()
    }
  }

  /** Passes `true`, `false` or `null` if that is what comes next. */
  word(text: 'true' | 'false' | 'null'): boolean {
    if (this.peek() < 0) return false
    for (let i = 0; i < text.length; i++) {
      if (this.bytes[this.at + i] !== text.charCodeAt(i)) return false
    }
    this.at += text.length
    return true
  }

  /** Passes one value of any kind, nested up to MAX_SKIP_DEPTH. */
  skip(): void {
    let depth = 0
    for (;;) {
      const byte = this.peek()
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        const closer = byte + 2
        this.at++
        if (!this.closes(closer)) {
          if (depth === MAX_SKIP_DEPTH) this.fail(`at most ${MAX_SKIP_DEPTH} levels of nesting`)
          this.#nest ??= new Uint8Array(MAX_SKIP_DEPTH)
          this.#nest[depth++] = closer
          if (closer === CLOSE_OBJECT) this.key()
          continue
        }
      } else {
        this.#plain(byte)
      }
      while (depth > 0 && !this.more(this.#nest![depth - 1]!)) depth--
      if (depth === 0) return
      if (this.#nest![depth - 1] === CLOSE_OBJECT) this.key()
    }
  }

  /** The bytes from `start` to before `stop`, which must be ASCII, as a string. */
  ascii(start: number, stop: number): string {
    return this.#latin.toString('latin1', start, stop)
  }

  /** Throws a Wrong that says what should be at `at` and what is there. */
  fail(expected: string, at = this.at): never {
    throw new Wrong(`expected ${expected}, found ${this.#found(at)} at byte ${at}`)
  }

  #found(at: number): string {
    if (at >= this.bytes.length) return 'the end'
    const byte = this.bytes[at]!
    return byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `0x${byte.toString(16)}`
  }

  /** Passes a string, a number or a word that begins with `byte`, which is at `at`. */
  #plain(byte: number): void {
    if (byte === QUOTE) this.string()
    else if (byte === MINUS || (byte >= ZERO && byte <= 0x39)) this.number()
    else if (!this.word('true') && !this.word('false') && !this.word('null')) this.fail('a value')
  }

  #digits(): number {
    const { bytes } = this
    const from = this.at
    while (this.at < bytes.length && bytes[this.at]! >= ZERO && bytes[this.at]! <= 0x39) this.at++
    if (this.at === from) this.fail('a digit')
    return this.at - from
  }

  /** Behind the escape whose backslash is at `at`. */
  #escape(at: number): number {
    const { bytes } = this
    this.escaped = true
    const kind = bytes[at + 1]
    if (kind !== LETTER_U) {
      if (kind === undefined || !ESCAPES.has(kind)) this.fail('an escape that JSON has', at + 1)
      return at + 2
    }
    for (let i = at + 2; i < at + 6; i++) {
      if (i >= bytes.length || hexDigit(bytes[i]!) < 0) this.fail('four hex digits', i)
    }
    return at + 6
  }

  /** Behind the UTF-8 character of two to four bytes that begins at `at` (table 3-7 of Unicode). */
  #character(at: number): number {
    const { bytes } = this
    const first = bytes[at]!
    let low = 0x80
    let high = 0xbf
    let more = 1
    if (first >= 0xe0) {
      more = first < 0xf0 ? 2 : 3
      if (first === 0xe0) low = 0xa0
      else if (first === 0xed) high = 0x9f
      else if (first === 0xf0) low = 0x90
      else if (first === 0xf4) high = 0x8f
    }
    if (first < 0xc2 || first > 0xf4) this.fail('UTF-8', at)
    for (let i = at + 1; i <= at + more; i++) {
      const byte = i < bytes.length ? bytes[i]! : 0
      if (byte < low || byte > high) this.fail('UTF-8', at)
      low = 0x80
      high = 0xbf
    }
    return at + 1 + more
  }
}
