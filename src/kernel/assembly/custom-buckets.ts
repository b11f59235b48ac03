import { E_PROTO, REASON_BOUNDS, REASON_BUCKETS, REASON_HISTOGRAM } from '../../wire/layout';
import {
  beginCounts, beginHistogram, beginSpans, bucket, endCounts, endHistogram, putBits, putBytes, putHead, putNumber, STALE, T_COUNT_INT, T_CUSTOM_VALUES,
  T_POSITIVE_DELTAS, T_POSITIVE_SPANS, T_SCHEMA, T_START, T_SUM, T_TIME, zigzag,
} from './histogram-writer';
import { length, next, skip, tag, varint } from './protobuf';

// Explicit histograms of OTLP (spec 3.2) as native ones with custom buckets (4.8).
//
//   HistogramDataPoint  start_time_unix_nano=2 fixed64   time_unix_nano=3 fixed64   count=4 fixed64   sum=5 optional double
//                       bucket_counts=6 rep fixed64   explicit_bounds=7 rep double   flags=10 uint32

const SCHEMA: i64 = -53;
/** So many empty buckets between two are written out. */
const GAP: i64 = 2;
const NANOS: u64 = 1000000;

let start: u64 = 0;
let time: u64 = 0;
let count: u64 = 0;
let sum: u64 = 0; //      bits
let flags: u64 = 0;
let counts: u32 = 0; //   bucket counts; their sum; whether it stays in 63 bits
let total: u64 = 0;
let sound: bool = true;
let bounds: u32 = 0; //   explicit bounds; the last of them; whether they are in order
let lastBound: f64 = 0;
let ordered: bool = true;

/**
 * Writes the HistogramDataPoint at [p, e) as a Histogram with custom buckets to [dst, dst+cap), with its start timestamp if keepStart. A point without
 * bucket counts gets one bucket for all. Returns its length; 0: it does not fit, 2 * (e - p) + 128 bytes always do; -REASON_BUCKETS, -REASON_BOUNDS or
 * -REASON_HISTOGRAM: refused; E_PROTO: malformed.
 */
export function customHistogram(p: usize, e: usize, keepStart: bool, dst: usize, cap: usize): i32 {
  if (!walk(p, e)) return E_PROTO;
  const gone = (flags & 1) != 0;
  if (!gone) {
    if (counts != 0 && counts != bounds && counts != bounds + 1) return -REASON_BUCKETS;
    if (!ordered) return -REASON_BOUNDS;
    if (!counted()) return -REASON_HISTOGRAM;
  }
  beginHistogram(dst, cap);
  putNumber(T_COUNT_INT, gone ? 0 : count);
  if (gone) putBits(T_SUM, STALE);
  else if (sum) putBits(T_SUM, sum);
  putNumber(T_SCHEMA, zigzag(SCHEMA));
  // Without counts nothing is known of the bounds: all is in the bucket up to +Inf. That bound itself is never named.
  const values = counts == 0 || bounds == 0 ? 0 : bounds - <u32>(lastBound == Infinity);
  if (!gone) putBuckets(p, e, values);
  if (time >= NANOS) putNumber(T_TIME, time / NANOS);
  if (!gone && values) {
    putHead(T_CUSTOM_VALUES, <usize>values << 3);
    putValues(p, e, values);
  }
  if (!gone && keepStart && start >= NANOS) putNumber(T_START, start / NANOS);
  return endHistogram(dst);
}

/** Is the count of the point that of its buckets? */
function counted(): bool {
  if (!sound) return false;
  if (counts == 0) return count <= <u64>i64.MAX_VALUE;
  const s = reinterpret<f64>(sum);
  return s != s ? total <= count : total == count;
}

/** Reads all fields. Returns whether the point is well-formed. */
function walk(p: usize, e: usize): bool {
  start = time = count = sum = flags = total = 0;
  counts = bounds = 0;
  sound = ordered = true;
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    let q = next;
    p = skip(q, e, t);
    if (p == 0) return false;
    if (t == 17) start = load<u64>(q);
    else if (t == 25) time = load<u64>(q);
    else if (t == 33) count = load<u64>(q);
    else if (t == 41) sum = load<u64>(q);
    else if (t == 80) flags = varint(q, p);
    else if (t >>> 3 == 6 || t >>> 3 == 7) {
      q = elements(q, p, t);
      if (q == 0) return false;
      if (t >>> 3 == 6) readCounts(q, p);
      else readBounds(q, p);
    }
  }
  return true;
}

/** Where the doubles or 64-bit numbers of a repeated field with this tag start, whose payload is at [p, e); 0 when it has other things. */
function elements(p: usize, e: usize, t: u32): usize {
  if ((t & 7) == 1) return p;
  if ((t & 7) != 2) return 0;
  length(p, e);
  return (e - next) & 7 ? 0 : next;
}

function readCounts(p: usize, e: usize): void {
  for (; p < e; p += 8) {
    const n = load<u64>(p);
    total += n;
    if (total < n || total > <u64>i64.MAX_VALUE) sound = false;
    counts++;
  }
}

function readBounds(p: usize, e: usize): void {
  for (; p < e; p += 8) {
    const bound = load<f64>(p);
    if (bound != bound || (bounds && bound <= lastBound)) ordered = false;
    lastBound = bound;
    bounds++;
  }
}

function putBuckets(p: usize, e: usize, values: u32): void {
  beginSpans(T_POSITIVE_SPANS, GAP, false);
  side(p, e, values);
  beginCounts(T_POSITIVE_DELTAS);
  side(p, e, values);
  endCounts();
}

/** Hands over the populated buckets. What is behind the bucket up to +Inf belongs to it. */
function side(p: usize, e: usize, values: u32): void {
  if (counts == 0) {
    if (count) bucket(0, count);
    return;
  }
  let i: u32 = 0;
  while (p < e) {
    const t = tag(p, e);
    let q = next;
    p = skip(q, e, t);
    if (t >>> 3 != 6) continue;
    for (q = elements(q, p, t); q < p; q += 8) {
      const n = load<u64>(q);
      if (n) bucket(<i64>min(i, values), n);
      i++;
    }
  }
}

/** Writes the first n bounds. */
function putValues(p: usize, e: usize, n: u32): void {
  while (p < e) {
    const t = tag(p, e);
    let q = next;
    p = skip(q, e, t);
    if (t >>> 3 != 7) continue;
    q = elements(q, p, t);
    const m = min(n, <u32>((p - q) >>> 3));
    putBytes(q, <usize>m << 3);
    n -= m;
  }
}
