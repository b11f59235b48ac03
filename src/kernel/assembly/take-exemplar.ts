import { E_EXPANDS, E_PROTO, E_REFS, EXEMPLARS, REASON_FUTURE, REASON_UTF8 } from '../../wire/layout';
import { made, madeLeft } from './made';
import { length, next, putVarint64, skip, tag, varint } from './protobuf';
import { spend } from './room';
import { addMade, rejectPoint } from './settle';
import { isText, labelSize, putLabel, symbolCount } from './symbols';
import { closeField, HEAD, latest } from './take-points';

// Exemplars of remote write 2.0. They are written anew as those of 1.0, their labels in them, since refs mean nothing later.
//
//   Exemplar   labels_refs=1 rep uint32   value=2 double   timestamp=3 int64

/** Bytes of its value and time, tags included, at the most. */
const REST: usize = 20;

// the exemplar at hand
let time: i64 = 0;
let value: u64 = 0;
/** Bytes of its labels, written out. A few refs may name more than an address can. */
let size: u64 = 0;
/** Whether all of their strings are UTF-8. */
let text: bool = true;
/** A ref that waits for the one behind it, which may be in another field. */
let pending: bool = false;
let pendingRef: u32 = 0;

/** Takes the Exemplar at [p, e). Returns 0, an error or a PART. */
export function takeExemplar(p: usize, e: usize): i32 {
  const walked = walk(p, e);
  if (walked < 0) return walked;
  if (time > latest) {
    rejectPoint(REASON_FUTURE, EXEMPLARS, time);
    return 0;
  }
  if (!text) {
    rejectPoint(REASON_UTF8, EXEMPLARS, time); // its request would be refused whole
    return 0;
  }
  if (<u64>madeLeft() < size + <u64>(HEAD + REST)) return addMade(EXEMPLARS, 0, 0);
  if (!spend(size)) return E_EXPANDS;
  let op = putLabels(p, e, made + HEAD);
  store<u8>(op, 17);
  store<u64>(op, value, 1);
  op += 9;
  if (time) {
    store<u8>(op, 24);
    op = putVarint64(op + 1, <u64>time);
  }
  return addMade(EXEMPLARS, closeField(made, 26, op), 0);
}

/** Reads all fields. Returns 0, E_PROTO or E_REFS. */
function walk(p: usize, e: usize): i32 {
  time = 0;
  value = 0;
  size = 0;
  text = true;
  pending = false;
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return E_PROTO;
    p = next;
    if (t == 10) {
      const l = length(p, e);
      if (next == 0) return E_PROTO;
      const from = next;
      p = from + l;
      if (!addLabels(from, p)) return E_REFS;
    } else if (t == 8 || t == 24) {
      const v = varint(p, e);
      if (next == 0) return E_PROTO;
      const from = p;
      p = next;
      if (t == 24) time = <i64>v;
      else if (!addLabels(from, p)) return E_REFS;
    } else if (t == 17) {
      if (e - p < 8) return E_PROTO;
      value = load<u64>(p);
      p += 8;
    } else {
      if (t >>> 3 < 4) return E_PROTO;
      p = skip(p, e, t);
      if (p == 0) return E_PROTO;
    }
  }
  return pending ? E_REFS : 0;
}

/** Counts the labels whose refs are at [p, e). Returns whether all are numbers of symbols. */
function addLabels(p: usize, e: usize): bool {
  while (p < e) {
    const v = varint(p, e);
    if (next == 0 || v >= <u64>symbolCount) return false;
    p = next;
    const ref = <u32>v;
    text = text && isText(ref);
    pending = !pending;
    if (pending) pendingRef = ref;
    else size += <u64>labelSize(pendingRef, ref);
  }
  return true;
}

/** Writes the labels of the Exemplar at [p, e), which was walked last, `size` bytes, to op. Returns where they end. */
function putLabels(p: usize, e: usize, op: usize): usize {
  while (p < e) {
    const t = tag(p, e);
    let from = next;
    p = skip(from, e, t);
    if (t == 10) {
      length(from, p);
      from = next;
    } else if (t != 8) continue;
    while (from < p) {
      const ref = <u32>varint(from, p);
      from = next;
      pending = !pending;
      if (pending) pendingRef = ref;
      else op = putLabel(op, pendingRef, ref);
    }
  }
  return op;
}
