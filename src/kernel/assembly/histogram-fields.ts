import { readSpan, spanLength, spanOffset } from './bucket-reader';
import { STALE } from './histogram-writer';
import { length, next, skip, tag, varint } from './protobuf';

// Reads a Histogram of remote write (spec 2.1) in one walk that keeps sums, not elements. Fields come in any order; of those that do not repeat the last one
// counts; repeated numbers may be packed or not, in any number of pieces. Unknown fields are skipped; a known one of another wire type is malformed.
//
//   Histogram  count_int=1 uint64 | count_float=2 double   sum=3 double   schema=4 sint32   zero_threshold=5 double
//              zero_count_int=6 uint64 | zero_count_float=7 double
//              negative_spans=8 rep BucketSpan   negative_deltas=9 rep sint64   negative_counts=10 rep double
//              positive_spans=11 rep BucketSpan  positive_deltas=12 rep sint64  positive_counts=13 rep double
//              reset_hint=14 enum   timestamp=15 int64   custom_values=16 rep double   start_timestamp=17 int64

/** Of the message that was checked last: timestamp and start timestamp in ms, 0 where absent, and whether its sum is the stale marker. */
export let time: i64 = 0;
export let startTime: i64 = 0;
export let stale: bool = false;

// the message that was walked last
export let schema: i32 = 0;
export let float: bool = false; //     its flavour: the member of the oneof that came last
export let counted: bool = false; //   there was one
export let count: u64 = 0; //          in the float flavour the bits of a double
export let sum: u64 = 0; //            bits
export let threshold: u64 = 0; //      bits
export let zeroFloat: bool = false;
export let zeroes: u64 = 0;
export let resetHint: u64 = 0;
export let customs: u32 = 0; //        custom values; the last of them; whether they are in order
export let lastCustom: f64 = 0;
export let customsOrdered: bool = true;

// One side, as far as it was walked:
//   +0 u64 buckets that the spans name    +8 i64 index behind the last of them   +16 u32 spans   +20 u32 faults
//  +24 u64 deltas   +32 i64 the count that they come to   +40 u64 sum of the counts   +48 u64 counts of the float flavour
const SIDE: usize = 56;
export const NEGATIVE: usize = memory.data(56, 8);
export const POSITIVE: usize = memory.data(56, 8);
/** A later span goes backwards, or an index leaves its 32 bits. */
export const F_SPAN: u32 = 1;
/** A span goes below index 0, where custom buckets have none. */
export const F_BELOW: u32 = 2;
/** A count is negative, or their sum leaves its 64 bits. */
export const F_DELTA: u32 = 4;
/** A count of the float flavour is negative. */
export const F_COUNT: u32 = 8;

/** Reads all fields. Returns whether the message is well-formed. */
export function walk(p: usize, e: usize): bool {
  time = startTime = 0;
  schema = 0;
  float = counted = zeroFloat = false;
  count = sum = threshold = zeroes = resetHint = 0;
  customs = 0;
  customsOrdered = true;
  memory.fill(NEGATIVE, 0, SIDE);
  memory.fill(POSITIVE, 0, SIDE);
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    const field = t >>> 3;
    const wire = t & 7;
    if (field > 17) {
      p = skip(p, e, t);
      if (p == 0) return false;
    } else if (wire == 2) {
      const l = length(p, e);
      if (next == 0) return false;
      const q = next;
      p = q + l;
      if (!packed(field, q, p)) return false;
    } else if (wire == 0) {
      const v = varint(p, e);
      if (next == 0) return false;
      if (!number(field, v, p, next)) return false;
      p = next;
    } else if (wire == 1) {
      if (e - p < 8) return false;
      if (!fixed(field, p)) return false;
      p += 8;
    } else return false;
  }
  stale = sum == STALE;
  return true;
}

function packed(field: u32, p: usize, e: usize): bool {
  if (field == 8) return spans(NEGATIVE, p, e);
  if (field == 11) return spans(POSITIVE, p, e);
  if (field == 9) return deltas(NEGATIVE, p, e);
  if (field == 12) return deltas(POSITIVE, p, e);
  if ((e - p) & 7) return false;
  if (field == 10) counts(NEGATIVE, p, e);
  else if (field == 13) counts(POSITIVE, p, e);
  else if (field == 16) customValues(p, e);
  else return false;
  return true;
}

/** A field that is a varint; of repeated ones it is one element, at [p, e). Leaves `next` at e. */
function number(field: u32, v: u64, p: usize, e: usize): bool {
  if (field == 1) {
    count = v;
    float = false;
    counted = true;
  } else if (field == 4) schema = <i32>((<u32>v >>> 1) ^ -(<u32>v & 1));
  else if (field == 6) {
    zeroes = v;
    zeroFloat = false;
  } else if (field == 9) return deltas(NEGATIVE, p, e);
  else if (field == 12) return deltas(POSITIVE, p, e);
  else if (field == 14) resetHint = v;
  else if (field == 15) time = <i64>v;
  else if (field == 17) startTime = <i64>v;
  else return false;
  return true;
}

function fixed(field: u32, p: usize): bool {
  const v = load<u64>(p);
  if (field == 2) {
    count = v;
    float = counted = true;
  } else if (field == 3) sum = v;
  else if (field == 5) threshold = v;
  else if (field == 7) {
    zeroes = v;
    zeroFloat = true;
  } else if (field == 10) counts(NEGATIVE, p, p + 8);
  else if (field == 13) counts(POSITIVE, p, p + 8);
  else if (field == 16) customValues(p, p + 8);
  else return false;
  return true;
}

function spans(side: usize, p: usize, e: usize): bool {
  if (!readSpan(p, e)) return false;
  const n = load<u32>(side, 16);
  const behind = load<i64>(side, 8) + <i64>spanOffset + <i64>spanLength;
  let faults: u32 = 0;
  if (n ? spanOffset < 0 : spanOffset == i32.MIN_VALUE) faults |= F_SPAN;
  if (behind - 1 > <i64>i32.MAX_VALUE) faults |= F_SPAN;
  if (spanOffset < 0) faults |= F_BELOW;
  store<u64>(side, load<u64>(side) + <u64>spanLength);
  store<i64>(side, behind, 8);
  store<u32>(side, n + 1, 16);
  store<u32>(side, load<u32>(side, 20) | faults, 20);
  return true;
}

function deltas(side: usize, p: usize, e: usize): bool {
  let n = load<u64>(side, 24);
  let last = load<i64>(side, 32);
  let all = load<u64>(side, 40);
  let bad = false;
  while (p < e) {
    let v = <u64>load<u8>(p);
    if (v < 128) p++;
    else {
      v = varint(p, e);
      if (next == 0) return false;
      p = next;
    }
    n++;
    // After a count that is not negative no delta can wrap around to one that is not either.
    last += <i64>((v >>> 1) ^ -(v & 1));
    all += <u64>last;
    bad = bad || last < 0 || all < <u64>last;
  }
  store<u64>(side, n, 24);
  store<i64>(side, last, 32);
  store<u64>(side, all, 40);
  if (bad) store<u32>(side, load<u32>(side, 20) | F_DELTA, 20);
  next = e;
  return true;
}

function counts(side: usize, p: usize, e: usize): void {
  store<u64>(side, load<u64>(side, 48) + <u64>((e - p) >>> 3), 48);
  for (; p < e; p += 8) if (load<f64>(p) < 0) store<u32>(side, load<u32>(side, 20) | F_COUNT, 20);
}

function customValues(p: usize, e: usize): void {
  for (; p < e; p += 8) {
    const v = load<f64>(p);
    if (v != v || (customs && v <= lastCustom)) customsOrdered = false;
    lastCustom = v;
    customs++;
  }
}

/** The zero bucket's count; one of the other flavour counts as none. */
export function zeroCount(): u64 {
  return zeroFloat == float ? zeroes : 0;
}
