import { OWN_TENANT, PART_ROWS } from '../../wire/layout';
import { rowsEnd, rowsStart } from './rows';

// What a body may take. A few bytes of remote write 2.0 can name large labels very often, a few bytes of buckets many series: all series of a body, written out, may have
// so many times its bytes, and so many more.

const TIMES: u64 = 64;
const MORE: u64 = 8 << 20;

let allowance: u64 = 0;

/** A body of n bytes begins. One of our own making is of labels that were paid for, and may be much shorter than the body that brought them. */
export function beginRoom(n: usize, tenant: u32): void {
  allowance = tenant == <u32>OWN_TENANT ? u64.MAX_VALUE : <u64>n * TIMES + MORE;
}

/** Takes n bytes from what is left. Returns whether they were there. */
// @ts-ignore: decorator
@inline
export function spend(n: u64): bool {
  if (n > allowance) return false;
  allowance -= n;
  return true;
}

/** A region is full: PART_ROWS, since there is room when the rows there are have gone out; or the error, when there are none. */
export function full(error: i32): i32 {
  return rowsEnd == rowsStart ? error : PART_ROWS;
}
