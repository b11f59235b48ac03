import { EXEMPLARS, MAX_MERGE, R_SUPERSEDED } from '../../wire/layout';
import { point, time } from './points';
import { length, next, tag } from './protobuf';
import { addReport, FORM_LEFT, rowOf } from './rows';

// The points of a chain of rows, in the order they go out: samples, then histograms, then exemplars, each in time order. Of equal times the
// one sent last stays (exemplars all stay).
//
//  point   +0 i64 time   +8 u32 address of the field   +12 u32 kind | form << 8

/** Bytes of one point, and of the whole scratch: a list and the sort's other half. */
const POINT: usize = 16;
export const MERGE_SCRATCH: usize = <usize>MAX_MERGE * POINT * 2;

const counts: usize = memory.data(12, 4);
let list: usize = 0;
let other: usize = 0;
/** Points in the list. */
export let merged: u32 = 0;

export function initMerge(scratch: usize): void {
  list = scratch;
  other = scratch + <usize>MAX_MERGE * POINT;
}

// @ts-ignore: decorator
@inline
export function mergedAddress(i: u32): usize {
  return <usize>load<u32>(list + <usize>i * POINT, 8);
}

// @ts-ignore: decorator
@inline
export function mergedKind(i: u32): u32 {
  return <u32>load<u8>(list + <usize>i * POINT, 12);
}

// @ts-ignore: decorator
@inline
export function mergedForm(i: u32): u32 {
  return load<u32>(list + <usize>i * POINT, 12) >>> 8;
}

/** Points of this kind in the list, where kinds stand one behind the other: SAMPLES, HISTOGRAMS, EXEMPLARS. */
export function mergedOf(kind: u32): u32 {
  return load<u32>(counts + (<usize>kind << 2));
}

/** End of the field at p, which is known to be well-formed. */
// @ts-ignore: decorator
@inline
export function fieldEnd(p: usize): usize {
  tag(p, p + 10);
  const l = length(next, <usize>-1);
  return next + l;
}

/** Lists the points of the chain that starts at this row, but for rows that are marked FORM_LEFT; all: superseded ones too. Returns whether they fit: MAX_MERGE at most. */
export function mergeChain(head: usize, all: bool): bool {
  merged = 0;
  if (!fits(head)) return false;
  for (let kind: u32 = 0; kind <= <u32>EXEMPLARS; kind++) {
    const first = merged;
    let ordered = true;
    let before: i64 = 0;
    for (let row = head; row != 0; row = nextRow(row)) {
      const form = <u32>load<u8>(row, 17);
      if (<u32>load<u8>(row, 16) != kind || form & FORM_LEFT) continue;
      let p = <usize>load<u32>(row, 4);
      const e = p + <usize>load<u32>(row, 8);
      while (p < e) {
        const at = p;
        p = fieldEnd(p);
        tag(at, p);
        length(next, p);
        point(kind, next, p);
        if (merged > first && time <= before) ordered = false;
        before = time;
        const to = list + <usize>merged * POINT;
        store<i64>(to, time);
        store<u32>(to, <u32>at, 8);
        store<u32>(to, kind | (form << 8), 12);
        merged++;
      }
    }
    if (!ordered) {
      sort(first, merged);
      if (kind != EXEMPLARS && !all) dropSuperseded(first, kind);
    }
    store<u32>(counts + (<usize>kind << 2), merged - first);
  }
  return true;
}

function fits(head: usize): bool {
  let points: u64 = 0;
  for (let row = head; row != 0; row = nextRow(row)) {
    if (!(<u32>load<u8>(row, 17) & FORM_LEFT)) points += load<u32>(row, 12);
  }
  return points <= <u64>MAX_MERGE;
}

/** The next row of the chain, 0 at its end. */
export function nextRow(row: usize): usize {
  const n = load<u32>(row, 20);
  return n ? rowOf(n) : 0;
}

/** Stable merge sort, bottom-up, of the points [from, to). */
function sort(from: u32, to: u32): void {
  for (let width: u32 = 1; width < to - from; width *= 2) {
    for (let low = from; low < to; low += width * 2) {
      const mid = min(low + width, to);
      const high = min(mid + width, to);
      let a = low;
      let b = mid;
      for (let i = low; i < high; i++) {
        const left = a < mid && (b >= high || load<i64>(list + <usize>a * POINT) <= load<i64>(list + <usize>b * POINT));
        v128.store(other + <usize>i * POINT, v128.load(list + <usize>(left ? a : b) * POINT));
        if (left) a++;
        else b++;
      }
    }
    memory.copy(list + <usize>from * POINT, other + <usize>from * POINT, <usize>(to - from) * POINT);
  }
}

/** Of points with equal times, [from, merged), keeps the last. */
function dropSuperseded(from: u32, kind: u32): void {
  let out = from;
  for (let i = from; i < merged; i++) {
    if (i + 1 < merged && load<i64>(list + <usize>i * POINT) == load<i64>(list + <usize>(i + 1) * POINT)) continue;
    v128.store(list + <usize>out * POINT, v128.load(list + <usize>i * POINT));
    out++;
  }
  addReport(R_SUPERSEDED + kind, merged - out);
  merged = out;
}
