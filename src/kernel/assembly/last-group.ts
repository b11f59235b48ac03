import { CONTEXT, STATUS_GROUP } from '../../wire/layout';
import { differ } from './bytes';
import { firstOldUnder, firstUnder, ids, isGroup, isLast, linkAgain, markLast, nextUnder, replaceUnder } from './table';

// The group of the last point of a series that has other groups with other bounds: what a stale marker ends that names no bounds. A second slot leads to it, under a hash of
// the key without bounds. So it leaves with its generation, and while it is old it is found among the old slots, like the group itself.

/** Those bits of a group's length that say whose key it has. */
const WHOSE: u32 = 0xc0000000;

/**
 * The young group G, which has STATUS_GROUP and is not marked yet, is the last one of its series; h: hash of its key without the pair `bounds`. Returns false when the
 * generation is full.
 */
export function setLast(G: usize, h: u32, bounds: usize): bool {
  for (let C = firstUnder(h); C != 0; C = nextUnder()) {
    if (!isLastGroup(C) || !isAkin(C, G, bounds)) continue;
    markLast(C, false);
    replaceUnder(G);
    markLast(G, true);
    return true;
  }
  if (!linkAgain(G, h)) return false;
  markLast(G, true);
  return true;
}

/** Whether the record, of either generation, is a group that is marked as the last of its series. */
export function isLastGroup(C: usize): bool {
  return isGroup(C) && load<u8>(C, 7) == <u8>STATUS_GROUP && isLast(C);
}

/** Whether young groups differ in that pair alone. */
function isAkin(C: usize, G: usize, bounds: usize): bool {
  if (((load<u32>(C) ^ load<u32>(G)) & WHOSE) != 0 || load<u16>(C, 4) != load<u16>(G, 4) || load<u8>(C, 6) != load<u8>(G, 6)) return false;
  for (let i: usize = 0, n = <usize>load<u8>(C, 6); i < n; i++) {
    if (i != bounds && load<u32>(C + 8 + (i << 2)) != load<u32>(G + 8 + (i << 2))) return false;
  }
  return true;
}

/** The last group, of either generation, of an OTLP point whose key is that of findGroup() (table.ts), but with other bounds. h: hash of the key without them. 0: none. */
export function lastPoint(p: usize, L: usize, n: u32, h: u32, tenant: u32): usize {
  for (let C = firstUnder(h); C != 0; C = nextUnder()) if (isOfPoint(C, p, L, n, tenant)) return C;
  for (let C = firstOldUnder(h); C != 0; C = nextUnder()) if (isOfPoint(C, p, L, n, tenant)) return C;
  return 0;
}

function isOfPoint(C: usize, p: usize, L: usize, n: u32, tenant: u32): bool {
  if (!isLastGroup(C) || (load<u32>(C) & 0x7fffffff) != <u32>L || load<u16>(C, 4) != <u16>tenant || <u32>load<u8>(C, 6) != n + CONTEXT) return false;
  for (let i: usize = 0; i < 4 * (CONTEXT - 1); i += 4) {
    const P = <usize>load<u32>(C + i, 8);
    const Q = <usize>load<u32>(ids + i);
    const l = load<u32>(P);
    if (l != load<u32>(Q) || v128.any_true(differ(P + 8, Q + 8, <usize>l))) return false;
  }
  let left = L;
  let k = C + 8 + 4 * CONTEXT;
  for (const e = k + (<usize>n << 2); k < e; k += 4) {
    const P = <usize>load<u32>(k);
    const l = <usize>load<u32>(P);
    if (l >= left || v128.any_true(differ(p + 1, P + 8, l))) return false;
    p += l + 1;
    left -= l + 1;
  }
  return left == 0;
}
