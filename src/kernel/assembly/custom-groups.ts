import { MISS, MISS_CUSTOM, OWN_TENANT, PART_TABLE, R_KEY, R_KEY_LABELS, R_MISS, STATUS_GROUP } from '../../wire/layout';
import { differ } from './bytes';
import { hash } from './hash';
import { STALE } from './histogram-writer';
import { isLastGroup, setLast } from './last-group';
import { made, madeLeft } from './made';
import { length, next, skip, tag, varint } from './protobuf';
import { setReport } from './rows';
import { addGroup, firstOldUnder, firstUnder, ids, intern, isGroup, isLast, moveGroup, nextUnder } from './table';

// The groups of the table that say which classic series stand in for a histogram with custom buckets (custom.ts).

/** Set in the length of such a group, so that no point of OTLP is taken for one. */
const CUSTOM: u32 = 0x40000000;

// the group of the last MISS_CUSTOM
const key: usize = memory.data(512, 8);
let keyPairs: u32 = 0;
let keyLength: u32 = 0;
let keyHash: u32 = 0;
let keyTenant: u32 = 0;
/** Series at hand: its record, and what its key is hashed to. */
export let series: usize = 0;
let seriesHash: u32 = 0;

/** The groups that are asked for from now on are those of series E, whose key is hashed to h. */
export function enterSeries(E: usize, h: u32): void {
  series = E;
  seriesHash = h;
}

/** The group that was found last. */
export let group: usize = 0;

/** Finds the group of the series with the L bytes of bounds at p. Returns 0 and sets `group`; or MISS, with the pairs of its key in `ids`, or PART_TABLE. */
export function groupOf(p: usize, L: i32): i32 {
  const E = series;
  const n = <usize>load<u8>(E, 6);
  const h = hash(p, L, seriesHash);
  for (let G = firstUnder(h); G != 0; G = nextUnder()) {
    if (isWith(G, p, L) && isOf(G, E, n) && memory.compare(G + 8, E + 8, n << 2) == 0) {
      group = G;
      return 0;
    }
  }
  for (let G = firstOldUnder(h); G != 0; G = nextUnder()) {
    if (!isWith(G, p, L) || !isOf(G, E, n) || !samePairs(G, E, n)) continue;
    group = moveGroup(G, h);
    return group ? 0 : PART_TABLE;
  }
  const bounds = intern(p, L);
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

/** Adds the group of the last MISS, its members those that were added since beginGroup(). Returns false when the generation is full. */
export function addMissed(status: u32): bool {
  return addGroup(key, keyLength, keyHash, keyTenant, keyPairs, status, 0);
}

/** Whether the record is a group with the L bytes of bounds at p. */
function isWith(G: usize, p: usize, L: i32): bool {
  if (!isGroup(G) || (load<u32>(G) & 0x7fffffff) != (<u32>L | CUSTOM)) return false;
  const P = <usize>load<u32>(G + 4 + (<usize>load<u8>(G, 6) << 2));
  return load<u32>(P) == <u32>L && !v128.any_true(differ(p, P + 8, L));
}

/** Whether group G is of E's tenant, and of n pairs and bounds. */
function isOf(G: usize, E: usize, n: usize): bool {
  return load<u16>(G, 4) == load<u16>(E, 4) && <usize>load<u8>(G, 6) == n + 1;
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

// The last group of the series: that of its last point

/** What the link to it is hashed to; never 0. */
function lastHash(h: u32): u32 {
  h = h * 0x9e3779b1 + 0x85ebca77;
  return h + <u32>(h == 0);
}

/** Whether the record is the last group of series E. */
function isLastOf(C: usize, E: usize, n: usize): bool {
  return isLastGroup(C) && <bool>(load<u32>(C) >>> 30 & 1) && isOf(C, E, n);
}

/** The record of the last group of series E, whose key is hashed to h, of either generation; 0 when none is known. Messages of our own are of many tenants: none is for them. */
export function lastOf(E: usize, h: u32): usize {
  if (load<u16>(E, 4) == <u16>OWN_TENANT) return 0;
  const n = <usize>load<u8>(E, 6);
  h = lastHash(h);
  for (let C = firstUnder(h); C != 0; C = nextUnder()) if (isLastOf(C, E, n) && memory.compare(C + 8, E + 8, n << 2) == 0) return C;
  for (let C = firstOldUnder(h); C != 0; C = nextUnder()) if (isLastOf(C, E, n) && samePairs(C, E, n)) return C;
  return 0;
}

/** Finds the last group of the series at hand and makes it young. Returns 0 and sets `group`, to 0 when none is known; or PART_TABLE. */
export function findLast(): i32 {
  group = 0;
  const C = lastOf(series, seriesHash);
  if (C == 0) return 0;
  const P = <usize>load<u32>(C + 4 + (<usize>load<u8>(C, 6) << 2));
  const found = groupOf(P + 8, load<u32>(P));
  if (found == MISS) {
    group = 0;
    return 0;
  }
  return found == 0 && keepLast(group) ? 0 : PART_TABLE;
}

/** The young group G is the last one of the series at hand, from now on. Returns false when the generation is full. */
export function keepLast(G: usize): bool {
  if (load<u8>(G, 7) != <u8>STATUS_GROUP || isLast(G) || load<u16>(series, 4) == <u16>OWN_TENANT) return true;
  return setLast(G, lastHash(seriesHash), <usize>load<u8>(series, 6));
}

// Of the histogram that gather() read: its time, and whether it is a stale marker.
export let when: i64 = 0;
export let gone: bool = false;

/** Copies the custom values of the histogram in the field [p, e) to `made`, where they stay until something is made. Returns their bytes, -1 when there is no room. */
export function gather(p: usize, e: usize): i32 {
  let to = made;
  const limit = to + madeLeft();
  when = 0;
  gone = false;
  tag(p, e);
  length(next, e);
  p = next;
  while (p < e) {
    const t = tag(p, e);
    let q = next;
    p = skip(q, e, t);
    if (t == 25) gone = load<u64>(q) == STALE;
    else if (t == 120) when = <i64>varint(q, p);
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
