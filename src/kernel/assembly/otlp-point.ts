import { MAX_GROUP, OTLP_COUNTER, OTLP_HISTOGRAM, OTLP_SUMMARY } from '../../wire/layout';
import { keyValue } from './otlp-attributes';
import { exemplar } from './otlp-exemplar';
import { length, next, skip, tag, varint } from './protobuf';

// One data point of OTLP (spec 3.2), walked once: its structure is checked, and what makes its series and samples is noted. Attributes are taken as
// bytes; whether they are well-formed is known from the table, or found out on a miss.

export let time: u64 = 0; //   nanoseconds
export let start: u64 = 0;
/** Number: bits of its value as a double. Histogram, summary: bits of its sum. */
export let value: u64 = 0;
export let hasSum: bool = false;
/** Number: it has one. */
export let hasValue: bool = false;
export let count: u64 = 0;
/** NoRecordedValue. */
export let stale: bool = false;
/** The attribute fields, one behind the other, each with a tag of one byte. */
export let attributes: usize = 0;
export let attributesLength: usize = 0;
export let attributeCount: u32 = 0;
/** They take more room than a key may have. */
export let tooLong: bool = false;
/** Explicit bounds, or quantiles: doubles. */
export let bounds: usize = 0;
export let boundCount: u32 = 0;
/** Counts of buckets (u64), or values of quantiles (doubles). */
export let counts: usize = 0;
export let countCount: u32 = 0;
/** More bounds, quantiles or counts than MAX_GROUP. */
export let tooMany: bool = false;
export let exemplars: u32 = 0;

/** Bytes of scratch: gathered bounds and counts. */
export const POINT_SCRATCH: usize = 2 * 8 * <usize>MAX_GROUP;
let boundScratch: usize = 0;
let countScratch: usize = 0;
let gather: usize = 0;
let maxKey: usize = 0;
let scattered: bool = false;

/** scratch: POINT_SCRATCH bytes; attributes: `keyCap` bytes for attributes that are scattered. */
export function initPoint(scratch: usize, attributesAt: usize, keyCap: usize): void {
  boundScratch = scratch;
  countScratch = scratch + 8 * <usize>MAX_GROUP;
  gather = attributesAt;
  maxKey = keyCap;
}

/** Field number of the attributes, and of the exemplars, of a kind of point. */
// @ts-ignore: decorator
@inline
export function attributesField(kind: u32): u32 {
  return kind <= <u32>OTLP_COUNTER || kind == OTLP_SUMMARY ? 7 : kind == OTLP_HISTOGRAM ? 9 : 1;
}

// @ts-ignore: decorator
@inline
export function exemplarsField(kind: u32): u32 {
  return kind <= <u32>OTLP_COUNTER ? 5 : kind == OTLP_HISTOGRAM ? 8 : kind == OTLP_SUMMARY ? 0 : 11;
}

/** Walks the point of this kind at [p, e). Returns whether it is well-formed, its attributes' values apart. */
export function walkPoint(kind: u32, p: usize, e: usize): bool {
  time = start = value = count = 0;
  hasSum = hasValue = stale = tooLong = tooMany = scattered = false;
  attributes = p;
  attributesLength = 0;
  attributeCount = boundCount = countCount = exemplars = 0;
  bounds = counts = p;
  const sound = kind <= <u32>OTLP_COUNTER ? number(p, e) : kind == OTLP_HISTOGRAM ? histogram(p, e) : kind == OTLP_SUMMARY ? summary(p, e) : exponential(p, e);
  if (!sound) return false;
  if (scattered) gatherAttributes(p, e, attributesField(kind));
  if (attributesLength > maxKey) tooLong = true;
  return true;
}

/** Takes the attribute field at `at`, whose length stands at q, and those right behind it that are short. Returns where they end, 0 when malformed. */
// @ts-ignore: decorator
@inline
function attribute(at: usize, q: usize, e: usize, t: u32): usize {
  const l = length(q, e);
  if (next == 0) return 0;
  let p = next + l;
  let n: u32 = 1;
  // Mostly all of them stand one behind the other, each with a length of one byte.
  while (e - p > 1) {
    const head = <u32>load<u16>(p);
    if ((head & 0x80ff) != t) break;
    const after = p + 2 + (head >>> 8);
    if (after > e) return 0;
    p = after;
    n++;
  }
  attributeCount += n;
  if (q != at + 1) scattered = true; // an overlong tag
  if (attributesLength == 0) attributes = at;
  else if (at != attributes + attributesLength) scattered = true;
  attributesLength += p - at;
  return p;
}

/** Copies attribute fields that are not one behind the other. */
function gatherAttributes(p: usize, e: usize, field: u32): void {
  let to = gather;
  while (p < e) {
    const t = tag(p, e);
    const from = next;
    p = skip(from, e, t);
    if (t >>> 3 != field) continue;
    if (1 + (p - from) > maxKey - (to - gather)) {
      tooLong = true;
      return;
    }
    store<u8>(to, <u8>t);
    memory.copy(to + 1, from, p - from);
    to += 1 + (p - from);
  }
  attributes = gather;
  attributesLength = to - gather;
}

// @ts-ignore: decorator
@inline
function takeExemplar(q: usize, e: usize): usize {
  const l = length(q, e);
  if (next == 0) return 0;
  const p = next + l;
  if (!exemplar(next, p)) return 0;
  exemplars++;
  return p;
}

/** Whether the attributes of the point are well-formed: where the table does not know. */
export function checkAttributes(): bool {
  if (tooLong) return true;
  const e = attributes + attributesLength;
  for (let p = attributes; p < e; ) {
    const l = length(p + 1, e);
    p = next + l;
    if (!keyValue(next, p)) return false;
  }
  return true;
}

// @ts-ignore: decorator
@inline
function takeFlags(q: usize, e: usize): usize {
  stale = <bool>(varint(q, e) & 1);
  return next;
}

// NumberDataPoint  start_time_unix_nano=2 fixed64   time_unix_nano=3 fixed64   as_double=4 double | as_int=6 sfixed64
//                  exemplars=5 rep   attributes=7 rep KeyValue   flags=8 uint32
function number(p: usize, e: usize): bool {
  while (p < e) {
    const at = p;
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    if (t == 0x3a) p = attribute(at, p, e, 0x3a);
    else if ((t & 7) == 1 && (t == 0x11 || t == 0x19 || t == 0x21 || t == 0x31)) {
      if (e - p < 8) return false;
      const v = load<u64>(p);
      p += 8;
      if (t == 0x19) time = v;
      else if (t == 0x11) start = v;
      else {
        value = t == 0x21 ? v : reinterpret<u64>(<f64><i64>v);
        hasValue = true;
      }
    } else if (t == 0x2a) p = takeExemplar(p, e);
    else if (t == 0x40) p = takeFlags(p, e);
    else p = other(p, e, t, 2, 8);
    if (p == 0) return false;
  }
  return true;
}

/** Steps over a field that is not known; those of these numbers are, with another wire type. */
// @ts-ignore: decorator
@inline
function other(p: usize, e: usize, t: u32, from: u32, to: u32): usize {
  const field = t >>> 3;
  return field >= from && field <= to ? 0 : skip(p, e, t);
}

// HistogramDataPoint  start=2 fixed64   time=3 fixed64   count=4 fixed64   sum=5 optional double   bucket_counts=6 rep fixed64   explicit_bounds=7 rep double
//                     exemplars=8 rep   attributes=9 rep   flags=10 uint32   min=11 double   max=12 double
function histogram(p: usize, e: usize): bool {
  while (p < e) {
    const at = p;
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    const field = t >>> 3;
    if (t == 0x4a) p = attribute(at, p, e, 0x4a);
    else if (t == 0x32 || t == 0x3a) {
      const l = length(p, e);
      if (next == 0 || l & 7) return false;
      p = next + l;
      if (t == 0x32) takeCounts(next, l);
      else takeBounds(next, l);
    } else if (t == 0x42) p = takeExemplar(p, e);
    else if (t == 0x50) p = takeFlags(p, e);
    else if ((t & 7) == 1 && ((field >= 2 && field <= 7) || field == 11 || field == 12)) {
      if (e - p < 8) return false;
      if (field == 6) takeCounts(p, 8);
      else if (field == 7) takeBounds(p, 8);
      else scalar(field, load<u64>(p));
      p += 8;
    } else p = other(p, e, t, 2, 12);
    if (p == 0) return false;
  }
  return true;
}

// @ts-ignore: decorator
@inline
function scalar(field: u32, v: u64): void {
  if (field == 2) start = v;
  else if (field == 3) time = v;
  else if (field == 4) count = v;
  else if (field == 5) {
    value = v;
    hasSum = true;
  }
}

/** More explicit bounds, l bytes at p. */
function takeBounds(p: usize, l: usize): void {
  const n = <u32>(l >>> 3);
  if (n == 0) return;
  if (n > <u32>MAX_GROUP || boundCount + n > <u32>MAX_GROUP) {
    tooMany = true;
    return;
  }
  if (boundCount == 0) bounds = p;
  else bounds = append(bounds, boundCount, p, l, boundScratch);
  boundCount += n;
}

function takeCounts(p: usize, l: usize): void {
  const n = <u32>(l >>> 3);
  if (n == 0) return;
  if (n > <u32>MAX_GROUP || countCount + n > <u32>MAX_GROUP) {
    tooMany = true;
    return;
  }
  if (countCount == 0) counts = p;
  else counts = append(counts, countCount, p, l, countScratch);
  countCount += n;
}

/** Puts l bytes behind the n words at `at`, which are moved to the scratch for that. Returns it. */
function append(at: usize, n: u32, p: usize, l: usize, scratch: usize): usize {
  if (at != scratch) memory.copy(scratch, at, <usize>n << 3);
  memory.copy(scratch + (<usize>n << 3), p, l);
  return scratch;
}

// ExponentialHistogramDataPoint  attributes=1 rep   start=2 fixed64   time=3 fixed64   count=4 fixed64   sum=5 optional double   scale=6 sint32
//                                zero_count=7 fixed64   positive=8 Buckets   negative=9 Buckets   flags=10 uint32   exemplars=11 rep
//                                min=12 double   max=13 double   zero_threshold=14 double
function exponential(p: usize, e: usize): bool {
  while (p < e) {
    const at = p;
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    const field = t >>> 3;
    if (t == 0x0a) p = attribute(at, p, e, 0x0a);
    else if (t == 0x42 || t == 0x4a) {
      const l = length(p, e);
      if (next == 0) return false;
      p = next + l;
      if (!buckets(next, p)) return false;
    } else if (t == 0x5a) p = takeExemplar(p, e);
    else if (t == 0x50) p = takeFlags(p, e);
    else if (t == 0x30) {
      varint(p, e);
      p = next;
    } else if ((t & 7) == 1 && ((field >= 2 && field <= 5) || field == 7 || (field >= 12 && field <= 14))) {
      if (e - p < 8) return false;
      scalar(field, load<u64>(p));
      p += 8;
    } else p = other(p, e, t, 1, 14);
    if (p == 0) return false;
  }
  return true;
}

// Buckets  offset=1 sint32   bucket_counts=2 rep uint64
function buckets(p: usize, e: usize): bool {
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    if (t == 8 || t == 16) {
      varint(p, e);
      p = next;
    } else if (t == 18) {
      const l = length(p, e);
      if (next == 0) return false;
      p = next;
      for (const stop = p + l; p < stop; p = next) {
        varint(p, stop);
        if (next == 0) return false;
      }
    } else p = other(p, e, t, 1, 2);
    if (p == 0) return false;
  }
  return true;
}

// SummaryDataPoint  start=2 fixed64   time=3 fixed64   count=4 fixed64   sum=5 double   quantile_values=6 rep ValueAtQuantile   attributes=7 rep   flags=8 uint32
// ValueAtQuantile   quantile=1 double   value=2 double
function summary(p: usize, e: usize): bool {
  bounds = boundScratch;
  counts = countScratch;
  while (p < e) {
    const at = p;
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    const field = t >>> 3;
    if (t == 0x3a) p = attribute(at, p, e, 0x3a);
    else if (t == 0x32) {
      const l = length(p, e);
      if (next == 0) return false;
      p = next + l;
      if (!quantile(next, p)) return false;
    } else if (t == 0x40) p = takeFlags(p, e);
    else if ((t & 7) == 1 && field >= 2 && field <= 5) {
      if (e - p < 8) return false;
      scalar(field, load<u64>(p));
      p += 8;
    } else p = other(p, e, t, 2, 8);
    if (p == 0) return false;
  }
  hasSum = true;
  return true;
}

function quantile(p: usize, e: usize): bool {
  let q: u64 = 0;
  let v: u64 = 0;
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    if (t == 9 || t == 17) {
      if (e - p < 8) return false;
      if (t == 9) q = load<u64>(p);
      else v = load<u64>(p);
      p += 8;
    } else p = other(p, e, t, 1, 2);
    if (p == 0) return false;
  }
  if (boundCount >= <u32>MAX_GROUP) {
    tooMany = true;
    return true;
  }
  store<u64>(bounds + (<usize>boundCount << 3), q);
  store<u64>(counts + (<usize>boundCount << 3), v);
  boundCount++;
  countCount++;
  return true;
}
