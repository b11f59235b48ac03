import {
  E_EXPANDS, MAX_GROUP, MISS, MISS_CUSTOM, PART_TABLE, R_KEY, R_KEY_LABELS, R_MISS, ROW, SAMPLES, STATUS_GROUP,
} from '../../wire/layout';
import { differ } from './bytes';
import { hash } from './hash';
import { customs, time } from './histogram-fields';
import { era, keepMade, made, madeLeft } from './made';
import { fieldEnd } from './merge';
import { checkHistogram, readCustom } from './native-histogram';
import { length, next, putVarint64, skip, tag } from './protobuf';
import { accepted, commit, draft, FORM_CLASSIC, FORM_CUSTOM, roomFor, rowsEnd, setReport } from './rows';
import { full, spend } from './room';
import { addGroup, firstOldUnder, firstUnder, ids, intern, isGroup, memberOf, membersOf, moveGroup, nextUnder } from './table';

// Native histograms with custom buckets, which remote write 1.0 can't carry, as classic series. Which series those are is a group of the table: its key are the pairs of
// the histogram's series and one more pair with the bounds, its members a bucket for each bound, the one up to +Inf, the count and the sum. The rows of members
// follow the histograms' own.

/** Set in the length of such a group, so that no point of OTLP is taken for one. */
const CUSTOM: u32 = 0x40000000;
/** Bytes that one member's sample may take in `made`, scratch included. */
const SAMPLE_ROOM: usize = 48;
/** Members besides the buckets of bounds. */
const BESIDES: u32 = 3;

let expand: bool = false;
/** The series at hand has such histograms, and classic series are wanted. */
export let customPending: bool = false;
/** Their groups are all there. */
export let classicPending: bool = false;
// the group of the last MISS_CUSTOM
const key: usize = memory.data(512, 8);
let keyPairs: u32 = 0;
let keyLength: u32 = 0;
let keyHash: u32 = 0;
let keyTenant: u32 = 0;
// of the series at hand: its record, what its key is hashed to, how far its drafts were looked through, and how many samples are to be made
let series: usize = 0;
let seriesHash: u32 = 0;
let draftAt: usize = 0;
let draftsEnd: usize = 0;
let pointAt: usize = 0;
let samples: usize = 0;
/** The era of the MISS, whose drafts are gone in another one; 0 for none. */
let missedIn: u32 = 0;
/** Its group is in the table now. */
let wasAdded: bool = false;

/** Whether classic series stand in for these histograms, from the next body on: when an origin takes them. */
export function setExpand(on: bool): void {
  expand = on;
}

// @ts-ignore: decorator
@inline
export function beginCustom(): void {
  customPending = classicPending = false;
}

/** The series at hand has such a histogram, the one that was checked last. Returns false when it has more buckets than series can be made of. */
export function noteCustom(): bool {
  if (!expand) return true;
  if (customs + BESIDES > <u32>MAX_GROUP) return false;
  customPending = true;
  return true;
}

/**
 * Finds the groups of all such histograms among the n drafts of series E, whose key is hashed to h. Returns 0, MISS with the pairs of the key in `ids`, or
 * a PART or error.
 */
export function findClassic(E: usize, n: usize, h: u32): i32 {
  series = E;
  seriesHash = h;
  draftAt = rowsEnd;
  draftsEnd = rowsEnd + n * ROW;
  pointAt = 0;
  samples = 0;
  return findMoreClassic();
}

/** The series of the last MISS_CUSTOM, when its group was added and its drafts are still there: findMoreClassic() goes on with it. 0: there is none. */
export function classicMissed(): usize {
  const there = wasAdded && missedIn == era;
  forgetCustom();
  return there ? series : 0;
}

export function forgetCustom(): void {
  wasAdded = false;
  missedIn = 0;
}

/** findClassic() goes on where it stopped. */
export function findMoreClassic(): i32 {
  for (; draftAt < draftsEnd; draftAt += ROW) {
    if (!(<u32>load<u8>(draftAt, 17) & FORM_CUSTOM)) continue;
    const e = <usize>load<u32>(draftAt, 4) + <usize>load<u32>(draftAt, 8);
    for (let p = pointAt ? pointAt : <usize>load<u32>(draftAt, 4); p < e; ) {
      const q = fieldEnd(p);
      const L = gather(p, q);
      if (L < 0) return full(E_EXPANDS);
      const found = groupOf(series, L);
      if (found == MISS) {
        pointAt = p;
        missedIn = era;
      }
      if (found < 0) return found;
      const members = <usize>(L >>> 3) + BESIDES;
      samples += members;
      if (!spend(<u64>members * (<u64>load<u32>(series) + 64))) return E_EXPANDS;
      p = q;
    }
    pointAt = 0;
  }
  if (!roomFor(<usize>(draftsEnd - rowsEnd) / ROW + samples + 1) || madeLeft() < samples * SAMPLE_ROOM) return full(E_EXPANDS);
  classicPending = true;
  return 0;
}

/** Adds the group of the last MISS_CUSTOM, its members those that were added since beginGroup(). Returns 0 or PART_TABLE. */
export function addCustom(status: u32): i32 {
  wasAdded = addGroup(key, keyLength, keyHash, keyTenant, keyPairs, status, 0);
  return wasAdded ? 0 : PART_TABLE;
}

let group: usize = 0;

/** Finds the group of series E with the L bytes of bounds at `made`. Returns 0 and sets `group`; or MISS or PART_TABLE. */
function groupOf(E: usize, L: i32): i32 {
  const n = <usize>load<u8>(E, 6);
  const h = hash(made, L, seriesHash);
  for (let G = firstUnder(h); G != 0; G = nextUnder()) {
    if (isOf(G, E, n, L) && memory.compare(G + 8, E + 8, n << 2) == 0) {
      group = G;
      return 0;
    }
  }
  for (let G = firstOldUnder(h); G != 0; G = nextUnder()) {
    if (!isOf(G, E, n, L) || !samePairs(G, E, n)) continue;
    group = moveGroup(G, h);
    return group ? 0 : PART_TABLE;
  }
  const bounds = intern(made, L);
  if (bounds == 0) return PART_TABLE;
  memory.copy(ids, E + 8, n << 2);
  store<u32>(ids + (n << 2), <u32>bounds);
  memory.copy(key, ids, (n + 1) << 2);
  keyPairs = <u32>n + 1;
  keyLength = <u32>L | CUSTOM;
  keyHash = h;
  keyTenant = <u32>load<u16>(E, 4);
  setReport(R_MISS, MISS_CUSTOM);
  setReport(R_KEY, <u32>key); // a list of pairs: those in `ids` give way to members
  setReport(R_KEY_LABELS, <u32>n);
  return MISS;
}

/** Whether G is a group of E's tenant, of n pairs and the L bytes of bounds at `made`. */
function isOf(G: usize, E: usize, n: usize, L: i32): bool {
  if (!isGroup(G) || (load<u32>(G) & 0x7fffffff) != (<u32>L | CUSTOM)) return false;
  if (load<u16>(G, 4) != load<u16>(E, 4) || <usize>load<u8>(G, 6) != n + 1) return false;
  const P = <usize>load<u32>(G + 8 + (n << 2));
  return load<u32>(P) == <u32>L && !v128.any_true(differ(made, P + 8, L));
}

/** Whether the first n pairs of G, of the old generation, are those of E. */
function samePairs(G: usize, E: usize, n: usize): bool {
  for (let i: usize = 0; i < n << 2; i += 4) {
    const P = <usize>load<u32>(G + i, 8);
    const Q = <usize>load<u32>(E + i, 8);
    const l = load<u32>(P);
    if (l != load<u32>(Q) || v128.any_true(differ(P + 8, Q + 8, l))) return false;
  }
  return true;
}

/** Copies the custom values of the histogram in the field [p, e) to `made`, where they stay until something is made. Returns their bytes, -1 when there is no room. */
function gather(p: usize, e: usize): i32 {
  let to = made;
  const limit = to + madeLeft();
  tag(p, e);
  length(next, e);
  p = next;
  while (p < e) {
    const t = tag(p, e);
    let q = next;
    p = skip(q, e, t);
    if (t >>> 3 != 16) continue;
    if ((t & 7) == 2) {
      length(q, p);
      q = next;
    }
    if (limit - to < p - q) return -1;
    memory.copy(to, q, p - q);
    to += p - q;
  }
  return <i32>(to - made);
}

/** Series that stand in for the histograms of the series at hand: they count as series of the body. */
// @ts-ignore: decorator
@inline
export function classicSeries(): u32 {
  return classicPending ? <u32>samples : 0;
}

/** Commits the classic series of such histograms among the rows [first, end) of E, which findClassic() found to be there. */
export function putClassic(first: usize, end: usize, E: usize): void {
  for (let r = first; r < end; r += ROW) {
    if (!(<u32>load<u8>(r, 17) & FORM_CUSTOM)) continue;
    let p = <usize>load<u32>(r, 4);
    for (const e = p + <usize>load<u32>(r, 8); p < e; ) {
      const q = fieldEnd(p);
      const L = gather(p, q);
      if (L >= 0 && groupOf(E, L) == 0 && load<u8>(group, 7) == <u8>STATUS_GROUP) members(p, q, group, <u32>(L >>> 3));
      p = q;
    }
  }
}

/** One sample for each member of group G, of the histogram in the field [p, e), which has n bounds. */
function members(p: usize, e: usize, G: usize, n: u32): void {
  tag(p, e);
  const l = length(next, e);
  const at = next;
  // What is read lies behind what is written from it.
  const values = made + <usize>(n + BESIDES) * (SAMPLE_ROOM - 24);
  if (checkHistogram(at, at + l) != 2 || membersOf(G) != n + BESIDES) return;
  const when = time;
  if (readCustom(at, at + l, values, <usize>(n + 2) << 3) != <i32>n) return;
  for (let i: u32 = 0; i < n + BESIDES; i++) {
    const M = memberOf(G, i);
    if (!accepted(M)) continue;
    // buckets of bounds, the one up to +Inf, count, sum
    const from = i < n ? i + 2 : i == n + 2 ? 1 : 0;
    const bits = load<u64>(values + (<usize>from << 3));
    const to = sample(made, bits, when);
    draft(0, made, <u32>(to - made), 1, SAMPLES, FORM_CLASSIC);
    commit(M);
    keepMade(to);
  }
}

// Sample    value=1 double   timestamp=2 int64
function sample(op: usize, bits: u64, when: i64): usize {
  store<u8>(op, 18);
  store<u8>(op, 9, 2);
  store<u64>(op, bits, 3);
  store<u8>(op, 16, 11);
  const end = putVarint64(op + 12, <u64>when);
  store<u8>(op, <u8>(end - op - 2), 1);
  return end;
}
