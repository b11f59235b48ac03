import { KINDS, METADATA, NOTES, R_DROPPED, R_NOTED, R_NOTES, R_RECEIVED, R_REJECTED, ROW, STATUS_DROPPED, STATUS_OK } from '../../wire/layout';
import { resetMade } from './made';
import { outputOf, variantCount } from './table';

// A row is one contiguous run of points of one kind of one series. Rows live until the next part or body; they point into the decoded body and
// into the young generation.
//
//   +0 u32 series    record of the table; 0 for metadata
//   +4 u32 address   of the run: whole fields, tags included, as sent
//   +8 u32 length
//  +12 u32 count     points
//  +16 u8  kind
//  +17 u8  form      FORM_ bits
//  +18 u16 chained   bit v: in variant v another row of this part has the same output
//  +20 u32 next      number of the next row of the chain, while a variant is emitted (emit.ts); 0 = last
//  +24 u32 meta      address of the series' metadata (metadata.ts); 0 for none
//
// Rows are numbered from `base` on, over all bodies, so that an output's `last` of an earlier body is always below it.

/** Histogram fields have the tag of remote write 2.0. */
export const FORM_V2: u32 = 1;
/** Some points have a start timestamp, which 1.0 can't carry. */
export const FORM_START: u32 = 2;
/** Native histograms with custom buckets, which 1.0 can't carry. */
export const FORM_CUSTOM: u32 = 4;
/** Samples of the classic series that stand in for those. They did not come in: only `made` counts them. */
export const FORM_CLASSIC: u32 = 8;

/** The first row of an OTLP data point. */
export const FORM_POINT: u32 = 16;
/** Left out of the chain that is being merged. */
export const FORM_LEFT: u32 = 128;

let region: usize = 0;
let regionEnd: usize = 0;
let report: usize = 0;

/** First row of this part, and where the next one goes. */
export let rowsStart: usize = 0;
export let rowsEnd: usize = 0;
/** Number of the first row of this part. */
export let base: u32 = 1;
/** Bit v: in variant v some rows are chained. */
export let chained: u32 = 0;
/** Metadata of the series whose rows are drafted. */
let meta: u32 = 0;

/** Rows that are drafted from now on have this metadata: an address, 0 for none. */
// @ts-ignore: decorator
@inline
export function describeRows(at: u32): void {
  meta = at;
}

export function initRows(at: usize, size: usize, reportAt: usize): void {
  region = at;
  regionEnd = at + size;
  report = reportAt;
  rowsStart = rowsEnd = region;
}

/** Forgets the rows of the part before, and what was made for them. */
export function resetRows(): void {
  resetMade();
  meta = 0;
  base += <u32>((rowsEnd - rowsStart) / ROW);
  rowsEnd = rowsStart;
  chained = 0;
}

/** Numbers start again. Only when no output has a `last`: after the table was cleared. */
export function renumberRows(): void {
  base = 1;
}

/** Room for n rows? */
// @ts-ignore: decorator
@inline
export function roomFor(n: usize): bool {
  return regionEnd - rowsEnd >= n * ROW;
}

/** Adds a row without a series at the end of those that are committed, `ahead` rows further. */
// @ts-ignore: decorator
@inline
export function draft(ahead: usize, at: usize, length: u32, count: u32, kind: u32, form: u32): void {
  const r = rowsEnd + ahead * ROW;
  store<u32>(r, <u32>at, 4);
  store<u32>(r, length, 8);
  store<u32>(r, count, 12);
  store<u32>(r, kind | (form << 8), 16); // clears `chained` too
  store<u32>(r, meta, 24);
}

/** The draft `ahead` rows further goes on with one more point. */
// @ts-ignore: decorator
@inline
export function growDraft(ahead: usize, length: u32): void {
  const r = rowsEnd + ahead * ROW;
  store<u32>(r, load<u32>(r, 8) + length, 8);
  store<u32>(r, load<u32>(r, 12) + 1, 12);
}

/** Some of its points have a start timestamp. */
export function markStart(ahead: usize): void {
  const r = rowsEnd + ahead * ROW;
  store<u8>(r, load<u8>(r, 17) | <u8>FORM_START, 17);
}

/** The draft `ahead` rows further has this metadata. */
// @ts-ignore: decorator
@inline
export function describeDraft(ahead: usize, at: u32): void {
  store<u32>(rowsEnd + ahead * ROW, at, 24);
}

/** Commits the next drafted row for series E, which has STATUS_OK. */
// @ts-ignore: decorator
@inline
export function commit(E: usize): void {
  const r = rowsEnd;
  store<u32>(r, <u32>E);
  const number = numberOf(r);
  for (let v: u32 = 0, n = variantCount(); v < n; v++) {
    const O = outputOf(E, v);
    if (O & 1) continue;
    const last = load<u32>(O, 4);
    store<u32>(O, number, 4);
    if (last >= base) {
      chain(rowOf(last), v);
      chain(r, v);
    }
  }
  rowsEnd = r + ROW;
}

/** Commits the next drafted row of metadata. */
export function commitMetadata(): void {
  store<u32>(rowsEnd, 0);
  rowsEnd += ROW;
}

/** A run of metadata that goes on at the end of the last row makes that row longer. Returns whether it did. */
export function extendMetadata(at: usize, length: u32): bool {
  const r = rowsEnd - ROW;
  if (rowsEnd == rowsStart || load<u8>(r, 16) != METADATA) return false;
  if (<usize>load<u32>(r, 4) + <usize>load<u32>(r, 8) != at) return false;
  store<u32>(r, load<u32>(r, 8) + length, 8);
  store<u32>(r, load<u32>(r, 12) + 1, 12);
  return true;
}

// @ts-ignore: decorator
@inline
export function numberOf(row: usize): u32 {
  return base + <u32>((row - rowsStart) / ROW);
}

// @ts-ignore: decorator
@inline
export function rowOf(number: u32): usize {
  return rowsStart + <usize>(number - base) * ROW;
}

function chain(row: usize, v: u32): void {
  store<u16>(row, load<u16>(row, 18) | (<u16>1 << <u16>v), 18);
  chained |= 1 << v;
}

// @ts-ignore: decorator
@inline
export function addReport(word: u32, n: u32): void {
  const at = report + (<usize>word << 2);
  store<u32>(at, load<u32>(at) + n);
}

// @ts-ignore: decorator
@inline
export function setReport(word: u32, n: u32): void {
  store<u32>(report + (<usize>word << 2), n);
}

/** Counts n points that came in. */
// @ts-ignore: decorator
@inline
export function received(kind: u32, n: u32): void {
  addReport(R_RECEIVED + kind, n);
}

/** Counts n points of a series that does not have STATUS_OK; what is rejected is noted with the series, the first few times. */
export function refused(E: usize, kind: u32, n: u32): void {
  const status = <u32>load<u8>(E, 7);
  if (status == STATUS_DROPPED) addReport(R_DROPPED + kind, n);
  else rejected(E, status, kind, n, 0);
}

/** Counts n points of series E rejected for this reason; time is the first one's. */
export function rejected(E: usize, reason: u32, kind: u32, n: u32, time: i64): void {
  addReport(R_REJECTED + reason * KINDS + kind, n);
  const noted = load<u32>(report + (R_NOTED << 2));
  if (noted >= <u32>NOTES) return;
  const at = report + ((<usize>R_NOTES + <usize>noted * 4) << 2);
  if (noted && load<u32>(at - 16) == <u32>E && load<u32>(at - 12) == reason) return; // its points of another kind
  store<u32>(at, <u32>E);
  store<u32>(at, reason, 4);
  store<i64>(at, time, 8);
  setReport(R_NOTED, noted + 1);
}

// @ts-ignore: decorator
@inline
export function accepted(E: usize): bool {
  return load<u8>(E, 7) == STATUS_OK;
}
