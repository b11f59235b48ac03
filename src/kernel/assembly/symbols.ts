import { E_PROTO, E_REFS, E_SYMBOLS, E_VERSION, MAX_LABELS } from '../../wire/layout';
import { differ } from './bytes';
import { hash } from './hash';
import { era } from './made';
import { length, next, putVarint, skip, tag, varint } from './protobuf';
import { codePoints } from './utf8';

// The symbols of a request of remote write 2.0: where each lies, and what it hashes to. A series' labels are refs to them, and are compared with the table's pairs
// without being written out: by their bytes the first time, by a memo of (pair, name ref, value ref) from then on.
//
//  symbol  +0 u32 address   +4 u32 length   +8 u32 what is known of it: TOLD and TEXT bits
//  memo    +0 u32 pair   +4 u32 era   +8 u32 name ref   +12 u32 value ref
//
// What symbols hash to is a list of its own behind them: the walk reads nothing else of most.

const SYMBOL: usize = 12;
const MEMO_ENTRIES: usize = 16384;
const MEMO: usize = MEMO_ENTRIES * 16;
/** Symbols of one request at the most. Their region holds other things while pieces are written (merge.ts). */
const MOST: usize = 131072;
export const SYMBOLS: usize = MOST * (SYMBOL + 4);
export const SYMBOL_MEMO: usize = MEMO;

let memo: usize = 0;
let symbols: usize = 0;
let symbolHashes: usize = 0;
let most: u32 = 0;
/** Number of symbols. */
export let symbolCount: u32 = 0;
/** The ref of `__name__`; 0 when there is none. */
export let nameRef: u32 = 0;
/** The era in which the region was filled. */
let filled: u32 = 0;
let lastEra: u32 = 0;

// what readRefs() found
/** Bytes of the refs of MAX_LABELS labels, two a label. */
export const REFS: usize = 8 * (MAX_LABELS + 1);
/** The hashes of their symbols. */
const hashes: usize = memory.data(8 * (MAX_LABELS + 1) + 32, 16);
/** Where they go. */
let list: usize = 0;
/** Number of refs: more than two for each of MAX_LABELS labels are checked and counted only. */
export let refCount: u32 = 0;

/** memo: SYMBOL_MEMO bytes. A region of less than SYMBOLS bytes holds fewer symbols. */
export function initSymbols(at: usize, size: usize, memoAt: usize): void {
  memo = memoAt;
  symbols = at;
  most = <u32>(size / (SYMBOL + 4));
  symbolHashes = at + <usize>most * SYMBOL;
  filled = symbolCount = 0;
}

/** The region may hold other things by now: nothing in it is to be believed. */
export function forgetSymbols(): void {
  filled = 0;
}

/** Whether the symbols are still there. */
// @ts-ignore: decorator
@inline
export function symbolsHold(): bool {
  return filled == era;
}

const NAME: u64 = 0x5f5f656d616e5f5f; // __name__

/**
 * Walks the top level of the Request at [at, end) and notes where its symbols are. Returns 0; E_PROTO, E_SYMBOLS; E_VERSION when it has series or metadata
 * of 1.0; E_REFS when its first symbol is not empty, or it has series but no symbols.
 */
// Request   symbols=4 rep string   timeseries=5 rep TimeSeries
export function indexSymbols(at: usize, end: usize): i32 {
  if (era < lastEra) memory.fill(memo, 0, MEMO);
  lastEra = era;
  let n: u32 = 0;
  let series = false;
  nameRef = 0;
  let p = at;
  while (p < end) {
    const t = tag(p, end);
    if (next == 0) return E_PROTO;
    if (t == 34) {
      let from = next;
      let l: usize = from < end ? <usize>load<u8>(from++) : 128;
      if (l > 127 || l > end - from) {
        l = length(next, end);
        if (next == 0) return E_PROTO;
        from = next;
      }
      p = from + l;
      if (n >= most) return E_SYMBOLS;
      const s = symbols + <usize>n * SYMBOL;
      store<u32>(s, <u32>from);
      store<u32>(s, <u32>l, 4);
      store<u32>(s, 0, 8);
      store<u32>(symbolHashes + (<usize>n << 2), hash(from, l, 0));
      if (n == 0 && l != 0) return E_REFS;
      if (l == 8 && load<u64>(from) == NAME) nameRef = n;
      n++;
      continue;
    }
    if (t == 42) series = true;
    else if (t >>> 3 == 4 || t >>> 3 == 5) return E_PROTO;
    else if (t == 10 || t == 26) return E_VERSION;
    p = skip(next, end, t);
    if (p == 0) return E_PROTO;
  }
  if (series && n == 0) return E_REFS;
  symbolCount = n;
  filled = era;
  return 0;
}

// @ts-ignore: decorator
@inline
export function symbolAt(ref: u32): usize {
  return <usize>load<u32>(symbols + <usize>ref * SYMBOL);
}

// @ts-ignore: decorator
@inline
export function symbolLength(ref: u32): usize {
  return <usize>load<u32>(symbols + <usize>ref * SYMBOL, 4);
}

/** As a name: its family's metadata is among the rows, or will never be. */
const TOLD: u32 = 1;
/** It was looked at whether it is UTF-8; it is. */
const CHECKED: u32 = 2;
const TEXT: u32 = 4;

/** Whether nothing is to be done any more about the family of the metric of this name, as far as is known. */
// @ts-ignore: decorator
@inline
export function isTold(name: u32): bool {
  return (load<u32>(symbols + <usize>name * SYMBOL, 8) & TOLD) != 0;
}

export function setTold(name: u32): void {
  const s = symbols + <usize>name * SYMBOL;
  store<u32>(s, load<u32>(s, 8) | TOLD, 8);
}

/** Whether the symbol is UTF-8: looked at once, however often it is named. */
export function isText(ref: u32): bool {
  const s = symbols + <usize>ref * SYMBOL;
  let known = load<u32>(s, 8);
  if (!(known & CHECKED)) {
    known |= codePoints(<usize>load<u32>(s), <usize>load<u32>(s, 4)) < 0 ? CHECKED : CHECKED | TEXT;
    store<u32>(s, known, 8);
  }
  return (known & TEXT) != 0;
}

/** A series has no refs yet; those to come go to `at`, REFS bytes. */
// @ts-ignore: decorator
@inline
export function beginRefs(at: usize): void {
  list = at;
  refCount = 0;
}

/** Reads the refs at [p, e), more of the same list. Returns whether all are numbers of symbols. */
export function readRefs(p: usize, e: usize): bool {
  let n = refCount;
  const count = symbolCount;
  const from = symbolHashes;
  const to = list;
  const more = hashes;
  while (p < e) {
    let ref = <u32>load<u8>(p++);
    if (ref > 127) {
      const c = p < e ? <u32>load<u8>(p) : 128;
      if (c < 128) {
        ref = (ref & 127) | (c << 7);
        p++;
      } else {
        const v = varint(p - 1, e);
        if (next == 0 || v >= <u64>count) return false;
        ref = <u32>v;
        p = next;
      }
    }
    if (ref >= count) return false;
    if (n < 2 * <u32>MAX_LABELS) {
      store<u32>(to + (<usize>n << 2), ref);
      store<u32>(more + (<usize>n << 2), load<u32>(from + (<usize>ref << 2)));
    }
    n++;
  }
  refCount = n;
  return true;
}

/** What the labels at hand hash to. */
// @ts-ignore: decorator
@inline
export function hashRefs(tenant: u32): u32 {
  return hash(hashes, <usize>refCount << 2, ~tenant);
}

/** Whether the n pairs of the young record E are the labels whose refs stand at `at`. */
// @ts-ignore: decorator
@inline
export function samePairs(E: usize, at: usize, n: u32): bool {
  const now = <u64>era << 32;
  const memory = memo;
  let any: u64 = 0;
  let k = E + 8;
  let a = at;
  for (const e = k + (<usize>n << 2); k < e; k += 4) {
    const P = load<u32>(k);
    const m = memory + ((<usize>(P >>> 2) & (MEMO_ENTRIES - 1)) << 4);
    any |= (load<u64>(m) ^ (<u64>P | now)) | (load<u64>(m, 8) ^ load<u64>(a));
    a += 8;
  }
  return any == 0 || comparePairs(E, at, n);
}

/** The same, pair by pair, where not all are in the memo; puts those that are equal there. */
function comparePairs(E: usize, at: usize, n: u32): bool {
  const now = <u64>era << 32;
  let k = E + 8;
  for (const e = k + (<usize>n << 2); k < e; k += 4) {
    const P = load<u32>(k);
    const refs = load<u64>(at);
    at += 8;
    const m = memo + ((<usize>(P >>> 2) & (MEMO_ENTRIES - 1)) << 4);
    if (load<u64>(m) == (<u64>P | now) && load<u64>(m, 8) == refs) continue;
    if (!isPair(<usize>P, <u32>refs, <u32>(refs >>> 32))) return false;
    store<u64>(m, <u64>P | now);
    store<u64>(m, refs, 8);
  }
  return true;
}

/** The same for a record of the old generation. */
export function sameOldPairs(E: usize, at: usize, n: u32): bool {
  for (let i: usize = 0; i < <usize>n << 2; i += 4) {
    if (!isPair(<usize>load<u32>(E + 8 + i), load<u32>(at), load<u32>(at, 4))) return false;
    at += 8;
  }
  return true;
}

/** Whether the bytes of pair P are those of this label, as writeLabel() writes it. */
function isPair(P: usize, nameAt: u32, valueAt: u32): bool {
  const n = symbolLength(nameAt);
  const v = symbolLength(valueAt);
  const l = <usize>load<u32>(P);
  const b = P + 8;
  if (n > 0 && v > 0 && n + v < 124) {
    if (l != n + v + 6) return false;
    if (load<u32>(b) != (10 | (<u32>(n + v + 4) << 8) | (10 << 16) | (<u32>n << 24))) return false;
    if (load<u16>(b + 4 + n) != <u16>(18 | (v << 8))) return false;
    return !v128.any_true(v128.or(differ(b + 4, symbolAt(nameAt), n), differ(b + 6 + n, symbolAt(valueAt), v)));
  }
  return l == labelSize(nameAt, valueAt) && isLongPair(b, nameAt, valueAt);
}

/** Scratch for the heads of a label's fields. */
const HEADS: usize = memory.data(48, 16);

function isLongPair(b: usize, nameAt: u32, valueAt: u32): bool {
  const n = symbolLength(nameAt);
  const v = symbolLength(valueAt);
  let h = putVarint(HEADS + 1, <u32>(stringSize(n) + stringSize(v)));
  store<u8>(HEADS, 10);
  if (n) {
    store<u8>(h, 10);
    h = putVarint(h + 1, <u32>n);
  }
  if (memory.compare(b, HEADS, h - HEADS) != 0) return false;
  b += h - HEADS;
  if (n) {
    if (v128.any_true(differ(b, symbolAt(nameAt), n))) return false;
    b += n;
  }
  if (v == 0) return true;
  store<u8>(HEADS, 18);
  h = putVarint(HEADS + 1, <u32>v);
  return memory.compare(b, HEADS, h - HEADS) == 0 && !v128.any_true(differ(b + (h - HEADS), symbolAt(valueAt), v));
}

// @ts-ignore: decorator
@inline
function varintSize(v: usize): usize {
  return v < 128 ? 1 : v < 16384 ? 2 : v < 2097152 ? 3 : v < 268435456 ? 4 : 5;
}

/** Bytes of a string field; 0 for the empty string, which is left out. */
// @ts-ignore: decorator
@inline
export function stringSize(n: usize): usize {
  return n ? 1 + varintSize(n) + n : 0;
}

/** Bytes of the label as a field of 1.0. */
export function labelSize(name: u32, value: u32): usize {
  const inner = stringSize(symbolLength(name)) + stringSize(symbolLength(value));
  return 1 + varintSize(inner) + inner;
}

/** Writes the label as a field of 1.0, labelSize() bytes, to op. Returns where it ends. */
export function putLabel(op: usize, name: u32, value: u32): usize {
  store<u8>(op, 10);
  op = putVarint(op + 1, <u32>(stringSize(symbolLength(name)) + stringSize(symbolLength(value))));
  return putString(putString(op, 10, name), 18, value);
}

/** Writes the symbol as a field with this tag, nothing when it is empty. */
export function putString(op: usize, tag: u32, ref: u32): usize {
  const n = symbolLength(ref);
  if (n == 0) return op;
  store<u8>(op, <u8>tag);
  op = putVarint(op + 1, <u32>n);
  memory.copy(op, symbolAt(ref), n);
  return op + n;
}
