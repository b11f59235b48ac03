import { EXEMPLARS, HISTOGRAMS, SAMPLES } from '../../wire/layout';
import { length, next, skip, tag, varint } from './protobuf';
import { codePoints } from './utf8';

// The points of remote write 1.0 (spec 1.1). Unknown fields are skipped; a known field of another wire type is malformed.

/** Timestamp of the point that was walked last: milliseconds. 0 where the field is absent. */
export let time: i64 = 0;
/** Whether the sample that was walked last has a start timestamp. */
export let hasStart: bool = false;
/** Bits of the value of the sample that was walked last. */
export let bits: u64 = 0;

/** Walks one point, the payload of its field at [p, e). Returns whether it is well-formed; sets `time`. */
export function point(kind: u32, p: usize, e: usize): bool {
  if (kind == SAMPLES) return sample(p, e);
  if (kind == HISTOGRAMS) return histogram(p, e);
  return exemplar(p, e);
}

// Sample    value=1 double   timestamp=2 int64   start_timestamp=3 int64, of 2.0
export function sample(p: usize, e: usize): bool {
  time = 0;
  hasStart = false;
  bits = 0;
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    if (t == 9) {
      if (e - p < 8) return false;
      bits = load<u64>(p);
      p += 8;
    } else if (t == 16) {
      time = <i64>varint(p, e);
      if (next == 0) return false;
      p = next;
    } else {
      if (t == 24) hasStart = true;
      else if (t >>> 3 < 4) return false;
      p = skip(p, e, t);
      if (p == 0) return false;
    }
  }
  return true;
}

// Exemplar  labels=1 rep Label   value=2 double   timestamp=3 int64
function exemplar(p: usize, e: usize): bool {
  time = 0;
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    if (t == 10) {
      const l = length(p, e);
      if (next == 0) return false;
      p = next + l;
      if (!strings(next, p, 2)) return false;
    } else if (t == 17) {
      if (e - p < 8) return false;
      p += 8;
    } else if (t == 24) {
      time = <i64>varint(p, e);
      if (next == 0) return false;
      p = next;
    } else {
      if (t >>> 3 < 4) return false;
      p = skip(p, e, t);
      if (p == 0) return false;
    }
  }
  return true;
}

/** Whether all strings in the labels of the exemplar at [p, e), which is well-formed, are UTF-8. */
export function isText(p: usize, e: usize): bool {
  while (p < e) {
    const t = tag(p, e);
    let q = next;
    p = skip(q, e, t);
    if (t != 10) continue;
    length(q, p);
    q = next;
    while (q < p) {
      const inner = tag(q, p);
      const from = next;
      q = skip(from, p, inner);
      if (inner >>> 3 > 2) continue;
      const l = length(from, q);
      if (codePoints(next, l) < 0) return false;
    }
  }
  return true;
}

/** A message whose fields 1..n are all strings: Label (n = 2). */
// Label     name=1 string    value=2 string
export function strings(p: usize, e: usize, n: u32): bool {
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    if (t >>> 3 <= n && (t & 7) != 2) return false;
    p = skip(p, e, t);
    if (p == 0) return false;
  }
  return true;
}

// MetricMetadata  type=1 enum   metric_family_name=2 string   help=4 string   unit=5 string
export function metadata(p: usize, e: usize): bool {
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    const field = t >>> 3;
    if (field == 1 ? (t & 7) != 0 : (field == 2 || field == 4 || field == 5) && (t & 7) != 2) return false;
    p = skip(p, e, t);
    if (p == 0) return false;
  }
  return true;
}

/** Whether all strings in the metadata at [p, e), which is well-formed, are UTF-8. */
export function isMetadataText(p: usize, e: usize): bool {
  while (p < e) {
    const t = tag(p, e);
    const q = next;
    p = skip(q, e, t);
    if (t != 18 && t != 34 && t != 42) continue;
    const l = length(q, p);
    if (codePoints(next, l) < 0) return false;
  }
  return true;
}

// Histogram  count_int=1 uint64 | count_float=2 double   sum=3 double   schema=4 sint32   zero_threshold=5 double
//            zero_count_int=6 uint64 | zero_count_float=7 double
//            negative_spans=8 rep BucketSpan   negative_deltas=9 rep sint64   negative_counts=10 rep double
//            positive_spans=11 rep BucketSpan  positive_deltas=12 rep sint64  positive_counts=13 rep double
//            reset_hint=14 enum   timestamp=15 int64   custom_values=16 rep double
//            Repeated numbers may be packed or not.
const VARINTS: u32 = (1 << 1) | (1 << 4) | (1 << 6) | (1 << 9) | (1 << 12) | (1 << 14) | (1 << 15);
const DOUBLES: u32 = (1 << 2) | (1 << 3) | (1 << 5) | (1 << 7) | (1 << 10) | (1 << 13) | (1 << 16);
const SPANS: u32 = (1 << 8) | (1 << 11);
const REPEATED: u32 = (1 << 9) | (1 << 10) | (1 << 12) | (1 << 13) | (1 << 16);

function histogram(p: usize, e: usize): bool {
  time = 0;
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    const field = t >>> 3;
    const wire = t & 7;
    const bit: u32 = field < 17 ? 1 << field : 0;
    if (bit == 0) {
      p = skip(p, e, t);
      if (p == 0) return false;
    } else if (wire == 2) {
      const l = length(p, e);
      if (next == 0) return false;
      const q = next;
      p = q + l;
      if (bit & SPANS) {
        if (!span(q, p)) return false;
      } else if (!(bit & REPEATED)) return false;
      else if (bit & DOUBLES) {
        if (l & 7) return false;
      } else if (!varints(q, p)) return false;
    } else if (wire == 0 && bit & VARINTS) {
      const v = varint(p, e);
      if (next == 0) return false;
      p = next;
      if (field == 15) time = <i64>v;
    } else if (wire == 1 && bit & DOUBLES) {
      if (e - p < 8) return false;
      p += 8;
    } else return false;
  }
  return true;
}

// BucketSpan  offset=1 sint32   length=2 uint32
function span(p: usize, e: usize): bool {
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    if (t >>> 3 < 3 && (t & 7) != 0) return false;
    p = skip(p, e, t);
    if (p == 0) return false;
  }
  return true;
}

function varints(p: usize, e: usize): bool {
  while (p < e) {
    varint(p, e);
    if (next == 0) return false;
    p = next;
  }
  return true;
}

/** Writes the message [p, e), which is well-formed, to dst without the field of that number. Returns where it ends: no further than it was long. */
export function copyWithout(field: u32, p: usize, e: usize, dst: usize): usize {
  while (p < e) {
    const at = p;
    const t = tag(p, e);
    p = skip(next, e, t);
    if (p == 0) return dst;
    if (t >>> 3 == field) continue;
    memory.copy(dst, at, p - at);
    dst += p - at;
  }
  return dst;
}

/** Field number in a TimeSeries of remote write 1.0 to kind of point; KINDS for none. */
// @ts-ignore: decorator
@inline
export function kindOfField(field: u32): u32 {
  return field == 2 ? SAMPLES : field == 4 ? HISTOGRAMS : field == 3 ? EXEMPLARS : 4;
}
