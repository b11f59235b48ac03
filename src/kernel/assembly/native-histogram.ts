import { E_PROTO, REASON_HISTOGRAM, REASON_SCHEMA } from '../../wire/layout';
import { bucketCount, bucketIndex, nextBucket, openBuckets } from './bucket-reader';
import {
  count, counted, customs, customsOrdered, F_BELOW, F_COUNT, F_DELTA, F_SPAN, float, lastCustom, NEGATIVE, POSITIVE, resetHint, schema, stale, startTime, sum,
  threshold, time, walk, zeroCount, zeroes,
} from './histogram-fields';
import {
  beginCounts, beginHistogram, beginSpans, bucket, endCounts, endHistogram, putBits, putNumber, STALE, T_COUNT_FLOAT, T_COUNT_INT,
  T_NEGATIVE_COUNTS, T_NEGATIVE_DELTAS, T_NEGATIVE_SPANS, T_POSITIVE_COUNTS, T_POSITIVE_DELTAS, T_POSITIVE_SPANS, T_RESET_HINT, T_SCHEMA, T_START,
  T_SUM, T_TIME, T_ZERO_COUNT_FLOAT, T_ZERO_COUNT_INT, T_ZERO_THRESHOLD,
} from './histogram-writer';
import { next, skip, tag } from './protobuf';

// Native histograms as remote write has them (spec 2.1, 2.7): what is valid, and what is made of them where they can't go out as they came. Valid is what
// Prometheus takes (Validate() in model/histogram), and nothing whose counts leave their 64 bits.

export { stale, startTime, time } from './histogram-fields';

const CUSTOM: i32 = -53;
const LOWEST: i32 = -4;
const HIGHEST: i32 = 8;
/** Schemas up to this one are reserved, and can be reduced. */
const RESERVED: i32 = 52;

/**
 * Checks the Histogram at [p, e) and sets time, startTime and stale. Returns 0: valid; 1: valid, of a schema that reduceHistogram() must reduce;
 * 2: valid, with custom buckets; -REASON_HISTOGRAM or -REASON_SCHEMA: refused; E_PROTO: malformed. Takes time in proportion to the bytes.
 */
export function checkHistogram(p: usize, e: usize): i32 {
  if (!walk(p, e)) return E_PROTO;
  if (schema != CUSTOM && (schema < LOWEST || schema > RESERVED)) return -REASON_SCHEMA;
  if (!consistent()) return -REASON_HISTOGRAM;
  return schema == CUSTOM ? 2 : schema > HIGHEST ? 1 : 0;
}

function consistent(): bool {
  const custom = schema == CUSTOM;
  const faults = (custom ? F_SPAN | F_BELOW : F_SPAN) | (float ? F_COUNT : F_DELTA);
  const have: usize = float ? 48 : 24;
  const inZero = zeroCount();
  if (load<u64>(POSITIVE) != load<u64>(POSITIVE + have) || load<u32>(POSITIVE, 20) & faults) return false;
  if (custom) {
    if (!customsOrdered || (customs != 0 && lastCustom == Infinity) || load<i64>(POSITIVE, 8) > <i64>customs + 1) return false;
    if (load<u32>(NEGATIVE, 16) != 0 || load<u64>(NEGATIVE + have) != 0) return false;
    if (reinterpret<f64>(threshold) != 0 || (float ? reinterpret<f64>(inZero) != 0 : inZero != 0)) return false;
  } else {
    if (load<u64>(NEGATIVE) != load<u64>(NEGATIVE + have) || load<u32>(NEGATIVE, 20) & faults) return false;
    if (customs != 0) return false;
  }
  if (float) return !(reinterpret<f64>(count) < 0 || reinterpret<f64>(inZero) < 0);
  const positive = load<u64>(POSITIVE, 40);
  const negative = load<u64>(NEGATIVE, 40);
  // A bucket that is merged from others must be a signed number too.
  if (schema > HIGHEST && (positive > <u64>i64.MAX_VALUE || negative > <u64>i64.MAX_VALUE)) return false;
  const both = positive + negative;
  const all = both + inZero;
  if (both < positive || all < both) return false;
  if (stale) return true;
  const s = reinterpret<f64>(sum);
  return s != s ? all <= count : all == count;
}

/**
 * Writes the Histogram at [p, e), for which checkHistogram() gave 1, with schema 8 to [dst, dst+cap): buckets that fall into the same one are added up,
 * all else is kept, fields stand in order. Returns its length, 0 when it does not fit; 2 * (e - p) + 64 bytes always do.
 */
export function reduceHistogram(p: usize, e: usize, dst: usize, cap: usize): i32 {
  if (!walk(p, e) || schema <= HIGHEST || schema > RESERVED) return 0;
  beginHistogram(dst, cap);
  if (float) putBits(T_COUNT_FLOAT, count);
  else if (counted) putNumber(T_COUNT_INT, count);
  if (sum) putBits(T_SUM, sum);
  putNumber(T_SCHEMA, 16);
  if (threshold) putBits(T_ZERO_THRESHOLD, threshold);
  if (zeroCount()) {
    if (float) putBits(T_ZERO_COUNT_FLOAT, zeroes);
    else putNumber(T_ZERO_COUNT_INT, zeroes);
  }
  reduceSide(p, e, false, T_NEGATIVE_SPANS, float ? T_NEGATIVE_COUNTS : T_NEGATIVE_DELTAS);
  reduceSide(p, e, true, T_POSITIVE_SPANS, float ? T_POSITIVE_COUNTS : T_POSITIVE_DELTAS);
  if (resetHint) putNumber(T_RESET_HINT, resetHint);
  if (time) putNumber(T_TIME, <u64>time);
  if (startTime) putNumber(T_START, <u64>startTime);
  return endHistogram(dst);
}

function reduceSide(p: usize, e: usize, positive: bool, spansTag: u32, countsTag: u32): void {
  const shift = <i64>(schema - HIGHEST);
  beginSpans(spansTag, 0, float);
  openBuckets(p, e, positive, float);
  while (nextBucket()) bucket(((bucketIndex - 1) >> shift) + 1, bucketCount);
  beginCounts(countsTag);
  openBuckets(p, e, positive, float);
  while (nextBucket()) bucket(((bucketIndex - 1) >> shift) + 1, bucketCount);
  endCounts();
}

/**
 * Reads the Histogram at [p, e), for which checkHistogram() gave 2, as classic series have it. Writes doubles to [dst, dst+cap): count, sum, and for each
 * custom value in order how many were observed up to it; all are stale markers when the sum is. Returns the number of custom values, -1 when it does not fit.
 */
export function readCustom(p: usize, e: usize, dst: usize, cap: usize): i32 {
  if (!walk(p, e)) return -1;
  const n = <usize>customs;
  if (cap >>> 3 < n + 2) return -1;
  if (stale) {
    for (let i: usize = 0; i < n + 2; i++) store<u64>(dst + (i << 3), STALE);
    return <i32>n;
  }
  store<u64>(dst, float ? count : reinterpret<u64>(<f64>count));
  store<u64>(dst, sum, 8);
  let whole: u64 = 0;
  let part: f64 = 0;
  openBuckets(p, e, true, float);
  let more = nextBucket();
  for (let i: usize = 0; i < n; i++) {
    while (more && bucketIndex <= <i64>i) {
      if (float) part += reinterpret<f64>(bucketCount);
      else whole += bucketCount;
      more = nextBucket();
    }
    store<f64>(dst + (i << 3), float ? part : <f64>whole, 16);
  }
  return <i32>n;
}

/** Copies the Histogram at [p, e) to dst without its start timestamp. It is never longer than it was. Returns where it ends. */
export function stripStart(p: usize, e: usize, dst: usize): usize {
  return without(17, p, e, dst);
}

/** Copies the Sample at [p, e) to dst without its start timestamp. It is never longer than it was. Returns where it ends. */
// Sample    value=1 double   timestamp=2 int64   start_timestamp=3 int64
export function stripSampleStart(p: usize, e: usize, dst: usize): usize {
  return without(3, p, e, dst);
}

/** Copies all but one field of the well-formed message at [p, e). */
function without(field: u32, p: usize, e: usize, dst: usize): usize {
  let from = p;
  while (p < e) {
    const at = p;
    const t = tag(p, e);
    p = next ? skip(next, e, t) : 0;
    if (p == 0) break;
    if (t >>> 3 != field) continue;
    memory.copy(dst, from, at - from);
    dst += at - from;
    from = p;
  }
  memory.copy(dst, from, e - from);
  return dst + (e - from);
}
