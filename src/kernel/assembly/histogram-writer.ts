// Writes one Histogram message of remote write (spec 2.1) in canonical order, never past the end of its region. Buckets are
// handed over twice, once for their spans and once for their counts: nothing is kept but the one at hand.

/** Bits of the double that says a series has ended. Never passed on as a double: arithmetic may change them. */
export const STALE: u64 = 0x7ff0000000000002;

// Tags of a Histogram, in the order in which they are written.
export const T_COUNT_INT: u32 = 8;
export const T_COUNT_FLOAT: u32 = 17;
export const T_SUM: u32 = 25;
export const T_SCHEMA: u32 = 32;
export const T_ZERO_THRESHOLD: u32 = 41;
export const T_ZERO_COUNT_INT: u32 = 48;
export const T_ZERO_COUNT_FLOAT: u32 = 57;
export const T_NEGATIVE_SPANS: u32 = 66;
export const T_NEGATIVE_DELTAS: u32 = 74;
export const T_NEGATIVE_COUNTS: u32 = 82;
export const T_POSITIVE_SPANS: u32 = 90;
export const T_POSITIVE_DELTAS: u32 = 98;
export const T_POSITIVE_COUNTS: u32 = 106;
export const T_RESET_HINT: u32 = 112;
export const T_TIME: u32 = 120;
export const T_CUSTOM_VALUES: u32 = 130;
export const T_START: u32 = 136;

let op: usize = 0;
let limit: usize = 0;
let full: bool = false;

// the side at hand
let spans: u32 = 0; //       tag of the spans while they are written, 0 while counts are
let fill: i64 = 0; //        the largest gap that is written as empty buckets
let float: bool = false;
let pending: bool = false; // the bucket at hand, to which others of its index are added
let index: i64 = 0;
let count: u64 = 0;
let any: bool = false; //    a bucket was written
let behind: i64 = 0; //      the index behind it
let before: u64 = 0; //      its count
let offset: i64 = 0; //      the span at hand
let length: u32 = 0;
let bytes: usize = 0; //     of all counts

/** Starts a message at dst that may have cap bytes. */
export function beginHistogram(dst: usize, cap: usize): void {
  op = dst;
  limit = dst + cap;
  full = false;
}

/** Length of the message that was begun at dst; 0 when it did not fit. */
export function endHistogram(dst: usize): i32 {
  return full ? 0 : <i32>(op - dst);
}

/** Room for n more bytes? Once there was none, the message does not fit. */
function room(n: usize): bool {
  full = full || limit - op < n;
  return !full;
}

/** Bytes of v as a varint: one for every seven bits, which this is for all of 64. */
// @ts-ignore: decorator
@inline
function size(v: u64): usize {
  return <usize>((63 - clz(v | 1)) * 9 + 73) >>> 6;
}

function put(v: u64): void {
  while (v > 127) {
    store<u8>(op++, <u8>v | 128);
    v >>>= 7;
  }
  store<u8>(op++, <u8>v);
}

// @ts-ignore: decorator
@inline
export function zigzag(v: i64): u64 {
  return <u64>((v << 1) ^ (v >> 63));
}

/** A field that is a varint. */
export function putNumber(tag: u32, v: u64): void {
  if (!room(size(tag) + size(v))) return;
  put(tag);
  put(v);
}

/** A field that is a double, given by its bits. */
export function putBits(tag: u32, bits: u64): void {
  if (!room(size(tag) + 8)) return;
  put(tag);
  store<u64>(op, bits);
  op += 8;
}

/** The head of a packed field or a message whose payload takes n bytes, if there is room for those too. */
export function putHead(tag: u32, n: usize): void {
  if (!room(size(tag) + size(n) + n)) return;
  put(tag);
  put(n);
}

/** The n bytes at p. */
export function putBytes(p: usize, n: usize): void {
  if (!room(n)) return;
  memory.copy(op, p, n);
  op += n;
}

/**
 * Starts one side: bucket() now, for all its buckets, writes the spans as fields with this tag. gap: so many empty buckets between two are written out,
 * more of them start a new span. isFloat: counts are the bits of doubles, else integers below 2^63.
 */
export function beginSpans(tag: u32, gap: i64, isFloat: bool): void {
  spans = tag;
  fill = gap;
  float = isFloat;
  pending = any = false;
  before = 0;
  offset = 0;
  length = 0;
  bytes = 0;
}

/** Ends the spans and starts the counts: bucket() once more, for the same buckets, writes them as one packed field with this tag. */
export function beginCounts(tag: u32): void {
  if (pending) flush();
  if (length) putSpan();
  spans = 0;
  pending = any = false;
  before = 0;
  if (bytes) putHead(tag, bytes);
}

/** Ends the counts and the side. */
export function endCounts(): void {
  if (pending) flush();
}

/** The next bucket. Its index is not below that of the one before; when it is the same, they are one bucket. */
export function bucket(at: i64, n: u64): void {
  if (pending) {
    if (at == index) {
      count = float ? reinterpret<u64>(reinterpret<f64>(count) + reinterpret<f64>(n)) : count + n;
      return;
    }
    flush();
  }
  pending = true;
  index = at;
  count = n;
}

function flush(): void {
  let gap = any ? index - behind : 0;
  if (!any) offset = index;
  else if (gap > fill) {
    if (spans) putSpan();
    offset = gap;
    length = 0;
    gap = 0;
  }
  for (; gap > 0; gap--) element(0);
  element(count);
  any = true;
  behind = index + 1;
}

// @ts-ignore: decorator
@inline
function element(n: u64): void {
  length++;
  if (float) {
    if (spans) bytes += 8;
    else if (room(8)) {
      store<u64>(op, n);
      op += 8;
    }
    return;
  }
  const delta = zigzag(<i64>(n - before));
  before = n;
  if (spans) bytes += size(delta);
  else if (limit - op >= 10 || room(size(delta))) put(delta);
}

/** The span at hand. Its offset fits 32 bits: indices do, and gaps are between indices of one schema. */
function putSpan(): void {
  const o = zigzag(offset);
  const head: usize = o ? <usize>1 + size(o) : 0;
  putHead(spans, head + <usize>1 + size(length));
  if (full) return;
  if (o) {
    put(8);
    put(o);
  }
  put(16);
  put(length);
}
