import { CONTEXT, MAX_GROUP, MAX_LABELS, R_OLD, R_YOUNG, STATUS_GROUP, STATUS_OK } from '../../wire/layout';
import { differ } from './bytes';
import { hash, hashList } from './hash';

// The series table: interned label pairs, series as lists of pairs, and per variant (an origin's rules) the series that comes out. Two
// generations of equal size; records never move, and leave with their generation. All records are 4-aligned.
//
//  pair    +0 u32 length    bytes of the encoded Label field (tag, length, message), as sent
//          +4 u32 link      young: its number in the generation << 1;  old, once moved: address of the young pair | 1
//          +8 bytes
//  series  +0 u32 length    bytes of the key: all label fields in arrival order
//          +4 u16 tenant
//          +6 u8  labels    number of pairs
//          +7 u8  status    STATUS_OK, STATUS_DROPPED, STATUS_GROUP or why the series is rejected
//          +8 u32[labels]   pairs of the key, in arrival order
//             u32[variants] outputs, only with STATUS_OK: address of an output record, or rule << 1 | 1 of the rule that drops it
//             u32 members | LAST, u32 meta (a pair, 0 for none), u32 follower (the group of the point that came next, 0 for none), u32[members]   only with
//                           STATUS_GROUP: series that are made of the point
//  output  +0 u32 length | variant << 24   bytes of the output labels
//          +4 u32 last      number of the row that used it last (rows.ts)
//          +8 u8  labels    number of pairs
//          +9 u8  extras    pairs that are not in the owner's key; 255: the output is the key, and nothing follows
//         +10 u16 back      distance to the owner's series record, in words
//         +12 u32[extras]
//             u8[labels]    the output in order: indices into the owner's pairs, then the extras
//
// A group is not a series that came but a point of which several are made: its key is the point's (otlp.ts, custom.ts), its pairs any bytes. Its members
// are series records that no slot leads to. To the group of a series' last point, and to no other, a second slot leads (last-group.ts).
//
// Equal outputs of one variant are one record, so series that become equal after rules are seen to be equal. Slots are {hash u32, record u32}
// with linear probing, hash 0 = empty. A hash only proposes; bytes (pairs, keys) and ids (outputs) decide.

/** Set in the length of a group, so that no series is taken for one. */
const GROUP: u32 = 0x80000000;
/** Set in the number of members of a group that a second slot leads to. */
const LAST: u32 = 0x80000000;
/** Runs of taken slots grow long where seven eighths are: at less than this a table would seem full that is not. Keys are secret, so nobody makes longer ones. */
const PROBES: u32 = 1024;
const SAME: u32 = 255;
const NONE: usize = 0;

let variants: u32 = 1;
// the young generation
let series: usize = 0;
let pairs: usize = 0;
let outputs: usize = 0;
let arena: usize = 0;
let free: usize = 0;
let arenaEnd: usize = 0;
let seriesCount: u32 = 0;
let pairCount: u32 = 0;
let outputCount: u32 = 0;
// the old one: only its series are looked up
let old: usize = 0;
let oldSeries: u32 = 0;
let oldPairs: u32 = 0;
let oldUsed: usize = 0;
// both
let young0: usize = 0;
let young1: usize = 0;
let mask: usize = 0;
let slots: u32 = 0;
let generation: usize = 0;
let lists: usize = 0;

/** ids of the pairs of the series at hand: MAX_LABELS words */
export let ids: usize = 0;
/** Members of the group that is being added. */
let members: usize = 0;
let memberCount: u32 = 0;
/** Bytes of the scratch: ids, the output that is being moved, members. */
export const LISTS: usize = 4 * (MAX_LABELS + 1) * 2 + 4 * MAX_GROUP;

/**
 * Lays two generations of `size` bytes each into `at`; a twelfth of each is for every slot table. `scratch` is LISTS bytes.
 */
export function initTable(at: usize, size: usize, scratch: usize): void {
  young0 = at;
  young1 = at + size;
  generation = size;
  slots = 64;
  while (<usize>slots * 2 * 8 <= size / 12) slots *= 2;
  mask = (<usize>slots - 1) << 3;
  ids = scratch;
  lists = scratch + 4 * (MAX_LABELS + 1);
  members = lists + 4 * (MAX_LABELS + 1);
  clear(1);
}

/** Empties both generations; from now on every series has that many outputs. */
export function clear(count: u32): void {
  variants = count;
  enter(young0);
  old = NONE;
  oldSeries = oldPairs = 0;
  oldUsed = 0;
}

/** The young generation becomes the old one, the old one is given away. No row may point into it. */
export function turnOver(): void {
  old = series;
  oldSeries = seriesCount;
  oldPairs = pairCount;
  oldUsed = free - series;
  enter(series == young0 ? young1 : young0);
}

/** Counts generations: pairs and records of an earlier one mean nothing. */
export let turns: u32 = 0;

function enter(at: usize): void {
  turns++;
  const table = <usize>slots << 3;
  series = at;
  pairs = at + table;
  outputs = pairs + table;
  arena = outputs + table;
  free = arena;
  arenaEnd = at + generation;
  memory.fill(series, 0, table * 3);
  seriesCount = pairCount = outputCount = 0;
}

/** Writes the table's size to the report. */
export function reportTable(report: usize): void {
  store<u32>(report + (R_YOUNG << 2), seriesCount);
  store<u32>(report + (R_YOUNG << 2), pairCount, 4);
  store<u32>(report + (R_YOUNG << 2), <u32>(free - series), 8);
  store<u32>(report + (R_OLD << 2), oldSeries);
  store<u32>(report + (R_OLD << 2), oldPairs, 4);
  store<u32>(report + (R_OLD << 2), <u32>oldUsed, 8);
}

/** Slot limit: seven eighths. */
// @ts-ignore: decorator
@inline
function crowded(count: u32): bool {
  return count >= slots - (slots >>> 3);
}

function take(size: usize): usize {
  size = (size + 3) & ~3;
  if (arenaEnd - free < size) return NONE;
  const at = free;
  free += size;
  return at;
}

/** Where the young table would look first for this hash: to warm the cache. */
// @ts-ignore: decorator
@inline
export function peek(h: u32): usize {
  return <usize>load<u32>(series + ((<usize>h << 3) & mask), 4);
}

/** The young series whose key is exactly the L bytes at p, for this tenant; 0 when there is none. h: hash(p, L, tenant). */
// @ts-ignore: decorator
@inline
export function find(p: usize, L: usize, h: u32, tenant: u32): usize {
  return findIn(series, p, L, h, tenant);
}

/** The same in the old generation. */
export function findOld(p: usize, L: usize, h: u32, tenant: u32): usize {
  return old ? findIn(old, p, L, h, tenant) : NONE;
}

// @ts-ignore: decorator
@inline
function findIn(base: usize, p: usize, L: usize, h: u32, tenant: u32): usize {
  let s = (<usize>h << 3) & mask;
  let found: usize = NONE;
  for (let i: u32 = 0; i < PROBES; i++) {
    const h2 = load<u32>(base + s);
    if (h2 == 0) break;
    if (h2 == h) {
      const E = <usize>load<u32>(base + s, 4);
      if (load<u32>(E) == <u32>L && load<u16>(E, 4) == <u16>tenant) {
        let k = E + 8;
        let x = p;
        let any = i64x2.splat(0);
        for (const ke = k + (<usize>load<u8>(E, 6) << 2); k < ke; k += 4) {
          const P = <usize>load<u32>(k);
          const l = <usize>load<u32>(P);
          any = v128.or(any, differ(x, P + 8, l));
          x += l;
        }
        if (!v128.any_true(any)) {
          found = E;
          break;
        }
      }
    }
    s = (s + 8) & mask;
  }
  return found;
}

let asked: u32 = 0;
let askedAt: usize = 0;
let askedSlot: usize = 0;
let askedSteps: u32 = 0;

/** The first record, series or group, under this hash; nextUnder() gives the others. For those who compare keys in their own way. 0: none. */
// @ts-ignore: decorator
@inline
export function firstUnder(h: u32): usize {
  return askedAt = series, firstIn(h);
}

/** The same in the old generation. */
export function firstOldUnder(h: u32): usize {
  askedAt = old;
  return old ? firstIn(h) : NONE;
}

// @ts-ignore: decorator
@inline
function firstIn(h: u32): usize {
  asked = h;
  askedSlot = (<usize>h << 3) & mask;
  askedSteps = 0;
  return nextUnder();
}

export function nextUnder(): usize {
  while (askedSteps < PROBES) {
    const at = askedAt + askedSlot;
    const h = load<u32>(at);
    if (h == 0) return NONE;
    askedSlot = (askedSlot + 8) & mask;
    askedSteps++;
    if (h == asked) return <usize>load<u32>(at, 4);
  }
  return NONE;
}

/** The young record that nextUnder() gave last gives its slot to E. */
export function replaceUnder(E: usize): void {
  store<u32>(series + ((askedSlot - 8) & mask), <u32>E, 4);
}

/** Another slot for the young record E. Returns false when the generation is full. */
export function linkAgain(E: usize, h: u32): bool {
  return !crowded(seriesCount) && link(E, h);
}

/** Whether the record is a group. */
// @ts-ignore: decorator
@inline
export function isGroup(E: usize): bool {
  return <bool>(load<u32>(E) >>> 31);
}

/** The young pair with the l bytes at p, made when it is new; 0 when the generation is full. */
export function intern(p: usize, l: usize): usize {
  return internHashed(p, l, hash(p, l, 0));
}

/** The same where the hash is known: hash(p, l, 0). */
export function internHashed(p: usize, l: usize, h: u32): usize {
  let s = (<usize>h << 3) & mask;
  for (let i: u32 = 0; ; i++) {
    const h2 = load<u32>(pairs + s);
    if (h2 == 0) break;
    if (h2 == h) {
      const P = <usize>load<u32>(pairs + s, 4);
      if (load<u32>(P) == <u32>l && !v128.any_true(differ(p, P + 8, l))) return P;
    }
    if (i == PROBES) return NONE;
    s = (s + 8) & mask;
  }
  if (crowded(pairCount)) return NONE;
  const P = take(8 + l);
  if (P == NONE) return NONE;
  store<u32>(P, <u32>l);
  store<u32>(P, pairCount << 1, 4);
  pairCount++;
  memory.copy(P + 8, p, l);
  store<u32>(pairs + s, h);
  store<u32>(pairs + s, <u32>P, 4);
  return P;
}

/**
 * Adds the series with the key of L bytes whose `n` pairs stand in `ids`. `out` is the host's list of outputs, for each variant a count and so many
 * pairs, or rule << 1 | 1 with the top bit set; not read unless status is STATUS_OK. Returns the record, 0 when the generation is full.
 */
export function insert(L: usize, h: u32, tenant: u32, n: u32, status: u32, out: usize): usize {
  const E = addSeries(L, h, tenant, n, status);
  if (E == NONE || status != STATUS_OK) return E;
  return addOutputs(E, n, out) && link(E, h) ? E : NONE;
}

/** Gives E, which has n labels, the outputs that the host listed. Returns false when the generation is full. */
function addOutputs(E: usize, n: u32, out: usize): bool {
  const blocks = E + 8 + (<usize>n << 2);
  for (let v: u32 = 0; v < variants; v++) {
    const count = load<u32>(out);
    out += 4;
    if (<i32>count < 0) {
      store<u32>(blocks + (<usize>v << 2), count & 0x7fffffff);
      continue;
    }
    const O = addOutput(E, v, out, count);
    if (O == NONE) return false;
    store<u32>(blocks + (<usize>v << 2), <u32>O);
    out += <usize>count << 2;
  }
  return true;
}

/** A group that is being added has no members yet. */
export function beginGroup(): void {
  memberCount = 0;
}

/**
 * Adds a series to the group that is being added. `list` is the host's: the number of its labels, their pairs, sorted; then, only with STATUS_OK, outputs as
 * insert() reads them. Returns false when the generation, or the group, is full.
 */
export function addMember(status: u32, list: usize): bool {
  if (memberCount >= <u32>MAX_GROUP) return false;
  const n = load<u32>(list);
  list += 4;
  memory.copy(ids, list, <usize>n << 2);
  const E = addMemberRecord(n, 0, status);
  if (E == NONE || (status == STATUS_OK && !addOutputs(E, n, list + (<usize>n << 2)))) return false;
  store<u32>(members + (<usize>memberCount << 2), <u32>E);
  memberCount++;
  return true;
}

/** A series record that no slot leads to, with the n pairs in `ids`. */
function addMemberRecord(n: u32, tenant: u32, status: u32): usize {
  let length: u32 = 0;
  for (let i: usize = 0; i < <usize>n; i++) length += load<u32>(<usize>load<u32>(ids + (i << 2)));
  return newSeries(<usize>length, tenant, n, status);
}

/**
 * Adds the group with the key of n pairs at `key`, the last of them attributes of L bytes together, its members those that were added since beginGroup(). With a status
 * other than STATUS_GROUP the point is rejected for that reason, and has none. Returns false when the generation is full.
 */
export function addGroup(key: usize, L: usize, h: u32, tenant: u32, n: u32, status: u32, meta: u32): bool {
  if (crowded(seriesCount)) return false;
  const whole = status == STATUS_GROUP;
  const E = take(8 + (<usize>n << 2) + (whole ? 12 + (<usize>memberCount << 2) : 0));
  if (E == NONE) return false;
  store<u32>(E, <u32>L | GROUP);
  store<u16>(E, <u16>tenant, 4);
  store<u8>(E, <u8>n, 6);
  store<u8>(E, <u8>status, 7);
  memory.copy(E + 8, key, <usize>n << 2);
  added = E;
  if (whole) {
    const at = E + 8 + (<usize>n << 2);
    store<u32>(at, memberCount);
    store<u32>(at, meta, 4);
    store<u32>(at, 0, 8);
    memory.copy(at + 12, members, <usize>memberCount << 2);
  }
  return link(E, h);
}

/** The group that was added last. */
let added: usize = 0;

/** Number of a group's members. */
// @ts-ignore: decorator
@inline
export function membersOf(G: usize): u32 {
  return load<u32>(G + 8 + (<usize>load<u8>(G, 6) << 2)) & ~LAST;
}

/** Whether a second slot leads to the group, which has STATUS_GROUP. */
// @ts-ignore: decorator
@inline
export function isLast(G: usize): bool {
  return <bool>(load<u32>(G + 8 + (<usize>load<u8>(G, 6) << 2)) >>> 31);
}

/** Notes whether one does. */
export function markLast(G: usize, last: bool): void {
  store<u32>(G + 8 + (<usize>load<u8>(G, 6) << 2), last ? membersOf(G) | LAST : membersOf(G));
}

// @ts-ignore: decorator
@inline
export function memberOf(G: usize, i: u32): usize {
  return <usize>load<u32>(G + 20 + (<usize>load<u8>(G, 6) << 2) + (<usize>i << 2));
}

/** The pair with a group's metadata; 0 for none. */
// @ts-ignore: decorator
@inline
export function metaOf(G: usize): usize {
  return <usize>load<u32>(G + 12 + (<usize>load<u8>(G, 6) << 2));
}

/** The group that was noted as the one that comes behind G, a young one which has STATUS_GROUP; 0 for none. A guess: whether it is the one that does, its key says. */
// @ts-ignore: decorator
@inline
export function followerOf(G: usize): usize {
  return <usize>load<u32>(G + 16 + (<usize>load<u8>(G, 6) << 2));
}

/** Notes that the young group E comes behind G. */
// @ts-ignore: decorator
@inline
export function setFollower(G: usize, E: usize): void {
  store<u32>(G + 16 + (<usize>load<u8>(G, 6) << 2), <u32>E);
}

/**
 * The young group of the point whose CONTEXT pairs stand in `ids` and whose n attributes are the L bytes at p: fields with a tag of one byte, which is not compared. 0 when
 * there is none.
 */
// @ts-ignore: decorator
@inline
export function findGroup(p: usize, L: usize, n: u32, h: u32, tenant: u32): usize {
  return findGroupIn(series, p, L, n, h, tenant);
}

/** The same in the old generation. */
export function findOldGroup(p: usize, L: usize, n: u32, h: u32, tenant: u32): usize {
  return old ? findGroupIn(old, p, L, n, h, tenant) : NONE;
}

// @ts-ignore: decorator
@inline
function findGroupIn(base: usize, p: usize, L: usize, n: u32, h: u32, tenant: u32): usize {
  let s = (<usize>h << 3) & mask;
  for (let i: u32 = 0; i < PROBES; i++) {
    const h2 = load<u32>(base + s);
    if (h2 == 0) break;
    if (h2 == h) {
      const E = <usize>load<u32>(base + s, 4);
      if (isGroupOf(E, p, L, n, tenant, base == series)) return E;
    }
    s = (s + 8) & mask;
  }
  return NONE;
}

/** Whether E, a record of either generation, is that group. */
// @ts-ignore: decorator
@inline
export function isGroupOf(E: usize, p: usize, L: usize, n: u32, tenant: u32, young: bool): bool {
  if (load<u32>(E) != (<u32>L | GROUP) || load<u16>(E, 4) != <u16>tenant || load<u8>(E, 6) != <u8>(n + CONTEXT) || !sameContext(E, young)) return false;
  let k = E + 8 + 4 * CONTEXT;
  let x = p;
  let any = i64x2.splat(0);
  let left = L;
  for (const ke = k + (<usize>n << 2); k < ke; k += 4) {
    const P = <usize>load<u32>(k);
    const l = <usize>load<u32>(P);
    if (l >= left) break; // its pieces are of other lengths
    any = v128.or(any, differ(x + 1, P + 8, l));
    x += l + 1;
    left -= l + 1;
  }
  return left == 0 && !v128.any_true(any);
}

/** Whether the record's CONTEXT pairs are those in `ids`; old ones are compared by their bytes. */
// @ts-ignore: decorator
@inline
function sameContext(E: usize, young: bool): bool {
  if (young) return !v128.any_true(v128.xor(v128.load(E, 8), v128.load(ids)));
  for (let i: usize = 0; i < 4 * CONTEXT; i += 4) {
    const P = <usize>load<u32>(E + i, 8);
    const Q = <usize>load<u32>(ids + i);
    const l = load<u32>(P);
    if (l != load<u32>(Q) || v128.any_true(differ(P + 8, Q + 8, <usize>l))) return false;
  }
  return true;
}

/** Moves a group of the old generation, with its members. Returns the new record, 0 when the generation is full. */
export function moveGroup(from: usize, h: u32): usize {
  const n = <u32>load<u8>(from, 6);
  const status = <u32>load<u8>(from, 7);
  let meta: usize = 0;
  memberCount = 0;
  if (status == STATUS_GROUP) {
    const count = membersOf(from);
    for (let i: u32 = 0; i < count; i++) {
      const E = moveRecord(memberOf(from, i));
      if (E == NONE) return NONE;
      store<u32>(members + (<usize>i << 2), <u32>E);
    }
    memberCount = count;
    meta = metaOf(from);
    if (meta) {
      meta = movePair(meta);
      if (meta == NONE) return NONE;
    }
  }
  for (let i: usize = 0; i < <usize>n; i++) {
    const P = movePair(<usize>load<u32>(from + 8 + (i << 2)));
    if (P == NONE) return NONE;
    store<u32>(lists + (i << 2), <u32>P);
  }
  if (!addGroup(lists, <usize>load<u32>(from), h, <u32>load<u16>(from, 4), n, status, <u32>meta)) return NONE;
  return added;
}

/** Moves a series of the old generation into the young one. Returns the new record, 0 when the generation is full. */
export function move(from: usize, h: u32): usize {
  if (crowded(seriesCount)) return NONE;
  const E = moveRecord(from);
  return E != NONE && link(E, h) ? E : NONE;
}

/** The same, with no slot that leads to the new record. */
function moveRecord(from: usize): usize {
  const n = <u32>load<u8>(from, 6);
  const status = <u32>load<u8>(from, 7);
  for (let i: usize = 0; i < <usize>n; i++) {
    const P = movePair(<usize>load<u32>(from + 8 + (i << 2)));
    if (P == NONE) return NONE;
    store<u32>(ids + (i << 2), <u32>P);
  }
  // All pairs before the record: its outputs must be close behind it.
  if (status == STATUS_OK) {
    for (let v: u32 = 0; v < variants; v++) {
      const O = outputOf(from, v);
      if (!(O & 1) && !moveOutputPairs(O)) return NONE;
    }
  }
  const E = newSeries(<usize>load<u32>(from), <u32>load<u16>(from, 4), n, status);
  if (E == NONE || status != STATUS_OK) return E;
  for (let v: u32 = 0; v < variants; v++) {
    const o = (<usize>n << 2) + 8 + (<usize>v << 2);
    let O = <usize>load<u32>(from + o);
    if (!(O & 1)) {
      const count = outputLabels(O);
      moveOutputPairs(O);
      O = addOutput(E, v, lists, count);
      if (O == NONE) return NONE;
    }
    store<u32>(E + o, <u32>O);
  }
  return E;
}

/** Lists the young pairs of an old output. Returns false when the generation is full. */
function moveOutputPairs(O: usize): bool {
  for (let i: u32 = 0, n = outputLabels(O); i < n; i++) {
    const P = movePair(outputPair(O, i));
    if (P == NONE) return false;
    store<u32>(lists + (<usize>i << 2), <u32>P);
  }
  return true;
}

function movePair(P: usize): usize {
  const l = load<u32>(P, 4);
  if (l & 1) return <usize>(l & ~1);
  const Q = intern(P + 8, <usize>load<u32>(P));
  if (Q) store<u32>(P, <u32>Q | 1, 4);
  return Q;
}

/** The record without its outputs, linked at once when it has none. */
function addSeries(L: usize, h: u32, tenant: u32, n: u32, status: u32): usize {
  if (crowded(seriesCount)) return NONE;
  const E = newSeries(L, tenant, n, status);
  if (E == NONE || (status != STATUS_OK && !link(E, h))) return NONE;
  return E;
}

/** A record with the n pairs in `ids`, without its outputs. */
function newSeries(L: usize, tenant: u32, n: u32, status: u32): usize {
  const E = take(8 + (<usize>n << 2) + (status == STATUS_OK ? <usize>variants << 2 : 0));
  if (E == NONE) return NONE;
  store<u32>(E, <u32>L);
  store<u16>(E, <u16>tenant, 4);
  store<u8>(E, <u8>n, 6);
  store<u8>(E, <u8>status, 7);
  memory.copy(E + 8, ids, <usize>n << 2);
  return E;
}

function link(E: usize, h: u32): bool {
  let s = (<usize>h << 3) & mask;
  for (let i: u32 = 0; load<u32>(series + s) != 0; i++) {
    if (i == PROBES - 1) return false;
    s = (s + 8) & mask;
  }
  store<u32>(series + s, h);
  store<u32>(series + s, <u32>E, 4);
  seriesCount++;
  return true;
}

/** The young output of variant v with the n pairs at list, made with E as its owner when it is new; 0 when the generation is full. */
function addOutput(E: usize, v: u32, list: usize, n: u32): usize {
  const h = hashList(list, n, v);
  let s = (<usize>h << 3) & mask;
  for (let i: u32 = 0; ; i++) {
    const h2 = load<u32>(outputs + s);
    if (h2 == 0) break;
    if (h2 == h) {
      const O = <usize>load<u32>(outputs + s, 4);
      if (sameOutput(O, v, list, n)) return O;
    }
    if (i == PROBES) return NONE;
    s = (s + 8) & mask;
  }
  if (crowded(outputCount)) return NONE;
  const own = E + 8;
  const nk = <u32>load<u8>(E, 6);
  let same = n == nk;
  let length: u32 = 0;
  for (let i: usize = 0; i < <usize>n; i++) {
    const P = load<u32>(list + (i << 2));
    length += load<u32>(<usize>P);
    if (same && P != load<u32>(own + (i << 2))) same = false;
  }
  // Extras are collected behind the record's end-to-be: it holds at most n of them.
  const O = take(12 + (same ? 0 : (<usize>n << 2) + <usize>n));
  if (O == NONE) return NONE;
  store<u32>(O, length | (v << 24));
  store<u32>(O, 0, 4);
  store<u8>(O, <u8>n, 8);
  store<u8>(O, <u8>SAME, 9);
  store<u16>(O, <u16>((O - E) >> 2), 10);
  if (!same) {
    let extras: u32 = 0;
    let expected: u32 = 0; // most of them are the key's, in its order
    const index = O + 12 + (<usize>n << 2);
    for (let i: usize = 0; i < <usize>n; i++) {
      const P = load<u32>(list + (i << 2));
      let j = expected;
      if (j >= nk || load<u32>(own + (<usize>j << 2)) != P) {
        j = 0;
        while (j < nk && load<u32>(own + (<usize>j << 2)) != P) j++;
      }
      if (j < nk) expected = j + 1;
      else {
        store<u32>(O + 12 + (<usize>extras << 2), P);
        j = nk + extras;
        extras++;
      }
      store<u8>(index + i, <u8>j);
    }
    memory.copy(O + 12 + (<usize>extras << 2), index, <usize>n);
    store<u8>(O, <u8>extras, 9);
    free = (O + 12 + (<usize>extras << 2) + <usize>n + 3) & ~3;
  }
  store<u32>(outputs + s, h);
  store<u32>(outputs + s, <u32>O, 4);
  outputCount++;
  return O;
}

function sameOutput(O: usize, v: u32, list: usize, n: u32): bool {
  if (load<u32>(O) >>> 24 != v || outputLabels(O) != n) return false;
  for (let i: u32 = 0; i < n; i++) {
    if (<u32>outputPair(O, i) != load<u32>(list + (<usize>i << 2))) return false;
  }
  return true;
}

/** Output of the series for variant v: a record, or rule << 1 | 1. */
// @ts-ignore: decorator
@inline
export function outputOf(E: usize, v: u32): usize {
  return <usize>load<u32>(E + 8 + (<usize>load<u8>(E, 6) << 2) + (<usize>v << 2));
}

// @ts-ignore: decorator
@inline
export function outputLength(O: usize): u32 {
  return load<u32>(O) & 0xffffff;
}

// @ts-ignore: decorator
@inline
export function outputLabels(O: usize): u32 {
  return <u32>load<u8>(O, 8);
}

// @ts-ignore: decorator
@inline
function owner(O: usize): usize {
  return O - (<usize>load<u16>(O, 10) << 2);
}

export function outputPair(O: usize, i: u32): usize {
  const E = owner(O);
  const extras = <u32>load<u8>(O, 9);
  if (extras == SAME) return <usize>load<u32>(E + 8 + (<usize>i << 2));
  const j = <u32>load<u8>(O + 12 + (<usize>extras << 2) + <usize>i);
  const nk = <u32>load<u8>(E, 6);
  return <usize>(j < nk ? load<u32>(E + 8 + (<usize>j << 2)) : load<u32>(O + 12 + (<usize>(j - nk) << 2)));
}

/** Number of variants. */
// @ts-ignore: decorator
@inline
export function variantCount(): u32 {
  return variants;
}

/** Writes the labels of output O at op, outputLength(O) bytes, and up to 15 more. Returns where they end. */
// @ts-ignore: decorator
@inline
export function putLabels(op: usize, O: usize): usize {
  const E = owner(O);
  const own = E + 8;
  const n = outputLabels(O);
  const extras = <usize>load<u8>(O, 9);
  if (extras == <usize>SAME) {
    for (let k = own, e = own + (<usize>n << 2); k < e; k += 4) op = putPair(op, <usize>load<u32>(k));
    return op;
  }
  const nk = <usize>load<u8>(E, 6);
  const more = O + 12 - (nk << 2); // so that index nk finds the first extra
  let o = O + 12 + (extras << 2);
  for (const e = o + <usize>n; o < e; o++) {
    const j = <usize>load<u8>(o);
    op = putPair(op, <usize>load<u32>((j < nk ? own : more) + (j << 2)));
  }
  return op;
}

/** Copies the bytes of pair P to op, and up to 15 bytes more. Returns where they end. */
// @ts-ignore: decorator
@inline
export function putPair(op: usize, P: usize): usize {
  const l = <usize>load<u32>(P);
  let s = P + 8;
  const e = op + l;
  do {
    v128.store(op, v128.load(s));
    op += 16;
    s += 16;
  } while (op < e);
  return e;
}

/** Where the pairs of output O stand in order, outputLabels(O) words: in the record, or in `scratch`, which has room for MAX_LABELS. */
export function outputPairs(O: usize, scratch: usize): usize {
  const E = owner(O);
  const own = E + 8;
  const extras = <usize>load<u8>(O, 9);
  if (extras == <usize>SAME) return own;
  const nk = <usize>load<u8>(E, 6);
  const more = O + 12 - (nk << 2); // so that index nk finds the first extra
  let o = O + 12 + (extras << 2);
  let to = scratch;
  for (const e = o + <usize>outputLabels(O); o < e; o++, to += 4) {
    const j = <usize>load<u8>(o);
    store<u32>(to, load<u32>((j < nk ? own : more) + (j << 2)));
  }
  return scratch;
}
