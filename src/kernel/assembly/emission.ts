import {
  EXEMPLARS, HISTOGRAMS, KINDS, METADATA, R_EXPANDED, R_MADE, R_PIECE_POINTS, R_UNWANTED, R_VARIANT_DROPPED, ROW, SAMPLES,
} from '../../wire/layout';
import { forgetWay } from './block';
import { merged, mergeChain, mergedOf, nextRow } from './merge';
import { addReport, chained, FORM_CLASSIC, FORM_CUSTOM, FORM_LEFT, FORM_POINT, numberOf, rowsEnd, rowsStart, setReport } from './rows';
import { forgetSymbols } from './symbols';
import { outputOf } from './table';

// Which rows of a part go out, in what order, and how far they are out: what emit1 and emit2 have in common.

/** What there is to write next. */
export const NOTHING: u32 = 0;
/** The rest of the run at `row`, from `offset` on. */
export const RUN: u32 = 1;
/** The points `index` to `merged` of the chain that `row` heads (merge.ts). */
export const CHAIN: u32 = 2;

export let variant: u32 = 0;
let kinds: u32 = 0;
let all: bool = false; //    keep superseded points
let version: u32 = 1;
let expand: bool = false; // classic series stand in for histograms with custom buckets
let inChain: bool = false;
let loose: u32 = 0; //       bit v: a chain of variant v was too long to merge
/** The row at hand. */
export let row: usize = 0;
/** Bytes of it that are out already. */
export let offset: u32 = 0;
/** Points of the chain that are out already; with message 2, but for exemplars. */
export let index: u32 = 0;
/** With message 2: exemplars of the chain that are out already. */
export let exemplarsOut: u32 = 0;
/** Output of the row at hand; 0 for metadata. */
export let output: usize = 0;

export function resetEmission(): void {
  row = rowsEnd;
  inChain = false;
  offset = index = loose = 0;
}

/**
 * Starts over with the first row, for this variant; wanted: a bit for every kind of point; keep: superseded points too; message: 1 or 2; expanded: with message 1, classic
 * series instead of custom buckets.
 */
export function emitBegin(forVariant: u32, wanted: u32, keep: bool, message: u32, expanded: bool): void {
  forgetSymbols(); // chains are merged where they lie
  forgetWay(forVariant);
  variant = forVariant;
  kinds = wanted;
  all = keep;
  version = message;
  expand = expanded && message == 1;
  row = rowsStart;
  offset = index = 0;
  inChain = false;
  for (let k: u32 = 0; k < <u32>KINDS * 4; k++) setReport(R_VARIANT_DROPPED + k, 0);
  setReport(R_EXPANDED, 0);
  setReport(R_MADE, 0);
  if (chained >>> variant & 1) linkChains();
}

/** Makes `next` lead from row to row of every chain; afterwards an output's `last` is the chain's first row. */
function linkChains(): void {
  for (let r = rowsStart; r < rowsEnd; r += ROW) if (isChained(r)) store<u32>(outputAt(r), numberOf(r), 4);
  for (let r = rowsEnd - ROW; r >= rowsStart; r -= ROW) {
    if (!isChained(r)) continue;
    const O = outputAt(r);
    const after = load<u32>(O, 4);
    const own = numberOf(r);
    store<u32>(r, after == own ? 0 : after, 20);
    store<u32>(O, own, 4);
  }
}

// @ts-ignore: decorator
@inline
function isChained(r: usize): bool {
  return <bool>((<u32>load<u16>(r, 18) >>> variant) & 1);
}

// @ts-ignore: decorator
@inline
function outputAt(r: usize): usize {
  return outputOf(<usize>load<u32>(r), variant);
}

// @ts-ignore: decorator
@inline
export function kindOf(r: usize): u32 {
  return <u32>load<u8>(r, 16);
}

// @ts-ignore: decorator
@inline
export function formOf(r: usize): u32 {
  return <u32>load<u8>(r, 17);
}

/** Whether the next piece begins inside a series that an earlier one may end in. */
export function continues(): bool {
  return offset != 0 || index != 0 || <bool>(loose >>> variant & 1);
}

/** Steps over rows that don't go out, and counts them. Returns what is to be written next: NOTHING, RUN or CHAIN. */
export function current(): u32 {
  while (row < rowsEnd) {
    if (inChain) {
      if (index < (version == 2 ? bases() : merged)) return CHAIN;
      // None is left that they could travel with.
      if (version == 2) addReport(R_UNWANTED + EXEMPLARS, mergedOf(EXEMPLARS) - exemplarsOut);
      inChain = false;
      index = 0;
      row += ROW;
      continue;
    }
    if (offset) return RUN;
    const kind = kindOf(row);
    if (kind == METADATA) {
      output = 0;
      if (version == 1 && (kinds >>> METADATA & 1)) return RUN;
      addReport(R_UNWANTED + METADATA, load<u32>(row, 12));
      row += ROW;
      continue;
    }
    output = outputAt(row);
    if (!(output & 1) && isChained(row)) {
      if (load<u32>(output, 4) != numberOf(row)) {
        row += ROW; // it went out with the head of its chain
        continue;
      }
      markChain(row);
      if (mergeChain(row, all)) {
        for (let r = row; r != 0; r = nextRow(r)) count(r);
        inChain = true;
        index = exemplarsOut = 0;
        continue;
      }
      loosen(row);
    }
    if (goes(row)) {
      if (version == 1 || kind != EXEMPLARS) return RUN;
      addReport(R_UNWANTED + EXEMPLARS, load<u32>(row, 12)); // of a series that has nothing else here
    } else count(row);
    row += ROW;
  }
  return NOTHING;
}

/** Whether the points of this row go out in this variant and version. */
function goes(r: usize): bool {
  const form = formOf(r);
  if (form & FORM_CLASSIC && !expand) return false;
  if (outputAt(r) & 1) return false;
  if (form & FORM_CUSTOM && version == 1) return false;
  return <bool>((kinds >>> kindOf(r)) & 1);
}

/** Counts the points of this row that don't go out, and those that stand in for others. Once a row. */
function count(r: usize): void {
  const kind = kindOf(r);
  const form = formOf(r);
  const n = load<u32>(r, 12);
  if (form & FORM_CLASSIC) {
    if (!expand) return;
    addReport(R_MADE, n);
  }
  if (outputAt(r) & 1) addReport(R_VARIANT_DROPPED + kind, n);
  else if (form & FORM_CUSTOM && version == 1) addReport(expand ? R_EXPANDED : R_UNWANTED + kind, n);
  else if (!(kinds >>> kind & 1)) addReport(R_UNWANTED + kind, n);
}

/** Marks the rows of the chain that don't go out, for mergeChain(). */
function markChain(head: usize): void {
  for (let r = head; r != 0; r = nextRow(r)) {
    const form = formOf(r) & ~FORM_LEFT;
    store<u8>(r, <u8>(goes(r) ? form : form | FORM_LEFT), 17);
  }
}

/** The row at hand is out as far as `bytes` further; done: all of it. */
// @ts-ignore: decorator
@inline
export function advance(bytes: u32, done: bool): void {
  if (done) {
    const form = formOf(row);
    if (form & FORM_CLASSIC) addReport(R_MADE, load<u32>(row, 12));
    if (form & FORM_POINT) addReport(R_PIECE_POINTS, 1);
    offset = 0;
    row += ROW;
  } else offset += bytes;
}

/** All rows up to r are out, or counted as what they are. */
// @ts-ignore: decorator
@inline
export function advanceTo(r: usize): void {
  row = r;
}

/** n more points of the chain are out. */
// @ts-ignore: decorator
@inline
export function advanceChain(n: u32): void {
  index += n;
}

/** With message 2: so many more exemplars of the chain are out. */
// @ts-ignore: decorator
@inline
export function advanceExemplars(n: u32): void {
  exemplarsOut += n;
}

/** Samples and histograms of the chain: they stand before its exemplars. */
// @ts-ignore: decorator
@inline
export function bases(): u32 {
  return mergedOf(SAMPLES) + mergedOf(HISTOGRAMS);
}

/** The rows of a chain that is too long to merge go out one by one, as they came; from now on every piece waits for the ones before it. */
function loosen(head: usize): void {
  loose |= 1 << variant;
  let r = head;
  while (r != 0) {
    const after = nextRow(r);
    store<u16>(r, load<u16>(r, 18) & ~(<u16>1 << <u16>variant), 18);
    r = after;
  }
}
