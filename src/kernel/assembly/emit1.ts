import {
  KINDS, METADATA, R_CONTINUES, R_OVERSIZE, R_PIECE, R_UNWANTED, R_VARIANT_DROPPED, ROW, SLACK,
} from '../../wire/layout';
import { fieldEnd, merged, mergeChain, mergedAddress, mergedKind, nextRow } from './merge';
import { putVarint } from './protobuf';
import { addReport, chained, numberOf, rowsEnd, rowsStart, setReport } from './rows';
import { outputLength, outputOf, putLabels } from './table';

// Writes the rows of one variant as remote write 1.0 messages, each up to a number of points and bytes. A piece may end inside a series, also
// inside one long run. Points are copied as they came.

let variant: u32 = 0;
let kinds: u32 = 0;
let all: bool = false; //   keep superseded points
let row: usize = 0; //      the next row
let offset: u32 = 0; //     bytes of it that are out already
let inChain: bool = false; // the row heads a merged chain, of whose points `index` are out
let index: u32 = 0;
let loose: u32 = 0; //      bit v: a chain of variant v was too long to merge

export function resetEmit(): void {
  row = rowsEnd;
  inChain = false;
  loose = 0;
}

/** Starts over with the first row, for this variant; kinds: a bit for every kind of point that is wanted; keep: superseded points too. */
export function emitBegin(forVariant: u32, wanted: u32, keep: bool): void {
  variant = forVariant;
  kinds = wanted;
  all = keep;
  row = rowsStart;
  offset = 0;
  inChain = false;
  for (let k: u32 = 0; k < <u32>KINDS * 4; k++) setReport(R_VARIANT_DROPPED + k, 0);
  if (chained >>> variant & 1) linkChains();
}

/** Makes `next` lead from row to row of every chain; afterwards an output's `last` is the chain's first row. */
function linkChains(): void {
  for (let r = rowsStart; r < rowsEnd; r += ROW) if (isChained(r)) store<u32>(outputAt(r), numberOf(r), 4);
  for (let r = rowsEnd - ROW; r >= rowsStart; r -= ROW) {
    if (!isChained(r)) continue;
    const O = outputAt(r);
    const after = load<u32>(O, 4);
    const own = numberOf(r);
    store<u32>(r, after == own ? 0 : after, 20);
    store<u32>(O, own, 4);
  }
}

// @ts-ignore: decorator
@inline
function isChained(r: usize): bool {
  return <bool>((<u32>load<u16>(r, 18) >>> variant) & 1);
}

// @ts-ignore: decorator
@inline
function outputAt(r: usize): usize {
  return outputOf(<usize>load<u32>(r), variant);
}

/**
 * Writes the next piece to [dst, dst+cap): at most `most` points, at most cap - SLACK bytes. Returns its length, 0 when nothing is left. The report has its counts.
 * Writes nothing past dst + cap.
 */
export function emit1(dst: usize, cap: usize, most: u32): i32 {
  for (let k: u32 = 0; k < <u32>KINDS; k++) setReport(R_PIECE + k, 0);
  setReport(R_CONTINUES, <u32>(offset != 0 || index != 0 || (loose >>> variant & 1) != 0));
  const limit = dst + cap - SLACK;
  let op = dst;
  let left = most;
  while (row < rowsEnd) {
    const kind = <u32>load<u8>(row, 16);
    const count = load<u32>(row, 12);
    let O: usize = 0;
    if (!inChain) {
      if (kind != METADATA) {
        O = outputAt(row);
        if (O & 1) {
          addReport(R_VARIANT_DROPPED + kind, count);
          row += ROW;
          continue;
        }
        if (isChained(row)) {
          if (load<u32>(O, 4) != numberOf(row)) {
            row += ROW; // it went out with the head of its chain
            continue;
          }
          if (mergeChain(row, kinds, all)) {
            countUnwanted();
            inChain = true;
            index = 0;
            continue;
          }
          loosen(row);
        }
      }
      if (!(kinds >>> kind & 1)) {
        addReport(R_UNWANTED + kind, count);
        row += ROW;
        continue;
      }
      if (left == 0) break;
      const labels = O ? <usize>outputLength(O) : 0;
      const at = <usize>load<u32>(row, 4) + <usize>offset;
      const rest = <usize>(load<u32>(row, 8) - offset);
      const head = O ? labels + 6 : 0;
      if (offset == 0 && count <= left && head + rest <= limit - op && op < limit) {
        op = put(op, O, labels, at, rest);
        addReport(R_PIECE + kind, count);
        left -= count;
        row += ROW;
        continue;
      }
      // cut inside the run
      let n: u32 = 0;
      let p = at;
      const e = at + rest;
      while (p < e && n < left) {
        const q = fieldEnd(p);
        if (op >= limit || head + (q - at) > limit - op) break;
        p = q;
        n++;
      }
      if (n == 0) {
        if (left < most) break;
        addReport(R_OVERSIZE + kind, 1);
        p = fieldEnd(at);
      } else {
        op = put(op, O, labels, at, p - at);
        addReport(R_PIECE + kind, n);
        left -= n;
      }
      if (p < e) {
        offset += <u32>(p - at);
        continue;
      }
      offset = 0;
      row += ROW;
      continue;
    }
    // the head of a merged chain
    if (index == merged) {
      inChain = false;
      index = 0;
      row += ROW;
      continue;
    }
    if (left == 0) break;
    O = outputAt(row);
    const labels = <usize>outputLength(O);
    let n = index;
    let size: usize = 0;
    while (n < merged && n - index < left) {
      const p = mergedAddress(n);
      const l = fieldEnd(p) - p;
      if (op >= limit || labels + 6 + size + l > limit - op) break;
      size += l;
      n++;
    }
    if (n == index) {
      if (left < most) break;
      addReport(R_OVERSIZE + mergedKind(index), 1);
      index++;
      continue;
    }
    op = putHead(op, O, labels, size);
    for (; index < n; index++) {
      const p = mergedAddress(index);
      const l = fieldEnd(p) - p;
      memory.copy(op, p, l);
      op += l;
      addReport(R_PIECE + mergedKind(index), 1);
      left--;
    }
  }
  return <i32>(op - dst);
}

/** A whole TimeSeries with the points at [at, at+n), or bare metadata. */
// @ts-ignore: decorator
@inline
function put(op: usize, O: usize, labels: usize, at: usize, n: usize): usize {
  if (O) op = putHead(op, O, labels, n);
  if (n <= 32) {
    v128.store(op, v128.load(at));
    v128.store(op, v128.load(at, 16), 16);
  } else memory.copy(op, at, n);
  return op + n;
}

/** Tag, length and labels of a TimeSeries whose points take n bytes. */
// @ts-ignore: decorator
@inline
function putHead(op: usize, O: usize, labels: usize, n: usize): usize {
  store<u8>(op, 10);
  return putLabels(putVarint(op + 1, <u32>(labels + n)), O);
}

/** Counts the points of the chain that this row heads whose kinds are not wanted. */
function countUnwanted(): void {
  for (let r = row; r != 0; r = nextRow(r)) {
    const kind = <u32>load<u8>(r, 16);
    if (!(kinds >>> kind & 1)) addReport(R_UNWANTED + kind, load<u32>(r, 12));
  }
}

/** The rows of a chain that is too long to merge go out one by one, as they came; from now on every piece waits for the ones before it. */
function loosen(head: usize): void {
  loose |= 1 << variant;
  let r = head;
  while (r != 0) {
    const after = nextRow(r);
    store<u16>(r, load<u16>(r, 18) & ~(<u16>1 << <u16>variant), 18);
    r = after;
  }
}
