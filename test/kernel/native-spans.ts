/** Index and count of a bucket. */
export type Bucket = readonly [number, bigint]

export interface Span {
  readonly offset: number
  readonly length: number
}

/** Spans and deltas of buckets in order of index: gaps of up to `gap` buckets are written out, larger ones start a span. */
export function nativeSpans(buckets: readonly Bucket[], gap: number) {
  const spans: { offset: number; length: number }[] = []
  const counts: bigint[] = []
  let behind = 0
  for (const [index, count] of buckets) {
    const skipped = index - behind
    const last = spans.at(-1)
    if (!last || skipped > gap) spans.push({ offset: skipped, length: 1 })
    else {
      last.length += skipped + 1
      for (let i = 0; i < skipped; i++) counts.push(0n)
    }
    counts.push(count)
    behind = index + 1
  }
  return { spans, deltas: counts.map((count, i) => count - (counts[i - 1] ?? 0n)) }
}

/** The reverse: every bucket that the spans name, empty ones too. */
export function bucketsOf<T>(spans: readonly Span[], counts: readonly T[]): [number, T][] {
  const out: [number, T][] = []
  let index = 0
  for (const { offset, length } of spans) {
    index += offset
    for (let i = 0; i < length; i++) out.push([index++, counts[out.length]!])
  }
  return out
}

/** Absolute counts. */
export function fromDeltas(deltas: readonly bigint[]): bigint[] {
  let count = 0n
  return deltas.map((delta) => (count += delta))
}
