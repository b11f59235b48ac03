const POINT = 16
const FIRST_ROOM = 4
const STALE_BITS = 0x7ff0000000000002n
/** How far back a point is looked for. */
const MAX_SEARCH = 10_000

/**
 * A series with its points in the order they came in: 16 bytes each, time and value; histograms are beside them. A
 * position is that of a point among all that ever came. A class, since there may be a million.
 */
export class StoredSeries {
  readonly id: number
  /** Names and values in turn, sorted by the bytes of the names, as JSON: what tells it from others. */
  readonly key: string
  readonly name: string
  /** Position of the oldest point that is kept. */
  first = 0
  /** The position after the last. */
  end = 0
  /** The latest time, milliseconds; -Infinity before there is a point. */
  latest = Number.NEGATIVE_INFINITY
  #view = new DataView(new ArrayBuffer(FIRST_ROOM * POINT))
  /** Position of what is at the start of the view. */
  #base = 0
  #histograms: Map<number, Uint8Array> | undefined

  constructor(id: number, key: string, name: string) {
    this.id = id
    this.key = key
    this.name = name
  }

  time(position: number): number {
    return this.#view.getFloat64(this.#at(position))
  }

  /** All bits of it, also those of the stale marker. NaN for a histogram. */
  value(position: number): number {
    return this.#view.getFloat64(this.#at(position) + 8)
  }

  /** A histogram of remote write 2.0 in its binary form, lent; undefined for a sample. */
  histogram(position: number): Uint8Array | undefined {
    return this.#histograms?.get(position)
  }

  /** Position of a point of this time, the last one, among the 10,000 that came last; -1 when there is none. */
  find(time: number): number {
    const stop = Math.max(this.first, this.end - MAX_SEARCH)
    for (let i = this.end - 1; i >= stop; i--) if (this.time(i) === time) return i
    return -1
  }

  append(time: number, value: number): void {
    const offset = this.#add(time)
    // An array of floats would change the bits of a stale marker.
    this.#view.setFloat64(offset + 8, value)
  }

  appendStale(time: number): void {
    const offset = this.#add(time)
    this.#view.setBigUint64(offset + 8, STALE_BITS)
  }

  /** The bytes are the series' from now on. */
  appendHistogram(time: number, histogram: Uint8Array): void {
    this.append(time, Number.NaN)
    this.#histograms ??= new Map()
    this.#histograms.set(this.end - 1, histogram)
  }

  /** Forgets the oldest point; there must be one. Returns the bytes of its histogram, 0 for a sample. */
  dropFirst(): number {
    const bytes = this.#histograms?.get(this.first)?.length ?? 0
    this.#histograms?.delete(this.first)
    this.first += 1
    return bytes
  }

  #at(position: number): number {
    return (position - this.#base) * POINT
  }

  /** Offset of a new point with its time written. */
  #add(time: number): number {
    if (this.#at(this.end) === this.#view.byteLength) this.#makeRoom()
    const offset = this.#at(this.end)
    this.#view.setFloat64(offset, time)
    this.end += 1
    if (time > this.latest) this.latest = time
    return offset
  }

  #makeRoom(): void {
    const length = (this.end - this.first) * POINT
    const kept = new Uint8Array(this.#view.buffer, this.#at(this.first), length)
    const size = this.#view.byteLength
    // Where half of it is free that is enough.
    const next = new Uint8Array(length * 2 > size ? size * 2 : size)
    next.set(kept)
    this.#view = new DataView(next.buffer)
    this.#base = this.first
  }
}
