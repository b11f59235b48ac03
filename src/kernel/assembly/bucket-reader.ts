import { length as lengthOf, next, skip, tag, varint } from './protobuf';
import { T_NEGATIVE_COUNTS, T_NEGATIVE_DELTAS, T_NEGATIVE_SPANS, T_POSITIVE_COUNTS, T_POSITIVE_DELTAS, T_POSITIVE_SPANS } from './histogram-writer';

// Reads the buckets of one side of a Histogram, one after the other, with their indices. Spans and counts may lie anywhere in the message, in any number
// of pieces: each has a cursor of its own, so that all of it is two walks over the message.

let end: usize = 0;
let spanAt: usize = 0; //  where spans are looked for
let spanTag: u32 = 0;
let left: u32 = 0; //      buckets of the span at hand
let following: i64 = 0; // index of the next bucket
let countAt: usize = 0; // where counts are looked for
let packed: u32 = 0; //    their tag when packed
let loose: u32 = 0; //     their tag when not
let piece: usize = 0; //   the piece of counts at hand
let pieceEnd: usize = 0;
let float: bool = false;

/** The bucket of the last nextBucket(): its index, and its count, which is the bits of a double in the float flavour. */
export let bucketIndex: i64 = 0;
export let bucketCount: u64 = 0;

/** Starts with the first bucket of that side of the message at [p, e), which checkHistogram() took. */
export function openBuckets(p: usize, e: usize, positive: bool, isFloat: bool): void {
  spanAt = countAt = p;
  end = e;
  float = isFloat;
  spanTag = positive ? T_POSITIVE_SPANS : T_NEGATIVE_SPANS;
  packed = isFloat ? (positive ? T_POSITIVE_COUNTS : T_NEGATIVE_COUNTS) : positive ? T_POSITIVE_DELTAS : T_NEGATIVE_DELTAS;
  loose = (packed & ~7) | <u32>isFloat;
  left = 0;
  following = 0;
  piece = pieceEnd = 0;
  bucketCount = 0;
}

/** Moves on to the next bucket. Returns whether there is one. */
export function nextBucket(): bool {
  while (left == 0) if (!nextSpan()) return false;
  while (piece >= pieceEnd) if (!nextPiece()) return false;
  if (float) {
    if (pieceEnd - piece < 8) return false;
    bucketCount = load<u64>(piece);
    piece += 8;
  } else {
    const v = varint(piece, pieceEnd);
    if (next == 0) return false;
    piece = next;
    bucketCount += (v >>> 1) ^ -(v & 1);
  }
  bucketIndex = following++;
  left--;
  return true;
}

function nextSpan(): bool {
  while (spanAt < end) {
    const t = tag(spanAt, end);
    if (next == 0) return false;
    const p = next;
    spanAt = skip(p, end, t);
    if (spanAt == 0) break;
    if (t != spanTag) continue;
    lengthOf(p, end);
    if (!readSpan(next, spanAt)) break;
    following += spanOffset;
    left = spanLength;
    return true;
  }
  spanAt = end;
  return false;
}

function nextPiece(): bool {
  while (countAt < end) {
    const t = tag(countAt, end);
    if (next == 0) return false;
    piece = next;
    pieceEnd = countAt = skip(piece, end, t);
    if (pieceEnd == 0) break;
    if (t == loose) return true;
    if (t != packed) continue;
    lengthOf(piece, end);
    piece = next;
    return true;
  }
  countAt = end;
  piece = pieceEnd = 0;
  return false;
}

/** Of the last readSpan(). */
export let spanOffset: i32 = 0;
export let spanLength: u32 = 0;

// BucketSpan  offset=1 sint32   length=2 uint32
/** Reads the span at [p, e). Returns whether it is well-formed. */
export function readSpan(p: usize, e: usize): bool {
  spanOffset = 0;
  spanLength = 0;
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    if (t == 8) {
      const v = <u32>varint(p, e);
      if (next == 0) return false;
      p = next;
      spanOffset = <i32>((v >>> 1) ^ -(v & 1));
    } else if (t == 16) {
      spanLength = <u32>varint(p, e);
      if (next == 0) return false;
      p = next;
    } else {
      if (t >>> 3 < 3) return false;
      p = skip(p, e, t);
      if (p == 0) return false;
    }
  }
  return true;
}
