import { PAD, R_PIECE, R_PIECE_POINTS, R_VARIANT_DROPPED, ROW, SAMPLES } from '../../wire/layout';
import { blockAt, blockEnd, passBlock } from './block';
import { addReport, FORM_POINT, rowsEnd } from './rows';
import { copy } from './snappy-encode';
import { outputLength, outputOf, turns } from './table';

// Agents send the same series in the same order every time, so what goes out differs from what went out before in its values and times only. A stencil is the snappy block
// of a stretch of such series without those: what lies between them is copied, and they are put in. So the labels of series that come again are neither written nor encoded.
// An encoder would have found the values that repeat, too: a value is told from one other, the one that the copy before it was taken from.
//
//  stencil  +0 u32 rows
//           +4 u32 raw        bytes of the message that it stands for
//           +8 u32 going      rows that go out; the others are dropped by a rule
//          +12 u32 variant
//          +16 u32 bytes      length of its elements
//          +20 rows: RECORD bytes each
//              elements without values: before the first one, between the first and the second, … , behind the last one
//  row      +0 u32 series     record of the table: another one, and the stencil does not fit
//           +4 u16 before     length of the elements before its value, from the value before on
//           +6 u16 distance   FRAMED: to the value of the row that goes out before it
//           +8 u8  literal    length of the literal that its value, or FRAME and its value, stand first in, of which nothing is among the elements; 0: the value is inside a literal
//           +9 u8  back       rows to the value that the copy before this one would go on with; 0 for none
//          +10 u8  most       bytes that it can be made longer by
//          +11 u8  tag        bytes from the tag of that copy to its end: 2 or 3
//          +12 u8  flags      SAME_TIME, GONE, FRAMED
//          +13 u8  time       bytes of its time that stand, as they are, behind the value: 0 to 7
//          +14 u8  ahead      rows to the value that the copy behind this one would begin with; 0 for none
//          +15 u8  more       bytes that it can be made longer by
//
// Stencils name series by the addresses of their records, and so are forgotten when the table turns over.

export const HEADER: usize = 20;
export const RECORD: usize = 16;
/** Its time is that of the row that goes out before it. */
export const SAME_TIME: u32 = 1;
/** It is dropped by a rule. */
export const GONE: u32 = 2;
/** Its value stands behind the rest of the sample's head in a literal: with a value like the one before, all of that is a copy. */
export const FRAMED: u32 = 4;
/** What a sample begins with. */
const FRAME: u32 = 0x091012;
/** Bytes of that. */
export const FRAME_SIZE: usize = 3;
/** Rows of a stretch at the most: numbers of rows fit a byte. */
export const MOST_ROWS: u32 = 255;
/** Only so many rows after its first one it may end where a mark is. */
const FEWEST_ROWS: u32 = 128;
/** Bytes of text that one stands for at the most: offsets of snappy fit 16 bits. */
const MOST_TEXT: usize = 65535;
/** `12 10 09` and the value, `10` and the time: a sample as everybody writes it. */
export const SAMPLE: u32 = 18;

/** Stencils by the series that they begin with: u32 address. */
const INDEX_BITS: u32 = 12;
const INDEX: usize = 4 << INDEX_BITS;
/** What stretches were seen once, by the series that they begin with: u32 hash. */
const SEEN: usize = 4 << INDEX_BITS;
/** When there is no room for more: all are forgotten when half of it is of no use any more, or so many times their number were missed and less found. */
const PATIENCE: u32 = 16;

let index: usize = 0;
let arena: usize = 0;
let free: usize = 0;
let arenaEnd: usize = 0;
let count: u32 = 0;
let since: u32 = 0xffffffff;
let found: u32 = 0;
let missed: u32 = 0;
/** Bytes of stencils that nothing leads to any more. */
let waste: usize = 0;

/** Whether there is a region for stencils. */
export let remembers: bool = false;

/** Stencils are kept at [at, at+size). */
export function initStencils(at: usize, size: usize): void {
  remembers = size > INDEX + SEEN;
  if (!remembers) return;
  index = at;
  arena = at + INDEX + SEEN;
  arenaEnd = at + size;
  forgetStencils();
}

/** Forgets all stencils. */
export function forgetStencils(): void {
  memory.fill(index, 0, INDEX + SEEN);
  free = arena;
  count = found = missed = 0;
  waste = 0;
  since = turns;
}

// @ts-ignore: decorator
@inline
function slotOf(E: u32, variant: u32): usize {
  return <usize>(((E ^ (variant << 24)) * 0x9e3779b1) >>> (32 - INDEX_BITS)) << 2;
}

/** Whether a stretch ends before a row of this series. It depends on the series alone, so stretches are the same wherever a request begins. */
// @ts-ignore: decorator
@inline
function isMark(E: u32): bool {
  return (E * 0x85ebca6b) >>> 26 == 0;
}

/** Whether the row is one sample, written as everybody does, and no other row has its series. */
// @ts-ignore: decorator
@inline
export function isPlain(r: usize): bool {
  return (load<u32>(r, 16) & ~(FORM_POINT << 8)) == SAMPLES && load<u64>(r, 8) == (1 << 32 | <u64>SAMPLE) && (load<u32>(<usize>load<u32>(r, 4)) & 0xffffff) == FRAME;
}

/** The time of the sample at `at`, with its tag: 56 bits. */
// @ts-ignore: decorator
@inline
export function timeOf(at: usize): u64 {
  return load<u64>(at, 10) >>> 8;
}

/** Where the stretch that begins with row r, which goes out in this variant, ends. Sets stretchHash, stretchText and stretchGoing. */
export function stretchEnd(r: usize, variant: u32): usize {
  let h: u32 = 0x9747b28c;
  let text: usize = 0;
  let going: u32 = 0;
  const most = min(rowsEnd, r + <usize>MOST_ROWS * ROW);
  const least = r + <usize>FEWEST_ROWS * ROW;
  while (r < most && isPlain(r)) {
    const E = load<u32>(r);
    if (r >= least && isMark(E)) break;
    const O = outputOf(<usize>E, variant);
    if (!(O & 1)) {
      const n = <usize>outputLength(O) + <usize>SAMPLE;
      const field = n + 1 + <usize>(n < 128 ? 1 : n < 16384 ? 2 : 3);
      if (text + field > MOST_TEXT) break;
      text += field;
      going++;
    }
    h = (h ^ E) * 0x9e3779b1;
    h ^= h >>> 15;
    r += ROW;
  }
  stretchHash = h | 1;
  stretchText = text;
  stretchGoing = going;
  return r;
}
/** Of the rows of the last stretch. */
export let stretchHash: u32 = 0;
/** Bytes of the message that it comes to. */
export let stretchText: usize = 0;
/** Its rows that go out. */
export let stretchGoing: u32 = 0;

/** Whether the stretch that begins with row r, of this hash, was seen before it; it is, from now on. */
export function seenBefore(r: usize, hash: u32, variant: u32): bool {
  const slot = index + INDEX + slotOf(load<u32>(r), variant);
  const was = load<u32>(slot) == hash;
  store<u32>(slot, hash);
  return was;
}

/** The stencil of a stretch that begins with row r, in this variant; 0 when there is none. It need not fit. */
// @ts-ignore: decorator
@inline
export function stencilOf(r: usize, variant: u32): usize {
  if (since != turns) forgetStencils();
  const T = <usize>load<u32>(index + slotOf(load<u32>(r), variant));
  if (T != 0 && load<u32>(T, HEADER) == load<u32>(r) && load<u32>(T, 12) == variant) return T;
  missed++;
  return 0;
}

/** Room for a stencil of n rows and so many bytes of elements while it is made; 0 when there is none. */
export function roomForStencil(n: u32, bytes: usize): usize {
  const size = HEADER + <usize>n * RECORD + bytes + PAD;
  if (arenaEnd - free >= size) return free;
  if (waste * 2 < arenaEnd - arena) {
    if (missed < PATIENCE * count) return 0;
    const useful = found >= missed;
    found = missed = 0;
    if (useful) return 0;
  }
  forgetStencils();
  return arenaEnd - free >= size ? free : 0;
}

/** The stencil that was made in that room is kept. */
export function keepStencil(T: usize): void {
  free = (T + sizeOf(T) + 3) & ~3;
  count++;
  const slot = index + slotOf(load<u32>(T, HEADER), load<u32>(T, 12));
  const before = <usize>load<u32>(slot);
  if (before) waste += sizeOf(before);
  store<u32>(slot, <u32>T);
}

function sizeOf(T: usize): usize {
  return HEADER + <usize>load<u32>(T) * RECORD + <usize>load<u32>(T, 16);
}

/** Whether the rows from r on, the first of which the stencil begins with, are those that it stands for. */
export function fits(T: usize, r: usize): bool {
  const n = <usize>load<u32>(T);
  if (rowsEnd - r < n * ROW) return false;
  let time: u64 = 0;
  for (let rec = T + HEADER, e = rec + n * RECORD; rec < e; rec += RECORD, r += ROW) {
    if (load<u32>(r) != load<u32>(rec) || !isPlain(r)) return false;
    const flags = <u32>load<u8>(rec, 12);
    if (flags & GONE) continue;
    const t = timeOf(<usize>load<u32>(r, 4));
    if (flags & SAME_TIME && t != time) return false;
    time = t;
  }
  return true;
}

/** Whether the block at hand has room for what the stencil comes to. */
// @ts-ignore: decorator
@inline
export function hasRoom(T: usize): bool {
  return blockEnd - blockAt >= <usize>load<u32>(T, 16) + <usize>load<u32>(T) * 16 + PAD;
}

/** Writes the block of the rows from r on, which the stencil fits, behind the block at hand, which has room, and counts them. Returns where the rows end. */
export function fill(T: usize, r: usize): usize {
  const n = <usize>load<u32>(T);
  let op = blockAt;
  let rec = T + HEADER;
  let s = rec + n * RECORD;
  const stop = s + <usize>load<u32>(T, 16);
  let time: u64 = 0;
  let timeLeft: usize = 0;
  let longer: usize = 0;
  let last: usize = 0;
  let points: u32 = 0;
  for (const e = s; rec < e; rec += RECORD, r += ROW) {
    const how = load<u64>(rec, 8);
    const flags = <u32>(how >>> 32) & 255;
    if (flags & GONE) continue;
    const at = <usize>load<u32>(r, 4);
    points += <u32>load<u8>(r, 17) >>> 4;
    const before = <usize>load<u16>(rec, 4);
    copyWide(op, s, before);
    if (longer) lengthen(op, longer);
    else if (timeLeft) putTime(op, time, timeLeft);
    timeLeft = <usize>(how >>> 40) & 255;
    if (timeLeft) time = timeOf(at);
    op += before;
    s += before;
    const v = load<u64>(at, 3);
    let l = <usize>how & 255;
    longer = 0;
    if (l) {
      const back = <usize>(how >>> 8) & 255;
      let k: usize = 0;
      if (flags & FRAMED) {
        k = equalLow(v, load<u64>(last, 3));
        if (k) {
          op = copy(op, <usize>load<u16>(rec, 6), FRAME_SIZE + k);
          l -= FRAME_SIZE;
        }
      } else if (back) {
        k = min(equalLow(v, valueOf(r - back * ROW)), <usize>(how >>> 16) & 255);
        if (k) lengthen(op - (<usize>(how >>> 24) & 255), k);
      }
      const ahead = <usize>(how >>> 48) & 255;
      if (ahead) longer = min(equalHigh(v, valueOf(r - ahead * ROW)), min(<usize>(how >>> 56), 8 - k));
      l -= k + longer;
      if (l) store<u8>(op++, <u8>((l - 1) << 2));
      if (flags & FRAMED && k == 0) {
        store<u32>(op, FRAME);
        op += FRAME_SIZE;
      }
      store<u64>(op, v >>> <u64>(k << 3));
      op += 8 - k - longer;
    } else {
      store<u64>(op, v);
      op += 8;
    }
    last = at;
  }
  copyWide(op, s, stop - s);
  if (longer) lengthen(op, longer);
  else if (timeLeft) putTime(op, time, timeLeft);
  const going = load<u32>(T, 8);
  addReport(R_PIECE + SAMPLES, going);
  addReport(R_VARIANT_DROPPED + SAMPLES, <u32>n - going);
  if (points) addReport(R_PIECE_POINTS, points);
  found++;
  passBlock(op + (stop - s), <usize>load<u32>(T, 4));
  return r;
}

/** Copies n bytes, and up to 15 more. */
// @ts-ignore: decorator
@inline
function copyWide(to: usize, s: usize, n: usize): void {
  for (const e = s + n; s < e; s += 16, to += 16) v128.store(to, v128.load(s));
}

/** Writes the first n of the seven bytes of a time. */
// @ts-ignore: decorator
@inline
function putTime(op: usize, time: u64, n: usize): void {
  for (; n > 0; n--, op++, time >>>= 8) store<u8>(op, <u8>time);
}

/** Makes the copy whose tag is at `tag` k bytes longer: both forms have the length above the two lowest bits. */
// @ts-ignore: decorator
@inline
function lengthen(tag: usize, k: usize): void {
  store<u8>(tag, <u8>(<usize>load<u8>(tag) + (k << 2)));
}

/** The value of the row's sample. */
// @ts-ignore: decorator
@inline
function valueOf(r: usize): u64 {
  return load<u64>(<usize>load<u32>(r, 4), 3);
}

/** Number of equal low bytes, as they are first in the text. */
// @ts-ignore: decorator
@inline
function equalLow(a: u64, b: u64): usize {
  return <usize>(ctz<u64>(a ^ b) >>> 3);
}

/** Number of equal high bytes. */
// @ts-ignore: decorator
@inline
function equalHigh(a: u64, b: u64): usize {
  return <usize>(clz<u64>(a ^ b) >>> 3);
}
