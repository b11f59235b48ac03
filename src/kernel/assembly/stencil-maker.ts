import { ROW } from '../../wire/layout';
import { encodeScratch, followed } from './block';
import { putVarint } from './protobuf';
import { encodeBlocks, maxEncoded } from './snappy-encode';
import { beginFollow, endFollow, putFollowed } from './snappy-follow';
import { FRAME_SIZE, FRAMED, GONE, HEADER, keepStencil, MOST_ROWS, RECORD, roomForStencil, SAME_TIME, SAMPLE, stretchGoing, stretchText, timeOf } from './stencil';
import { outputLength, outputOf, putLabels } from './table';

// Makes a stencil (stencil.ts): the stretch is written with values and times that are like nothing else, so that an encoder takes them for new text, and what it made
// of them is taken apart. That it did take them so is checked byte by byte: what a copy copies must be the same text, or the same byte of the same time, whatever values and times
// will be. If it is not, there is no stencil.

/** Where the value of each row is in the text; what stands there is no value if the row is dropped. */
const VALUES: usize = memory.data(<i32>(4 * MOST_ROWS), 8);
/** A sample with a value and a time that are like nothing else, and what wide loads read behind it. */
const STRANGE: usize = memory.data(48, 16);
/** Bytes of the value, and of the time behind it. */
const VALUE: usize = 8;
const TIME: usize = 7;
/** What each byte of the text is: 0 for what never changes, else of which value, or which byte of which time. Two bytes each. */
let meaning: usize = 0;

/**
 * Makes the stencil of the last stretch (stretchEnd()), rows [first, end) in this variant, the first of which goes out. Its text, and what its bytes mean, are written to
 * [at, limit). Returns it; 0 when there is no room, or what the encoder made of the text can't be taken apart.
 */
export function makeStencil(first: usize, end: usize, variant: u32, at: usize, limit: usize): usize {
  const n = <u32>((end - first) / ROW);
  const length = stretchText;
  // The text, and two bytes for each of its own.
  if (limit < at || limit - at < length * 3 + 192) return 0;
  const T = roomForStencil(n, maxEncoded(length));
  if (T == 0) return 0;
  const elements = T + HEADER + <usize>n * RECORD;
  meaning = (at + length + 63) & ~15;
  memory.fill(meaning, 0, length << 1);
  const e = encodeText(first, end, variant, T + HEADER, at, elements);
  store<u32>(T, n);
  store<u32>(T, <u32>length, 4);
  store<u32>(T, stretchGoing, 8);
  store<u32>(T, variant, 12);
  const bytes = takeApart(T + HEADER, n, <u32>length, elements, e);
  if (bytes < 0) return 0;
  store<u32>(T, <u32>bytes, 16);
  keepStencil(T);
  return T;
}

/** Writes the text at `at` and its elements at `to`; begins the records. Returns where the elements end. */
function encodeText(first: usize, end: usize, variant: u32, records: usize, at: usize, to: usize): usize {
  const follow = followed();
  if (follow) beginFollow(at, to, encodeScratch);
  let op = at;
  let time: u64 = 0;
  let times: u32 = 0;
  let rec = records;
  for (let r = first, i: u32 = 0; r < end; r += ROW, rec += RECORD, i++) {
    store<u64>(rec, <u64>load<u32>(r));
    store<u64>(rec, 0, 8);
    const O = outputOf(<usize>load<u32>(r), variant);
    if (O & 1) {
      store<u8>(rec, <u8>GONE, 12);
      store<u32>(VALUES + (<usize>i << 2), NOWHERE);
      continue;
    }
    const t = timeOf(<usize>load<u32>(r, 4));
    if (times != 0 && t == time) store<u8>(rec, <u8>SAME_TIME, 12);
    else {
      time = t;
      strangeTime(times++);
    }
    strangeValue(i);
    const labels = <usize>outputLength(O);
    if (follow) op = putFollowed(op, O, labels, STRANGE, SAMPLE);
    else {
      store<u8>(op, 10);
      op = putLabels(putVarint(op + 1, <u32>(labels + SAMPLE)), O);
      v128.store(op, v128.load(STRANGE));
      store<u16>(op, load<u16>(STRANGE, 16), 16);
      op += SAMPLE;
    }
    const value = op - VALUE - TIME - at;
    store<u32>(VALUES + (<usize>i << 2), <u32>value);
    const m = meaning + (value << 1);
    for (let b: usize = 0; b < VALUE; b++) store<u16>(m + (b << 1), <u16>(0x8000 | i));
    for (let b: usize = 0; b < TIME; b++) store<u16>(m + ((VALUE + b) << 1), <u16>((times << 3) + <u32>b));
  }
  return follow ? endFollow(op) : encodeBlocks(at, op, to, encodeScratch);
}

/** No four bytes of it, nor the first or last with what stands around, are in another value or in text. */
function strangeValue(i: u32): void {
  store<u32>(STRANGE, 0x091012);
  store<u64>(STRANGE, 0x00fefffe00fffe00 | (<u64>i * 0x0100000001000001), 3);
}

/** The same for the time, seven bytes. */
function strangeTime(i: u32): void {
  const t = 0x00fd00fc00fb00 | (<u64>i * 0x01000100010001);
  store<u32>(STRANGE, <u32>t, 11);
  store<u16>(STRANGE, <u16>(t >>> 32), 15);
  store<u8>(STRANGE, <u8>(t >>> 48), 17);
}

const NOWHERE: u32 = 0xffffffff;
/** The value that comes next in the text, and the number of its row. */
let next: u32 = 0;
let row: u32 = 0;
let rowCount: u32 = 0;
/** The row of the last value, and its record if its literal ends with it. */
let lastRow: u32 = 0;
let ending: usize = 0;

function nextRow(from: u32): void {
  row = from;
  next = NOWHERE;
  for (; row < rowCount; row++) {
    next = load<u32>(VALUES + (<usize>row << 2));
    if (next != NOWHERE) return;
  }
}

/**
 * Takes the values out of the elements [from, e) of the text, where they lie, and completes the n records. Returns what the elements come to; -1 when a value or time is not
 * where it should be.
 */
function takeApart(records: usize, n: u32, length: u32, from: usize, e: usize): i32 {
  rowCount = n;
  lastRow = NOWHERE;
  ending = 0;
  nextRow(0);
  let src = from;
  let to = from;
  /** Where the elements before the next value start. */
  let segment = from;
  /** Where the element at hand, and the time behind the last value, are in the text. */
  let at: u32 = 0;
  let time: u32 = NOWHERE;
  /** The copy before the element at hand: its bytes, 0 for none, the bytes that it copies, and from how far. */
  let size: usize = 0;
  let copied: u32 = 0;
  let distance: u32 = 0;
  /** The record of the value before that copy, if it can begin in it. */
  let linked: usize = 0;
  while (src < e) {
    const tag = <u32>load<u8>(src);
    if (tag & 3) {
      size = (tag & 3) == 1 ? 2 : 3;
      copied = size == 2 ? 4 + ((tag >>> 2) & 7) : 1 + (tag >>> 2);
      distance = size == 2 ? ((tag >>> 5) << 8) | <u32>load<u8>(src, 1) : <u32>load<u16>(src, 1);
      if (!sameMeaning(at, distance, copied) || next < at + copied) return -1;
      linked = ending && at == time && link(ending + 14, lastRow, at - <u32>VALUE, distance, copied, size) ? ending : 0;
      ending = 0;
      memory.copy(to, src, size);
      to += size;
      src += size;
      at += copied;
      continue;
    }
    let head: usize = 1;
    let l = (tag >>> 2) + 1;
    if (l > 60) {
      if (l > 62) return -1;
      head = <usize>l - 59;
      l = (l == 61 ? <u32>load<u8>(src, 1) : <u32>load<u16>(src, 1)) + 1;
    }
    // What a copy left of a time can't be put in.
    if (at >= time && at < time + <u32>TIME) return -1;
    const stop = at + l;
    const framed = lastRow != NOWHERE && next == at + <u32>FRAME_SIZE;
    let own = head == 1 && (next == at || framed) && next + <u32>VALUE <= stop;
    if (own) {
      head += <usize>(next - at);
      at = next;
    } else {
      memory.copy(to, src, head);
      to += head;
    }
    src += head;
    while (next < stop) {
      if (next + <u32>VALUE > stop) return -1;
      const ahead = <usize>(next - at);
      memory.copy(to, src, ahead);
      to += ahead;
      src += ahead + VALUE;
      const rec = records + <usize>row * RECORD;
      if (own) {
        store<u8>(rec, <u8>l, 8);
        if (framed) {
          store<u8>(rec, load<u8>(rec, 12) | <u8>FRAMED, 12);
          store<u16>(rec, <u16>(next - load<u32>(VALUES + (<usize>lastRow << 2))), 6);
        } else if (size) {
          // A short copy that can hardly be made longer is written as a long one: a value mostly has some bytes of the other.
          if (size == 2 && copied > 8) {
            store<u8>(to - 2, <u8>(((copied - 1) << 2) | 2));
            store<u16>(to - 1, <u16>distance);
            size = 3;
            to++;
          }
          if (link(rec + 9, row, next, distance, copied, size)) {
            store<u8>(rec, <u8>size, 11);
            if (linked) shareOut(linked, rec, copied, size);
          }
        }
      }
      store<u16>(rec, <u16>(to - segment), 4);
      segment = to;
      at = time = next + <u32>VALUE;
      store<u8>(rec, <u8>min(<u32>TIME, stop - time), 13);
      ending = own && time == stop ? rec : 0;
      own = false;
      lastRow = row;
      nextRow(row + 1);
    }
    const rest = <usize>(stop - at);
    memory.copy(to, src, rest);
    to += rest;
    src += rest;
    at = stop;
    size = 0;
  }
  return row < rowCount || at != length ? -1 : <i32>(to - from);
}

/** One copy can be made longer at both ends, at its front by the value of one record and at its end by that of the next: together no more than it can hold. */
function shareOut(front: usize, end: usize, copied: u32, size: usize): void {
  const left = (size == 2 ? 11 : 64) - copied - <u32>load<u8>(end, 10);
  if (left == 0) store<u8>(front, 0, 14);
  else store<u8>(front, <u8>min(left, <u32>load<u8>(front, 15)), 15);
}

/**
 * A copy next to the value of row i, which is at `value` in the text, leads to another value: notes at `to` how many rows before that one is, and by how much such a copy can be made
 * longer. Returns whether it does.
 */
function link(to: usize, i: u32, value: u32, distance: u32, copied: u32, size: usize): bool {
  if (distance > value) return false;
  const m = <u32>load<u16>(meaning + (<usize>(value - distance) << 1));
  const j = m & 0x7fff;
  if (m < 0x8000 || load<u32>(VALUES + (<usize>j << 2)) != value - distance) return false;
  const most = size == 2 ? 11 - copied : min<u32>(<u32>VALUE, 64 - copied);
  if (most == 0) return false;
  store<u8>(to, <u8>(i - j));
  store<u8>(to, <u8>most, 1);
  return true;
}

/** Whether a copy of l bytes to p in the text, from so far before, copies what is the same whatever values and times are. */
function sameMeaning(p: u32, distance: u32, l: u32): bool {
  if (distance == 0 || distance > p) return false;
  let a = meaning + (<usize>p << 1);
  const d = <usize>distance << 1;
  for (const e = a + (<usize>l << 1); a < e; a += 2) if (load<u16>(a) != load<u16>(a - d)) return false;
  return true;
}
