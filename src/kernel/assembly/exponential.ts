import { E_PROTO, REASON_HISTOGRAM, REASON_SCALE } from '../../wire/layout';
import {
  beginCounts, beginHistogram, beginSpans, bucket, endCounts, endHistogram, putBits, putNumber, STALE, T_COUNT_INT, T_NEGATIVE_DELTAS, T_NEGATIVE_SPANS,
  T_POSITIVE_DELTAS, T_POSITIVE_SPANS, T_SCHEMA, T_START, T_SUM, T_TIME, T_ZERO_COUNT_INT, T_ZERO_THRESHOLD, zigzag,
} from './histogram-writer';
import { length, next, skip, tag, varint } from './protobuf';

// Exponential histograms of OTLP (spec 3.2) as native ones (4.9), of the integer flavour. Nothing of the buckets is kept: they are walked once to check them,
// once for their spans and once for their counts. Empty ones cost next to nothing.
//
//   ExponentialHistogramDataPoint  start_time_unix_nano=2 fixed64   time_unix_nano=3 fixed64   count=4 fixed64   sum=5 optional double   scale=6 sint32
//                                  zero_count=7 fixed64   positive=8 Buckets   negative=9 Buckets   flags=10 uint32   zero_threshold=14 double
//   Buckets                        offset=1 sint32   bucket_counts=2 rep uint64

const LOWEST: i32 = -4;
const HIGHEST: i32 = 8;
/** So many empty buckets between two are written out: what a span more would take. */
const GAP: i64 = 2;
/** Bits of 1e-128, the zero threshold of Prometheus where the point has none. */
const ZERO_THRESHOLD: u64 = reinterpret<u64>(1e-128);
const NANOS: u64 = 1000000;

let start: u64 = 0;
let time: u64 = 0;
let count: u64 = 0;
let sum: u64 = 0; //       bits
let scale: i32 = 0;
let zeroes: u64 = 0;
let flags: u64 = 0;
let threshold: u64 = 0; // bits
let positiveOffset: i32 = 0;
let negativeOffset: i32 = 0;

// the side that is walked
let tally: bool = false; // its buckets are checked and counted, not written
let at: i64 = 0; //         index of the next bucket in OTLP
let shift: i64 = 0;
let total: u64 = 0;
let sound: bool = true; //  indices stay in 32 bits, counts of a sign in 63

/**
 * Writes the ExponentialHistogramDataPoint at [p, e) as a Histogram to [dst, dst+cap), with its start timestamp if keepStart. Returns its length;
 * 0: it does not fit, 2 * (e - p) + 128 bytes always do; -REASON_SCALE or -REASON_HISTOGRAM: refused; E_PROTO: malformed.
 */
export function exponentialHistogram(p: usize, e: usize, keepStart: bool, dst: usize, cap: usize): i32 {
  if (!scalars(p, e)) return E_PROTO;
  if (scale < LOWEST) return -REASON_SCALE;
  const schema = min(scale, HIGHEST);
  beginHistogram(dst, cap);
  if (flags & 1) {
    putNumber(T_COUNT_INT, 0);
    putBits(T_SUM, STALE);
    if (schema) putNumber(T_SCHEMA, zigzag(schema));
    if (time >= NANOS) putNumber(T_TIME, time / NANOS);
    return endHistogram(dst);
  }
  shift = <i64>min(scale - schema, 40); // what is further merges all buckets of a sign as well
  tally = true;
  sound = true;
  total = 0;
  if (!side(p, e, false)) return E_PROTO;
  const negative = total;
  total = 0;
  if (!side(p, e, true)) return E_PROTO;
  if (!sound || !counted(negative, total)) return -REASON_HISTOGRAM;
  putNumber(T_COUNT_INT, count);
  if (sum) putBits(T_SUM, sum);
  if (schema) putNumber(T_SCHEMA, zigzag(schema));
  putBits(T_ZERO_THRESHOLD, reinterpret<f64>(threshold) > 0 ? threshold : ZERO_THRESHOLD);
  if (zeroes) putNumber(T_ZERO_COUNT_INT, zeroes);
  putSide(p, e, false, T_NEGATIVE_SPANS, T_NEGATIVE_DELTAS);
  putSide(p, e, true, T_POSITIVE_SPANS, T_POSITIVE_DELTAS);
  if (time >= NANOS) putNumber(T_TIME, time / NANOS);
  if (keepStart && start >= NANOS) putNumber(T_START, start / NANOS);
  return endHistogram(dst);
}

/** Is the count of the point that of its buckets? */
function counted(negative: u64, positive: u64): bool {
  const both = negative + positive; // neither is over 63 bits
  const all = both + zeroes;
  if (all < both) return false;
  const s = reinterpret<f64>(sum);
  return s != s ? all <= count : all == count;
}

function putSide(p: usize, e: usize, positive: bool, spans: u32, deltas: u32): void {
  tally = false;
  beginSpans(spans, GAP, false);
  side(p, e, positive);
  beginCounts(deltas);
  side(p, e, positive);
  endCounts();
}

/** Reads all but the buckets. Returns whether the point is well-formed. */
function scalars(p: usize, e: usize): bool {
  start = time = count = sum = zeroes = flags = threshold = 0;
  scale = positiveOffset = negativeOffset = 0;
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    const q = next;
    p = skip(q, e, t);
    if (p == 0) return false;
    if (t == 17) start = load<u64>(q);
    else if (t == 25) time = load<u64>(q);
    else if (t == 33) count = load<u64>(q);
    else if (t == 41) sum = load<u64>(q);
    else if (t == 48) scale = signed(q, p);
    else if (t == 57) zeroes = load<u64>(q);
    else if (t == 80) flags = varint(q, p);
    else if (t == 113) threshold = load<u64>(q);
    else if (t == 66 || t == 74) {
      length(q, p);
      if (!offset(next, p, t == 66)) return false;
    }
  }
  return true;
}

/** A sint32 that is known to be well-formed. */
function signed(p: usize, e: usize): i32 {
  const v = <u32>varint(p, e);
  return <i32>((v >>> 1) ^ -(v & 1));
}

/** Reads the offset of the Buckets at [p, e), if they have one. Returns whether they are well-formed, but for counts that are packed. */
function offset(p: usize, e: usize, positive: bool): bool {
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    const q = next;
    p = skip(q, e, t);
    if (p == 0) return false;
    if (t != 8) continue;
    if (positive) positiveOffset = signed(q, p);
    else negativeOffset = signed(q, p);
  }
  return true;
}

/** Walks the populated buckets of one side, in all its pieces. Returns whether their counts are well-formed. */
function side(p: usize, e: usize, positive: bool): bool {
  const wanted: u32 = positive ? 66 : 74;
  at = <i64>(positive ? positiveOffset : negativeOffset);
  while (p < e) {
    const t = tag(p, e);
    const q = next;
    p = skip(q, e, t);
    if (t != wanted) continue;
    length(q, p);
    if (!buckets(next, p)) return false;
  }
  return true;
}

function buckets(p: usize, e: usize): bool {
  while (p < e) {
    const t = tag(p, e);
    const q = next;
    p = skip(q, e, t);
    if (t == 16) {
      if (!counts(q, p)) return false;
    } else if (t == 18) {
      length(q, p);
      if (!counts(next, p)) return false;
    }
  }
  return true;
}

function counts(p: usize, e: usize): bool {
  while (p < e) {
    let v = <u64>load<u8>(p);
    if (v == 0) {
      // Empty buckets often come in long runs.
      const n: usize = e - p >= 16 && !v128.any_true(v128.load(p)) ? 16 : 1;
      p += n;
      at += n;
      continue;
    }
    if (v < 128) p++;
    else {
      v = varint(p, e);
      if (next == 0) return false;
      p = next;
    }
    if (v) {
      // OTLP counts buckets by their lower bound, Prometheus by their upper one.
      const index = (at >> shift) + 1;
      if (!tally) bucket(index, v);
      else {
        total += v;
        if (total < v || total > <u64>i64.MAX_VALUE || index > <i64>i32.MAX_VALUE) sound = false;
      }
    }
    at++;
  }
  return true;
}
