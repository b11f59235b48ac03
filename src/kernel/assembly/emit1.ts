import { EXEMPLARS, HISTOGRAMS, KINDS, R_CONTINUES, R_OVERSIZE, R_PIECE, R_PIECE_POINTS, ROW, SAMPLES, SLACK } from '../../wire/layout';
import { beginBlock, blocks, closeSegment, endBlock, openSegment, passBlock } from './block';
import { advance, advanceChain, advanceTo, CHAIN, continues, current, formOf, index, kindOf, NOTHING, offset, output, row, RUN, variant } from './emission';
import { fieldEnd, merged, mergedAddress, mergedForm, mergedKind } from './merge';
import { copyWithout } from './points';
import { length, next, putVarint, tag } from './protobuf';
import { addReport, FORM_POINT, FORM_START, FORM_V2, setReport } from './rows';
import { follow, isFollowing, putFollowed } from './snappy-follow';
import { fill, fits, hasRoom, remembers, seenBefore, stencilOf, stretchEnd, stretchHash } from './stencil';
import { makeStencil } from './stencil-maker';
import { outputLength, putLabels } from './table';

// Writes the rows of one variant as remote write 1.0 messages, each up to a number of points and bytes. A piece may end inside a series, also
// inside one long run. Points are copied as they came, but for what only 2.0 has.

/** Tag and longest length of a TimeSeries. */
const HEAD: usize = 6;

/**
 * Writes the next piece to [dst, dst+cap): at most `most` points, at most cap - SLACK bytes. Returns its length, 0 when nothing is left. The report has its counts.
 * Writes nothing past dst + cap.
 */
export function emit1(dst: usize, cap: usize, most: u32): i32 {
  const limit = dst + cap - SLACK;
  return <i32>(write(dst, limit, most) - dst);
}

/**
 * The same as a snappy block at [to, to+room), maxEncoded(cap) of it; blockStart() and blockStop() tell where it is. Of the message only parts are at dst. scratch: for the
 * encoders. Returns the length of the message.
 */
export function emitBlock1(dst: usize, cap: usize, most: u32, to: usize, room: usize, scratch: usize): i32 {
  beginBlock(dst, to, to + room, scratch);
  return <i32>endBlock(write(dst, dst + cap - SLACK, most));
}

/** Writes what fits before the limit. Returns where it ends; with a block, where its last segment does. */
function write(dst: usize, limit: usize, most: u32): usize {
  for (let k: u32 = 0; k < <u32>KINDS; k++) setReport(R_PIECE + k, 0);
  setReport(R_PIECE_POINTS, 0);
  setReport(R_CONTINUES, <u32>continues());
  let op = dst;
  let left = most;
  text = 0;
  while (left > 0) {
    const what = current();
    if (what == NOTHING) break;
    if (blocks) {
      if (remembers && what == RUN && offset == 0 && row >= text) {
        let T = stencil();
        if (T != 0 || stretchAgain) {
          closeSegment(op);
          limit -= op - dst;
          op = dst;
          if (T == 0) T = makeStencil(row, text, variant, op, limit);
          if (T != 0) {
            if (load<u32>(T, 8) <= left && op < limit && <usize>load<u32>(T, 4) <= limit - op && hasRoom(T)) {
              limit -= <usize>load<u32>(T, 4);
              left -= load<u32>(T, 8);
              advanceTo(fill(T, row));
              continue;
            }
            text = row + <usize>load<u32>(T) * ROW;
          }
        }
      }
      openSegment();
    }
    const points = what == CHAIN ? chain(op, limit, left) : run(op, limit, left);
    if (points == 0) {
      if (left < most) break;
      // Alone in a piece, and too large for it.
      if (what == CHAIN) {
        addReport(R_OVERSIZE + mergedKind(index), 1);
        advanceChain(1);
      } else {
        addReport(R_OVERSIZE + kindOf(row), 1);
        const at = <usize>load<u32>(row, 4) + <usize>offset;
        step(fieldEnd(at) - at);
      }
      continue;
    }
    op = end;
    left -= points;
  }
  return op;
}

/** Rows before this one are written as text. */
let text: usize = 0;

/** The stretch that has no stencil was seen before. */
let stretchAgain: bool = false;

/** The stencil that fits the stretch that begins with the row at hand. 0: there is none, and the stretch is text. */
function stencil(): usize {
  stretchAgain = false;
  const T = stencilOf(row, variant);
  if (T != 0 && fits(T, row)) return T;
  const stop = stretchEnd(row, variant);
  text = max(stop, row + ROW);
  stretchAgain = stop > row && seenBefore(row, stretchHash, variant);
  return 0;
}

/** Where run() and chain() stopped to write. */
let end: usize = 0;

/** n more bytes of the run are out. */
// @ts-ignore: decorator
@inline
function step(n: usize): void {
  advance(<u32>n, offset + <u32>n == load<u32>(row, 8));
}

/** Writes what fits of the run at hand. Returns the number of its points; sets `end`. */
// @ts-ignore: decorator
@inline
function run(op: usize, limit: usize, most: u32): u32 {
  const kind = kindOf(row);
  const count = load<u32>(row, 12);
  const O = output;
  const labels = O ? <usize>outputLength(O) : 0;
  const at = <usize>load<u32>(row, 4) + <usize>offset;
  const rest = <usize>(load<u32>(row, 8) - offset);
  const head = O ? labels + HEAD : 0;
  const form = formOf(row);
  if (offset == 0 && count <= most && op < limit && head + rest <= limit - op && !(form & (FORM_V2 | FORM_START))) {
    end = put(op, O, labels, at, rest);
    addReport(R_PIECE + kind, count);
    advance(0, true);
    return count;
  }
  return cut(op, limit, most, at, at + rest, head);
}

/** The same inside the run [at, e), or for one whose points are written anew. */
function cut(op: usize, limit: usize, most: u32, at: usize, e: usize, head: usize): u32 {
  const O = output;
  const kind = kindOf(row);
  const form = formOf(row);
  let n: u32 = 0;
  let p = at;
  while (p < e && n < most) {
    const q = fieldEnd(p);
    if (op >= limit || head + (q - at) > limit - op) break;
    p = q;
    n++;
  }
  if (n == 0) return 0;
  if (form & (FORM_V2 | FORM_START)) {
    let to = putLabels(op + HEAD, O);
    for (let q = at; q < p; ) {
      const f = fieldEnd(q);
      to = putPoint(to, q, f, kind, form);
      q = f;
    }
    end = closeSeries(op, to);
  } else end = put(op, O, O ? <usize>outputLength(O) : 0, at, p - at);
  addReport(R_PIECE + kind, n);
  step(p - at);
  return n;
}

/** Writes what fits of the chain at hand. Returns the number of its points; sets `end`. */
function chain(op: usize, limit: usize, most: u32): u32 {
  const O = output;
  if (op >= limit || HEAD + <usize>outputLength(O) > limit - op) return 0;
  let to = putLabels(op + HEAD, O);
  let n: u32 = 0;
  while (index < merged && n < most) {
    const p = mergedAddress(index);
    const e = fieldEnd(p);
    if (to >= limit || e - p > limit - to) break;
    const kind = mergedKind(index);
    const form = mergedForm(index);
    to = putPoint(to, p, e, kind, form);
    if (form & FORM_POINT) addReport(R_PIECE_POINTS, 1);
    addReport(R_PIECE + kind, 1);
    advanceChain(1);
    n++;
  }
  if (n > 0) end = closeSeries(op, to);
  return n;
}

/** A whole TimeSeries with the points at [at, at+n), or bare metadata. */
// @ts-ignore: decorator
@inline
function put(op: usize, O: usize, labels: usize, at: usize, n: usize): usize {
  if (isFollowing() && O) return putFollowed(op, O, labels, at, n);
  const start = op;
  if (O) {
    store<u8>(op, 10);
    op = putLabels(putVarint(op + 1, <u32>(labels + n)), O);
  }
  if (n <= 32) {
    v128.store(op, v128.load(at));
    v128.store(op, v128.load(at, 16), 16);
  } else memory.copy(op, at, n);
  if (isFollowing()) follow(start, op + n);
  return op + n;
}

/** Gives the series whose fields were written to [op + HEAD, to) its tag and length. Returns where it ends. */
function closeSeries(op: usize, to: usize): usize {
  const n = to - op - HEAD;
  store<u8>(op, 10);
  const fields = putVarint(op + 1, <u32>n);
  if (fields != op + HEAD) memory.copy(fields, op + HEAD, n);
  if (isFollowing()) follow(op, fields + n);
  return fields + n;
}

/** Writes the point field [p, e) as one of 1.0: no longer than it was. */
function putPoint(op: usize, p: usize, e: usize, kind: u32, form: u32): usize {
  const strip = (form & FORM_START) != 0 && kind != EXEMPLARS;
  if (!strip && !(form & FORM_V2)) {
    memory.copy(op, p, e - p);
    return op + (e - p);
  }
  tag(p, e);
  length(next, e);
  const from = next;
  const to = op + HEAD;
  let n = e - from;
  if (strip) n = copyWithout(kind == SAMPLES ? 3 : 17, from, e, to) - to;
  else memory.copy(to, from, n);
  store<u8>(op, kind == SAMPLES ? 18 : kind == HISTOGRAMS ? 34 : 26);
  const fields = putVarint(op + 1, <u32>n);
  memory.copy(fields, to, n);
  return fields + n;
}
