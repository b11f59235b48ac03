import { EXEMPLARS, HISTOGRAMS, KINDS, R_CONTINUES, R_OVERSIZE, R_PIECE, R_PIECE_POINTS, SAMPLES, SLACK } from '../../wire/layout';
import {
  advance, advanceChain, advanceExemplars, bases, CHAIN, continues, current, exemplarsOut, index, kindOf, NOTHING, offset, output, row,
} from './emission';
import { fieldEnd, merged, mergedAddress, mergedForm, mergedKind } from './merge';
import { copyWithout } from './points';
import { length, next, putVarint, skip, tag } from './protobuf';
import { addReport, FORM_POINT, setReport } from './rows';
import { describe, METADATA_ROOM, putMetadata } from './series-metadata';
import {
  beginSymbols, dropSymbols, nameFound, putRefs, readLabel, symbolsEnd, symbolsUsed, valueFound,
} from './symbol-table';
import { outputLabels, outputPair } from './table';

// Writes the rows of one variant as remote write 2.0 messages (spec 2.1), each up to a number of points and bytes. Symbols come first on the wire and are known
// last: series are written to a region of their own and moved behind them in the end. A TimeSeries has samples or histograms, never both, and exemplars only
// besides one of those.

/** Tag and longest length of a TimeSeries, an Exemplar, or its labels. */
const HEAD: usize = 6;
/** Tag, length and refs of one label at the most. */
const LABEL: usize = 10;

let region: usize = 0;
let regionSize: usize = 0;
// the piece
let start: usize = 0; //    of its symbols
let room: usize = 0; //     bytes it may have
let op: usize = 0; //       where its series go on
let ended: bool = false; // exemplars wait for a piece with more room
/** The TimeSeries at hand. */
let opened: usize = 0;
// where rollBack() goes back to
let markOp: usize = 0;
let markEnd: usize = 0;
let markUsed: u32 = 0;

/** series: a region for the series of a piece while it is written, of any size from that of a piece on. */
export function initEmit2(series: usize, size: usize): void {
  region = series;
  regionSize = size;
}

/** As emit1(). Writes to [dst, dst+cap) and to the region for series. */
export function emit2(dst: usize, cap: usize, most: u32): i32 {
  for (let k: u32 = 0; k < <u32>KINDS; k++) setReport(R_PIECE + k, 0);
  setReport(R_PIECE_POINTS, 0);
  setReport(R_CONTINUES, <u32>continues());
  start = dst;
  room = min(cap, regionSize) - SLACK;
  ended = false;
  begin();
  let left = most;
  while (left > 0 && !ended) {
    const what = current();
    if (what == NOTHING) break;
    mark();
    const points = what == CHAIN ? chain(left, left == most) : run(left);
    if (points == 0) {
      if (left < most) {
        rollBack();
        break;
      }
      // Alone in a piece, and too large for it.
      begin();
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
    left -= points;
  }
  if (left == most) return 0;
  const n = op - region;
  memory.copy(symbolsEnd, region, n);
  return <i32>(symbolsEnd + n - dst);
}

function begin(): void {
  op = region;
  beginSymbols(start, start + room);
}

function mark(): void {
  markOp = op;
  markEnd = symbolsEnd;
  markUsed = symbolsUsed;
}

/** What was written since mark() is forgotten. */
function rollBack(): void {
  op = markOp;
  dropSymbols(markUsed, markEnd);
}

/** Is there room for n more bytes in the piece? */
// @ts-ignore: decorator
@inline
function fits(n: usize): bool {
  const used = (op - region) + (symbolsEnd - start);
  return used <= room && n <= room - used;
}

/** n more bytes of the run are out. */
// @ts-ignore: decorator
@inline
function step(n: usize): void {
  advance(<u32>n, offset + <u32>n == load<u32>(row, 8));
}

/** Writes what fits of the run at hand. Returns the number of its points. */
function run(most: u32): u32 {
  if (!open(false)) return 0;
  const kind = kindOf(row);
  const at = <usize>load<u32>(row, 4) + <usize>offset;
  const rest = <usize>(load<u32>(row, 8) - offset);
  let n = load<u32>(row, 12);
  let p = at + rest;
  if (kind == SAMPLES && offset == 0 && n <= most && fits(rest + METADATA_ROOM)) {
    if (rest <= 32) {
      v128.store(op, v128.load(at));
      v128.store(op, v128.load(at, 16), 16);
    } else memory.copy(op, at, rest);
    op += rest;
  } else {
    const e = p;
    n = 0;
    for (p = at; p < e && n < most; n++) {
      const q = fieldEnd(p);
      if (!putBase(p, q, kind)) break;
      p = q;
    }
    if (n == 0) return 0;
  }
  close();
  addReport(R_PIECE + kind, n);
  step(p - at);
  return n;
}

/**
 * Writes what fits of the chain at hand: samples or histograms of it, and exemplars. Returns the number of its points. fresh: the piece is empty.
 *
 * All samples (or histograms) come first when everything fits. If not, one comes first, then exemplars, then more of the others: those without which exemplars could
 * not go out are not to be used up before them.
 */
function chain(most: u32, fresh: bool): u32 {
  if (!open(true)) return 0;
  const kind = mergedKind(index);
  const first = bases();
  let end = index; //                            behind the last of this kind
  while (end < first && mergedKind(end) == kind && end - index < most) end++;
  let exemplars = merged - first - exemplarsOut;
  let n = end - index;
  let x: u32 = 0;
  if (n + exemplars <= most) {
    const all = putBases(index, end, kind);
    if (all == n && putExemplars(first + exemplarsOut, exemplars) == exemplars) return finish(kind, n, exemplars);
    rollBack();
    if (!open(true)) return 0;
  }
  if (putBases(index, index + 1, kind) == 0) return 0;
  n = 1;
  x = putExemplars(first + exemplarsOut, min(exemplars, most - 1));
  while (x == 0 && exemplars > 0 && most > 1 && fresh) {
    addReport(R_OVERSIZE + EXEMPLARS, 1); // not even behind one point alone
    advanceExemplars(1);
    exemplars--;
    x = putExemplars(first + exemplarsOut, min(exemplars, most - 1));
  }
  if (x < exemplars) {
    // The last one for exemplars to travel with: a new piece takes more of them.
    if (index + 1 == first && !fresh) return 0;
    ended = true;
  } else n += putBases(index + 1, min(end, index + most - x), kind);
  return finish(kind, n, x);
}

function finish(kind: u32, n: u32, exemplars: u32): u32 {
  close();
  for (let i = index; i < index + n; i++) if (mergedForm(i) & FORM_POINT) addReport(R_PIECE_POINTS, 1);
  addReport(R_PIECE + kind, n);
  addReport(R_PIECE + EXEMPLARS, exemplars);
  advanceExemplars(exemplars);
  advanceChain(n);
  return n + exemplars;
}

/** Writes the samples or histograms [from, to) of the chain, and says how many there was room for. */
function putBases(from: u32, to: u32, kind: u32): u32 {
  let i = from;
  for (; i < to; i++) {
    const p = mergedAddress(i);
    if (!putBase(p, fieldEnd(p), kind)) break;
  }
  return i - from;
}

/** The same for n exemplars. */
function putExemplars(from: u32, n: u32): u32 {
  let i: u32 = 0;
  for (; i < n; i++) {
    const p = mergedAddress(from + i);
    if (!putExemplar(p, fieldEnd(p))) break;
  }
  return i;
}

// TimeSeries   labels_refs=1 rep uint32   samples=2 rep Sample   histograms=3 rep Histogram   exemplars=4 rep Exemplar   metadata=5 Metadata
/** Starts a TimeSeries with the labels of the row at hand, or of the chain that it heads. Returns whether there is room for it. */
function open(heads: bool): bool {
  const n = outputLabels(output);
  if (!fits(2 * HEAD + <usize>n * LABEL + METADATA_ROOM)) return false;
  opened = op;
  let to = op + 4; // tag and length of the series, and of its refs, if both are short
  for (let i: u32 = 0; i < n; i++) {
    to = putRefs(to, outputPair(output, i));
    if (to == 0) return false;
  }
  const size = to - op - 4;
  if (size < 128) store<u16>(op, <u16>(10 | (size << 8)), 2);
  else {
    store<u8>(op, 10, 2);
    memory.copy(op + 5, op + 4, size); // below 16384: MAX_LABELS labels
    putVarint(op + 3, <u32>size);
    to++;
  }
  op = to;
  return describe(heads) && fits(METADATA_ROOM);
}

/** Puts tag and length before the TimeSeries at hand, its metadata behind. */
function close(): void {
  op = putMetadata(op);
  const n = op - opened - 2;
  store<u8>(opened, 42);
  if (n < 128) {
    store<u8>(opened, <u8>n, 1);
    return;
  }
  const more: usize = n < 16384 ? 1 : n < 2097152 ? 2 : 3;
  memory.copy(opened + 2 + more, opened + 2, n);
  putVarint(opened + 1, <u32>n);
  op += more;
}

/** Writes the sample or histogram field [p, e). Returns whether there was room. */
function putBase(p: usize, e: usize, kind: u32): bool {
  if (!fits(e - p + HEAD + METADATA_ROOM)) return false;
  if (kind == HISTOGRAMS) {
    tag(p, e);
    store<u8>(op++, 26);
    p = next; // its length is as it was
  }
  memory.copy(op, p, e - p);
  op += e - p;
  return true;
}

// Exemplar   labels_refs=1 rep uint32   value=2 double   timestamp=3 int64
/** Writes the exemplar field [p, e) of 1.0 with refs for labels. Returns whether there was room; if not, nothing is written. */
function putExemplar(p: usize, e: usize): bool {
  const before = op;
  const end = symbolsEnd;
  const used = symbolsUsed;
  if (putExemplarFields(p, e)) return true;
  op = before;
  dropSymbols(used, end);
  return false;
}

function putExemplarFields(p: usize, e: usize): bool {
  // A label takes LABEL bytes at the most, and two where it came from at the least.
  if (!fits((e - p) * (LABEL / 2) + 2 * HEAD + METADATA_ROOM) && !fits(roomOf(p, e))) return false;
  tag(p, e);
  const size = length(next, e);
  const from = next;
  e = from + size;
  const head = op;
  let to = head + 2 * HEAD;
  for (p = from; p < e; ) {
    const t = tag(p, e);
    const q = next;
    const at = p;
    p = skip(q, e, t);
    if (t != 10) continue;
    if (!readLabel(at, p)) return false;
    to = putVarint(putVarint(to, nameFound), valueFound);
  }
  const labels = to - head - 2 * HEAD;
  let fields = head + HEAD;
  if (labels) {
    store<u8>(fields, 10);
    fields = putVarint(fields + 1, <u32>labels);
    memory.copy(fields, head + 2 * HEAD, labels);
    fields += labels;
  }
  fields = copyWithout(1, from, e, fields);
  const n = fields - head - HEAD;
  store<u8>(head, 34);
  const begun = putVarint(head + 1, <u32>n);
  memory.copy(begun, head + HEAD, n);
  op = begun + n;
  return fits(METADATA_ROOM);
}

/** Bytes that the exemplar field [p, e) may take while it is written. */
function roomOf(p: usize, e: usize): usize {
  tag(p, e);
  const size = length(next, e);
  p = next;
  e = p + size;
  let n: usize = 2 * HEAD + METADATA_ROOM;
  while (p < e) {
    const t = tag(p, e);
    const at = p;
    p = skip(next, e, t);
    n += t == 10 ? LABEL : <usize>(p - at);
  }
  return n;
}
