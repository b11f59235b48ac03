// The kernel: the loops over bytes of the data path. No imports, no allocation, one memory that the host lays out. Contracts: ../kernel.ts.

import { initMerge, MERGE_SCRATCH } from './merge';
import { KEYS, setKeys } from './hash';
import { base, initRows, renumberRows, resetRows } from './rows';
import { clear as clearTable, initTable, LISTS, reportTable as tableToReport, turnOver } from './table';
import { initWalk, resetWalk, WALK_SCRATCH } from './remotewrite1';
import { resetEmission } from './emission';
import { initMade } from './made';
import { clearFamilies, FAMILIES, initFamilies } from './families';
import { initEmit2 } from './emit2';
import { initWalk2 } from './remotewrite2';
import { initSymbolTable, SYMBOL_TABLE } from './symbol-table';
import { initSymbols, SYMBOL_MEMO, SYMBOLS } from './symbols';
import { initOtlp, OTLP_SCRATCH, resetOtlp } from './otlp';
import { forgetLeader } from './otlp-series';
import { RULES } from './rules';
import { ENCODE_SCRATCH } from './snappy-encode';
import { FOLLOW_SCRATCH } from './snappy-follow';

export { decode } from './snappy-decode';
export { encode, maxEncoded } from './snappy-encode';
export { blockStart, blockStop } from './block';
export { initStencils } from './stencil';
export { md5 } from './md5';
export { answerRule, initRules, setRules } from './rules';
export { resolve1 } from './remotewrite1';
export { resolve2 } from './remotewrite2';
export { insert } from './settle';
export { addCustom, setExpand } from './custom';
export { emitBegin } from './emission';
export { emit1, emitBlock1 } from './emit1';
export { emit2 } from './emit2';
export { configureOtlp, resolveOtlp } from './otlp';
export { insertPoint } from './otlp-series';
export { addMember, beginGroup, intern } from './table';

let report: usize = 0;

/** Bytes that the host must lay out for each thing of fixed size. */
export function keysSize(): usize { return KEYS; }
export function listsSize(): usize { return LISTS; }
export function walkSize(): usize { return WALK_SCRATCH; }
export function otlpSize(): usize { return OTLP_SCRATCH; }
export function memoSize(): usize { return SYMBOL_MEMO; }
export function symbolTableSize(): usize { return SYMBOL_TABLE; }
export function familiesSize(): usize { return FAMILIES; }
/** What pieces are merged in, and where the symbols of a request are noted: never both at once. */
export function mergeSize(): usize { return max(MERGE_SCRATCH, SYMBOLS); }
export function rulesSize(): usize { return RULES; }
export function encodeScratchSize(): usize { return max(ENCODE_SCRATCH, FOLLOW_SCRATCH); }

export function init(
  reportAt: usize, keys: usize, lists: usize, walk: usize, keyCap: usize, merge: usize, rows: usize, rowsSize: usize, madeAt: usize, madeSize: usize, otlp: usize,
  table: usize, generation: usize,
): void {
  report = reportAt;
  setKeys(keys);
  initWalk(walk, keyCap, reportAt);
  initWalk2(walk + WALK_SCRATCH, keyCap, reportAt);
  initMerge(merge);
  initRows(rows, rowsSize, reportAt);
  initMade(madeAt, madeSize);
  initOtlp(otlp, walk + WALK_SCRATCH, keyCap, reportAt);
  initTable(table, generation, lists);
}

/** The same for remote write 2.0, after init(). series: where those of a piece are written. */
export function init2(merge: usize, memo: usize, symbolTable: usize, families: usize, series: usize, seriesSize: usize): void {
  initSymbols(merge, SYMBOLS, memo);
  initSymbolTable(symbolTable);
  initFamilies(families, FAMILIES);
  initEmit2(series, seriesSize);
}

/** Empties the table; series have that many variants from now on. */
export function clear(variants: u32): void {
  reset();
  clearTable(variants);
  renumberRows();
  clearFamilies();
}

/** Forgets the request: rows, cursors, chains. */
export function reset(): void {
  resetWalk();
  resetOtlp();
  resetEmission();
}

/** The rows of this part are out: the next ones start afresh, with the table turned over or as it is. */
export function nextPart(turn: bool): void {
  resetRows();
  resetEmission();
  if (!turn) return;
  turnOver();
  forgetLeader();
}

/** Row numbers are close to the end of their range: the table must be cleared. */
export function worn(): bool { return base > 0xf0000000; }

export function reportTable(): void { tableToReport(report); }
