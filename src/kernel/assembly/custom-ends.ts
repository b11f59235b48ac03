import { HISTOGRAMS, OWN_TENANT, ROW, SAMPLES } from '../../wire/layout';
import { gather, gone, group, groupOf, when } from './custom-groups';
import { STALE } from './histogram-writer';
import { made } from './made';
import { fieldEnd } from './merge';
import { bits, sample, time } from './points';
import { length, next, tag } from './protobuf';
import { FORM_CUSTOM } from './rows';

// Which group of classic series a stale marker without bounds ends: a sample, or a histogram of any schema. That of the last histogram before it, in the same series of the
// message, or the one that the table knows as the last. Histograms and markers are in order of time each; what is out of order is passed over, so that each is read once.

// What the series that end may take, written out: for each byte of the body, and so much more. As much as its points may (room.ts), but apart from them: a marker takes a few
// bytes, however much it ends, and is no reason to refuse a body.
const TIMES: u64 = 64;
const MORE: u64 = 32 << 20;
let allowance: u64 = 0;

/** A body of n bytes begins. */
export function beginEnds(n: usize, tenant: u32): void {
  allowance = tenant == <u32>OWN_TENANT ? u64.MAX_VALUE : <u64>n * TIMES + MORE;
}

/** Takes n bytes from what is left for markers. Returns whether they were there. */
export function spendOnEnds(n: u64): bool {
  if (n > allowance) return false;
  allowance -= n;
  return true;
}

let rowAt: usize = 0;
let rowsTo: usize = 0;
/** The next histogram with bounds in that row; 0: its first one. */
let nextAt: usize = 0;
/** The group of the one after the marker at hand, and its time; that of the one before. 0: none is known. */
let ahead: usize = 0;
let aheadTime: i64 = 0;
let behind: usize = 0;
/** The one before this message. */
let before: usize = 0;
/** The group that the last marker ends; 0 for none. */
export let ended: usize = 0;

/** The markers that follow are in the rows [from, to) of the series at hand; last: its last group before this message, 0 for none. */
export function rewind(from: usize, to: usize, last: usize): void {
  before = last;
  rowAt = from;
  rowsTo = to;
  nextAt = ahead = behind = 0;
}

/** Steps to the next histogram that names its bounds, whose group is known to be there. Returns false when there is none. */
function step(): bool {
  for (; rowAt < rowsTo; rowAt += ROW, nextAt = 0) {
    if (!(<u32>load<u8>(rowAt, 17) & FORM_CUSTOM)) continue;
    const first = <usize>load<u32>(rowAt, 4);
    const e = first + <usize>load<u32>(rowAt, 8);
    for (let p = nextAt ? nextAt : first; p < e; ) {
      const q = fieldEnd(p);
      const L = gather(p, q);
      p = nextAt = q;
      if (L < 0 || (L == 0 && gone)) continue;
      aheadTime = when;
      if (groupOf(made, L) != 0) continue;
      ahead = group;
      return true;
    }
  }
  return false;
}

/** Time of the marker that isEnd() found. */
export let endTime: i64 = 0;

/** Whether the point in the field [p, e) of row r is a stale marker without bounds; sets endTime. */
export function isEnd(r: usize, p: usize, e: usize): bool {
  const kind = <u32>load<u8>(r, 16);
  if (kind == HISTOGRAMS) {
    if (gather(p, e) != 0 || !gone) return false;
    endTime = when;
    return true;
  }
  if (kind != SAMPLES) return false;
  tag(p, e);
  length(next, e);
  sample(next, e);
  endTime = time;
  return bits == STALE;
}

/** Sets `ended` for the marker that isEnd() found in row r. Returns 0; or MISS or PART_TABLE. A histogram that says it has custom buckets ends at least what it names. */
export function findEndedBy(r: usize): i32 {
  while (ahead != 0 || step()) {
    if (aheadTime > endTime) break;
    behind = ahead;
    ahead = 0;
  }
  ended = behind ? behind : before;
  if (ended || !(<u32>load<u8>(r, 17) & FORM_CUSTOM)) return 0;
  const found = groupOf(made, 0);
  if (found == 0) ended = group;
  return found;
}
