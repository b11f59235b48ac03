import { differ } from './bytes';
import { hash } from './hash';
import { length, next, putVarint, skip, tag } from './protobuf';

// The symbols of a piece of remote write 2.0, while it is written: each string once, numbered in the order in which it was met, the empty one 0.
//
//  slot    +0 u32 hash   +4 u16 number   +6 u16 piece: of another one, the slot is empty
//  symbol  +0 u32 address of its bytes   +4 u32 length   +8 u32 slot
//  memo    +0 u32 pair   +4 u32 piece   +8 u32 name ref   +12 u32 value ref
//  place   +0 u32 address of a string   +4 u32 piece   +8 u32 length   +12 u32 ref

const SLOTS: usize = 32768;
/** Symbols of one piece at the most. */
const MOST: u32 = 24576;
const SYMBOL: usize = 12;
const MEMO_ENTRIES: usize = 8192;
const SLOT_BYTES: usize = SLOTS * 8;
const MEMO_BYTES: usize = MEMO_ENTRIES * 16;
const PLACES: usize = 1024;
const PLACE_BYTES: usize = PLACES * 16;
/** Shorter strings are found faster than places. */
const LONG: usize = 64;
/** Bytes of the region. */
export const SYMBOL_TABLE: usize = SLOT_BYTES + MEMO_BYTES + PLACE_BYTES + <usize>MOST * SYMBOL;
/** No ref: there is no room for the symbol. */
export const NO_REF: u32 = 0xffffffff;

let slots: usize = 0;
let memo: usize = 0;
let places: usize = 0;
let symbols: usize = 0;
/** The piece: 1 to 65535, then from the start again. */
let piece: u32 = 0;
/** What the memo holds under another number is not to be believed. */
let remembered: u32 = 0;
/** Symbols there are. */
export let symbolsUsed: u32 = 0;
let start: usize = 0;
/** Where the next symbol goes. */
export let symbolsEnd: usize = 0;
let limit: usize = 0;

export function initSymbolTable(at: usize): void {
  slots = at;
  memo = slots + SLOT_BYTES;
  places = memo + MEMO_BYTES;
  symbols = places + PLACE_BYTES;
  piece = remembered = 0;
  memory.fill(slots, 0, SLOT_BYTES + MEMO_BYTES + PLACE_BYTES);
}

// Request   symbols=4 rep string
/** A piece begins: its symbols go to [dst, end). There must be room for the empty one. */
export function beginSymbols(dst: usize, end: usize): void {
  if (++piece > 0xffff) {
    memory.fill(slots, 0, SLOT_BYTES);
    piece = 1;
  }
  remembered++;
  start = dst;
  limit = end;
  store<u16>(dst, 34);
  symbolsEnd = dst + 2;
  symbolsUsed = 1;
}

/** The ref of the string of l bytes at p, made when it is new; NO_REF when there is no room. */
export function refOf(p: usize, l: usize): u32 {
  if (l == 0) return 0;
  const h = hash(p, l, 2);
  let i = <usize>h & (SLOTS - 1);
  let s = slots + (i << 3);
  while (<u32>load<u16>(s, 6) == piece) {
    if (load<u32>(s) == h) {
      const n = <u32>load<u16>(s, 4);
      const S = symbols + <usize>n * SYMBOL;
      if (load<u32>(S, 4) == <u32>l && !v128.any_true(differ(p, <usize>load<u32>(S), l))) return n;
    }
    i = (i + 1) & (SLOTS - 1);
    s = slots + (i << 3);
  }
  if (symbolsUsed == MOST || symbolsEnd >= limit || limit - symbolsEnd < l + 6) return NO_REF;
  store<u8>(symbolsEnd, 34);
  const at = putVarint(symbolsEnd + 1, <u32>l);
  if (l <= 32) {
    v128.store(at, v128.load(p));
    v128.store(at, v128.load(p, 16), 16);
  } else memory.copy(at, p, l);
  symbolsEnd = at + l;
  const n = symbolsUsed++;
  const S = symbols + <usize>n * SYMBOL;
  store<u32>(S, <u32>at);
  store<u32>(S, <u32>l, 4);
  store<u32>(S, <u32>s, 8);
  store<u32>(s, h);
  store<u32>(s, n | (piece << 16), 4);
  return n;
}

/** The same for a string that many series name, and that stays where it is while the piece is written: one that is long is not read each time. */
export function refOfPlace(p: usize, l: usize): u32 {
  if (l < LONG) return refOf(p, l);
  const k = places + ((((<usize>p * 0x9e3779b1) >>> 16) & (PLACES - 1)) << 4);
  if (load<u32>(k) == <u32>p && load<u32>(k, 4) == remembered && load<u32>(k, 8) == <u32>l) return load<u32>(k, 12);
  const ref = refOf(p, l);
  if (ref == NO_REF) return ref;
  store<u32>(k, <u32>p);
  store<u32>(k, remembered, 4);
  store<u32>(k, <u32>l, 8);
  store<u32>(k, ref, 12);
  return ref;
}

/** Forgets the symbols from number n on, which start at `end`. */
export function dropSymbols(n: u32, end: usize): void {
  if (n == symbolsUsed) return;
  while (symbolsUsed > n) {
    symbolsUsed--;
    store<u32>(<usize>load<u32>(symbols + <usize>symbolsUsed * SYMBOL, 8), 0, 4);
  }
  symbolsEnd = end;
  remembered++;
}

/** Changes whenever refs that were handed out may have become others. */
// @ts-ignore: decorator
@inline
export function symbolsEra(): u32 {
  return remembered;
}

/** Writes the refs of pair P's label to op, up to 10 bytes. Returns where they end, 0 when there is no room for its symbols. */
// @ts-ignore: decorator
@inline
export function putRefs(op: usize, P: usize): usize {
  const m = memo + (((P >>> 2) & (MEMO_ENTRIES - 1)) << 4);
  if (load<u32>(m) != <u32>P || load<u32>(m, 4) != remembered) {
    if (!readLabel(P + 8, P + 8 + <usize>load<u32>(P))) return 0;
    store<u32>(m, <u32>P);
    store<u32>(m, remembered, 4);
    store<u32>(m, nameFound, 8);
    store<u32>(m, valueFound, 12);
  }
  return putVarint(putVarint(op, load<u32>(m, 8)), load<u32>(m, 12));
}

/** Refs of the label that readLabel() read. */
export let nameFound: u32 = 0;
export let valueFound: u32 = 0;

/** Reads the label field at [p, e), which is well-formed, and finds refs for its strings. Returns false when there is no room for them. */
export function readLabel(p: usize, e: usize): bool {
  let name: usize = 0;
  let nameLength: usize = 0;
  let value: usize = 0;
  let valueLength: usize = 0;
  // As writeLabel() writes most: 0a LENGTH 0a LENGTH name 12 LENGTH value
  const n = <usize>load<u8>(p, 3);
  const v = p + 5 + n < e ? <usize>load<u8>(p + 5 + n) : 0;
  if (n > 0 && v > 0 && p + 6 + n + v == e && e - p < 130 && load<u8>(p, 2) == 10 && load<u8>(p + 4 + n) == 18) {
    nameFound = refOf(p + 4, n);
    if (nameFound == NO_REF) return false;
    valueFound = refOf(p + 6 + n, v);
    return valueFound != NO_REF;
  }
  tag(p, e);
  length(next, e);
  p = next;
  while (p < e) {
    const t = tag(p, e);
    const q = next;
    p = skip(q, e, t);
    if (t == 10) {
      nameLength = length(q, p);
      name = next;
    } else if (t == 18) {
      valueLength = length(q, p);
      value = next;
    }
  }
  nameFound = refOf(name, nameLength);
  if (nameFound == NO_REF) return false;
  valueFound = refOf(value, valueLength);
  return valueFound != NO_REF;
}
