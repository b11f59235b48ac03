import { E_EXPANDS, MAX_GROUP, MISS, PART_TABLE, ROW, SAMPLES, STATUS_GROUP } from '../../wire/layout';
import { ended, endTime, findEndedBy, isEnd, rewind, spendOnEnds } from './custom-ends';
import { addMissed, enterSeries, findLast, gather, gone, group, groupOf, keepLast, lastOf, series, when } from './custom-groups';
import { customs, time } from './histogram-fields';
import { STALE } from './histogram-writer';
import { era, keepMade, made, madeLeft } from './made';
import { fieldEnd } from './merge';
import { checkHistogram, readCustom } from './native-histogram';
import { length, next, putVarint64, tag } from './protobuf';
import { accepted, commit, draft, FORM_CLASSIC, FORM_CUSTOM, roomFor, rowsEnd, rowsStart } from './rows';
import { full, spend } from './room';
import { memberOf, membersOf } from './table';

// Native histograms with custom buckets, which remote write 1.0 can't carry, as classic series. Which series those are is a group of the table: its key are the pairs of
// the histogram's series and one more pair with the bounds, its members a bucket for each bound, the one up to +Inf, the count and the sum. The rows of members
// follow the histograms' own.
//
// A stale marker without bounds ends the series of the last histogram before it (custom-ends.ts). Where none is known, and where there is no room, the marker goes out as it
// came and nothing else does.

/** Bytes that one member's sample may take in `made`, scratch included. */
const SAMPLE_ROOM: usize = 48;
/** Members besides the buckets of bounds. */
const BESIDES: u32 = 3;

let expand: bool = false;
/** Classic series are wanted, and the series at hand has such histograms, or markers that may end one. */
export let customPending: bool = false;
/** Their groups are all there. */
export let classicPending: bool = false;
/** There are such markers, and they are to end what they can. */
let ending: bool = false;
// of the series at hand: how far its drafts were looked through, how many samples are to be made, and the group of the latest histogram
let draftAt: usize = 0;
let draftsEnd: usize = 0;
let pointAt: usize = 0;
let samples: usize = 0;
let latest: usize = 0;
let latestTime: i64 = 0;
/** Bytes of the bounds of the one with most. */
let widest: usize = 0;
/** The last group before this message; 0 for none. */
let before: usize = 0;
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
  customPending = classicPending = ending = false;
}

/** The series at hand has such a histogram, the one that was checked last. Returns false when it has more buckets than series can be made of. */
export function noteCustom(): bool {
  if (!expand) return true;
  if (customs + BESIDES > <u32>MAX_GROUP) return false;
  customPending = true;
  return true;
}

/** The series at hand has a stale marker without bounds. */
export function noteEnd(): void {
  if (expand) customPending = ending = true;
}

/** Whether the sample with these bits, of series E, whose key is hashed to h, ends classic series too. */
// @ts-ignore: decorator
@inline
export function endsMore(bits: u64, E: usize, h: u32): bool {
  return bits == STALE && expand && lastOf(E, h) != 0;
}

/**
 * Finds the groups of all such histograms among the n drafts of series E, whose key is hashed to h, and those that markers among them end. Returns 0, MISS with the pairs of
 * the key in `ids`, or a PART or error.
 */
export function findClassic(E: usize, n: usize, h: u32): i32 {
  enterSeries(E, h);
  draftAt = rowsEnd;
  draftsEnd = rowsEnd + n * ROW;
  pointAt = 0;
  samples = 0;
  latest = 0;
  widest = 0;
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
      if (L > 0 || !gone) {
        const at = when;
        const found = groupOf(made, L);
        if (found == MISS) {
          pointAt = p;
          missedIn = era;
        }
        if (found < 0) return found;
        widest = max(widest, <usize>L);
        const members = <usize>(L >>> 3) + BESIDES;
        samples += members;
        if (!spend(<u64>members * (<u64>load<u32>(series) + 64))) return E_EXPANDS;
        if (latest == 0 || at >= latestTime) {
          latest = group;
          latestTime = at;
        }
      }
      p = q;
    }
    pointAt = 0;
  }
  const ends = ending ? findEnded() : 0;
  if (ends < 0) return ends;
  if (latest && !keepLast(latest)) return PART_TABLE;
  // While markers are written, bounds are looked ahead at.
  if (!hasRoom(samples + <usize>ends, ending ? widest : 0)) {
    if (rowsEnd != rowsStart || !hasRoom(samples, 0)) return full(E_EXPANDS);
    ending = false;
  } else samples += <usize>ends;
  classicPending = samples != 0;
  return 0;
}

/** Whether there is room for so many samples, the drafts, and more bytes besides. */
function hasRoom(n: usize, more: usize): bool {
  return roomFor(<usize>(draftsEnd - rowsEnd) / ROW + n + 1) && madeLeft() >= n * SAMPLE_ROOM + more;
}

/** Finds the groups that the markers among the drafts end. Returns the number of their members; or MISS or PART_TABLE. */
function findEnded(): i32 {
  const last = findLast();
  if (last < 0) return last;
  before = group;
  rewind(rowsEnd, draftsEnd, before);
  let members: usize = 0;
  for (let r = rowsEnd; r < draftsEnd; r += ROW) {
    for (let p = <usize>load<u32>(r, 4), e = p + <usize>load<u32>(r, 8); p < e; ) {
      const q = fieldEnd(p);
      if (isEnd(r, p, q)) {
        const found = findEndedBy(r);
        if (found == MISS) missedIn = era;
        if (found < 0) return found;
        const n = ended ? <usize>membersOf(ended) : 0;
        members += n;
        // What a few bytes would end of much is not worth refusing them.
        if (!spendOnEnds(<u64>n * (<u64>load<u32>(series) + 64)) || members > <usize>i32.MAX_VALUE >>> 8) {
          ending = false;
          return 0;
        }
      }
      p = q;
    }
  }
  return <i32>members;
}

/** Adds the group of the last MISS_CUSTOM, its members those that were added since beginGroup(). Returns 0 or PART_TABLE. */
export function addCustom(status: u32): i32 {
  wasAdded = addMissed(status);
  return wasAdded ? 0 : PART_TABLE;
}

/** Series that stand in for the histograms of the series at hand: they count as series of the body. */
// @ts-ignore: decorator
@inline
export function classicSeries(): u32 {
  return classicPending ? <u32>samples : 0;
}

/** Commits the classic series of such histograms, and of markers, among the rows [first, end) of the series at hand, which findClassic() found to be there. */
export function putClassic(first: usize, end: usize): void {
  if (ending) rewind(first, end, before);
  for (let r = first; r < end; r += ROW) {
    const custom = <bool>(<u32>load<u8>(r, 17) & FORM_CUSTOM);
    if (!custom && !ending) continue;
    for (let p = <usize>load<u32>(r, 4), e = p + <usize>load<u32>(r, 8); p < e; ) {
      const q = fieldEnd(p);
      const L = custom ? gather(p, q) : 0;
      if (custom && (L > 0 || !gone)) {
        if (L >= 0 && groupOf(made, L) == 0 && load<u8>(group, 7) == <u8>STATUS_GROUP) members(p, q, group, <u32>(L >>> 3));
      } else if (ending && isEnd(r, p, q) && findEndedBy(r) == 0 && ended) endAll(ended);
      p = q;
    }
  }
}

/** A stale marker for each member of group G, at endTime. */
function endAll(G: usize): void {
  for (let i: u32 = 0, n = membersOf(G); i < n; i++) put(memberOf(G, i), STALE, endTime);
}

/** One sample for each member of group G, of the histogram in the field [p, e), which has n bounds. */
function members(p: usize, e: usize, G: usize, n: u32): void {
  tag(p, e);
  const l = length(next, e);
  const at = next;
  // What is read lies behind what is written from it.
  const values = made + <usize>(n + BESIDES) * (SAMPLE_ROOM - 24);
  if (checkHistogram(at, at + l) != 2 || membersOf(G) != n + BESIDES) return;
  const observed = time;
  if (readCustom(at, at + l, values, <usize>(n + 2) << 3) != <i32>n) return;
  for (let i: u32 = 0; i < n + BESIDES; i++) {
    // buckets of bounds, the one up to +Inf, count, sum
    const from = i < n ? i + 2 : i == n + 2 ? 1 : 0;
    put(memberOf(G, i), load<u64>(values + (<usize>from << 3)), observed);
  }
}

/** One sample of the member M. */
function put(M: usize, bits: u64, at: i64): void {
  if (!accepted(M)) return;
  const to = sample(made, bits, at);
  draft(0, made, <u32>(to - made), 1, SAMPLES, FORM_CLASSIC);
  commit(M);
  keepMade(to);
}

// Sample    value=1 double   timestamp=2 int64
function sample(op: usize, bits: u64, at: i64): usize {
  store<u8>(op, 18);
  store<u8>(op, 9, 2);
  store<u64>(op, bits, 3);
  store<u8>(op, 16, 11);
  const end = putVarint64(op + 12, <u64>at);
  store<u8>(op, <u8>(end - op - 2), 1);
  return end;
}
