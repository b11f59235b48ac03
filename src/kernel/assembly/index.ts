// The kernel: the loops over bytes of the data path. No imports, no allocation, one memory that the host lays out. Contracts: ../kernel.ts.

import { initMerge, MERGE_SCRATCH } from './merge';
import { KEYS, setKeys } from './hash';
import { base, initRows, renumberRows, resetRows } from './rows';
import { clear as clearTable, initTable, LISTS, reportTable as tableToReport, turnOver } from './table';
import { initWalk, resetWalk, WALK_SCRATCH } from './remotewrite1';
import { resetEmit } from './emit1';
import { ENCODE_SCRATCH } from './snappy-encode';

export { decode } from './snappy-decode';
export { encode, maxEncoded } from './snappy-encode';
export { md5 } from './md5';
export { resolve1, insert } from './remotewrite1';
export { emitBegin, emit1 } from './emit1';
export { intern } from './table';

let report: usize = 0;

/** Bytes that the host must lay out for each thing of fixed size. */
export function keysSize(): usize { return KEYS; }
export function listsSize(): usize { return LISTS; }
export function walkSize(): usize { return WALK_SCRATCH; }
export function mergeSize(): usize { return MERGE_SCRATCH; }
export function encodeScratchSize(): usize { return ENCODE_SCRATCH; }

export function init(
  reportAt: usize, keys: usize, lists: usize, walk: usize, keyCap: usize, merge: usize, rows: usize, rowsSize: usize, table: usize, generation: usize,
): void {
  report = reportAt;
  setKeys(keys);
  initWalk(walk, keyCap, reportAt);
  initMerge(merge);
  initRows(rows, rowsSize, reportAt);
  initTable(table, generation, lists);
}

/** Empties the table; series have that many variants from now on. */
export function clear(variants: u32): void {
  reset();
  clearTable(variants);
  renumberRows();
}

/** Forgets the request: rows, cursors, chains. */
export function reset(): void {
  resetWalk();
  resetEmit();
}

/** The rows of this part are out: the next ones start afresh, with the table turned over or as it is. */
export function nextPart(turn: bool): void {
  resetRows();
  resetEmit();
  if (turn) turnOver();
}

/** Row numbers are close to the end of their range: the table must be cleared. */
export function worn(): bool { return base > 0xf0000000; }

export function reportTable(): void { tableToReport(report); }
