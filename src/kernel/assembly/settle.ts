import {
  E_EXPANDS, E_PROTO, E_RUNS, EXEMPLARS, HISTOGRAMS, KINDS, MAX_LABELS, MISS, MISS_RULE, MISS_SERIES, PART_TABLE, REASON_FUTURE, REASON_HISTOGRAM, REASON_SCHEMA,
  RESOLVE_REFUSE, ROW, R_KEY, R_KEY_LABELS, R_KEY_LENGTH, R_KEY_SORTED, R_MISS, R_MISSED,
} from '../../wire/layout';
import { differ } from './bytes';
import { beginCustom, classicMissed, classicPending, customPending, findClassic, findMoreClassic, forgetCustom, putClassic } from './custom';
import { keepMade, made } from './made';
import { strings } from './points';
import { length, next } from './protobuf';
import { full } from './room';
import { askedMemo, askedPair, ASKS, NO_SPACE, relabelSeries } from './rules';
import {
  accepted, addReport, commit, describeDraft, draft, FORM_START, growDraft, markStart, received, refused, rejected, roomFor, rowsEnd, setReport,
} from './rows';
import { ids, insert as insertSeries, intern, turns } from './table';

// One series of remote write, of either version, on its way: its points are drafted as rows, it is found in the table or missed, and then all of
// it is settled at once. What was drafted of a series that is not settled is forgotten.

let tenant: u32 = 0;
/** Drafted rows of the series at hand. */
export let drafts: usize = 0;
let runEnd: usize = 0; //      of the last draft
let runKind: u32 = KINDS;
let runForm: u32 = 0;
let madeBefore: usize = 0; //  where points made for it start
let madeEnd: usize = 0; //     and where they end
/** Metadata of the series at hand: an address, 0 for none. */
let described: u32 = 0;
/** Its points that are rejected. */
export let bad: u32 = 0;
/** Those by reason and kind: +0 u32 number, +8 i64 time of the first. */
const BAD: usize = memory.data(16 * 7, 8);
// the series of the last MISS
let keyLength: usize = 0;
let keyHash: u32 = 0;
let keyLabels: u32 = 0;
/** The record under which it is to be settled; 0 when it is to be looked up again. */
let inserted: usize = 0;
/** The record under which a series is refused that is not in the table: +7 is its status. */
const REFUSED: usize = memory.data(16, 8);

/** A body begins. */
export function beginSettling(forTenant: u32): void {
  tenant = forTenant;
  resetSettling();
}

export function resetSettling(): void {
  inserted = 0;
  forgetCustom();
}

/** Pairs of the series that was missed last, of this generation. */
const LAST: usize = memory.data(4 * MAX_LABELS, 8);
let lastTurn: u32 = 0;

/** What resume() did: nothing, the series is to be walked again; or all there is to do for it. */
export const WALK_AGAIN: i32 = 0;
export const SETTLED: i32 = 1;

/**
 * resolve() goes on after a MISS: settles its series under the record that insert() made, or refuses it. Its drafts are still there, if no part ended since. Returns
 * WALK_AGAIN, SETTLED; or, when there is more to be missed of it, MISS, a PART or an error.
 */
export function resume(how: i32): i32 {
  let E = inserted;
  inserted = 0;
  if (how >= RESOLVE_REFUSE) {
    store<u8>(REFUSED, <u8>(how - RESOLVE_REFUSE), 7);
    E = REFUSED;
  } else if (E == 0) {
    E = classicMissed();
    if (E == 0) return WALK_AGAIN;
    const classic = findMoreClassic();
    if (classic < 0) return classic;
    settle(E);
    return SETTLED;
  }
  addReport(R_MISSED, 1);
  if (customPending && accepted(E)) {
    const classic = findClassic(E, drafts, keyHash);
    if (classic < 0) return classic;
  }
  settle(E);
  return SETTLED;
}

/** A series begins. */
// @ts-ignore: decorator
@inline
export function beginSeries(): void {
  drafts = 0;
  bad = 0;
  runKind = KINDS;
  described = 0;
  madeBefore = madeEnd = made;
  beginCustom();
}

/** A series is walked again from its start. */
export function restartSeries(): void {
  keepMade(madeBefore);
  beginSeries();
}

/** The metadata of the series at hand. */
export function describeSeries(at: u32): void {
  described = at;
}

/** Drafts the point whose field is the n bytes at `at`. Returns 0, E_RUNS or PART_ROWS. */
export function addPoint(kind: u32, at: usize, n: usize, form: u32): i32 {
  const run = form & ~FORM_START;
  if (kind == runKind && at == runEnd && run == runForm) {
    growDraft(drafts - 1, <u32>n);
    if (form & FORM_START) markStart(drafts - 1);
  } else {
    if (!roomFor(drafts + 1)) return full(E_RUNS);
    draft(drafts, at, <u32>n, 1, kind, form);
    drafts++;
    runKind = kind;
    runForm = run;
  }
  runEnd = at + n;
  return 0;
}

/** Drafts the point that was written to [made, to), to 0 when there was no room for it. Returns 0, E_EXPANDS, E_RUNS or PART_ROWS. */
export function addMade(kind: u32, to: usize, form: u32): i32 {
  if (to == 0) return full(E_EXPANDS);
  const at = made;
  keepMade(to);
  madeEnd = to;
  return addPoint(kind, at, to - at, form);
}

/** A point at that time is rejected. */
export function rejectPoint(reason: u32, kind: u32, at: i64): void {
  if (bad++ == 0) memory.fill(BAD, 0, 16 * 7);
  // those of the future, by kind; histograms by reason; exemplars
  const i: u32 = reason == REASON_FUTURE ? kind : kind == EXEMPLARS ? 6 : reason == REASON_HISTOGRAM ? 3 : reason == REASON_SCHEMA ? 4 : 5;
  const slot = BAD + (<usize>i << 4);
  const n = load<u32>(slot);
  store<u32>(slot, n + 1);
  store<u32>(slot, reason, 4);
  if (n == 0) store<i64>(slot, at, 8);
}

/**
 * The series is not in the table: reports its key, the fields of n labels at [key, key + L), which is hashed to h; interns its pairs when it is whole and could be
 * inserted. Returns 0 when the rules are run here, and then all of it is settled; MISS, E_PROTO or PART_TABLE.
 */
export function miss(key: usize, L: usize, n: u32, h: u32, whole: bool): i32 {
  keyLength = L;
  keyHash = h;
  keyLabels = n;
  const complete = whole && n > 0 && n <= <u32>MAX_LABELS;
  if (lastTurn != turns) {
    lastTurn = turns;
    memory.fill(LAST, 0, 4 * <usize>MAX_LABELS);
  }
  let p = key;
  const e = key + L;
  let sorted = true;
  let before: usize = 0;
  for (let i: usize = 0; p < e; i++) {
    const at = p;
    const l = length(p + 1, e);
    p = next + l;
    if (!strings(next, p, 2)) return E_PROTO;
    if (!complete) continue;
    if (sorted) sorted = ascends(before, at, p);
    before = at;
    // The series before it, which was missed as well, often has the same label there.
    let P = <usize>load<u32>(LAST + (i << 2));
    if (P == 0 || <usize>load<u32>(P) != p - at || v128.any_true(differ(at, P + 8, p - at))) {
      P = intern(at, p - at);
      if (P == 0) return PART_TABLE;
      store<u32>(LAST + (i << 2), <u32>P);
    }
    store<u32>(ids + (i << 2), <u32>P);
  }
  if (complete && sorted && !customPending) {
    const E = relabelSeries(L, h, tenant, n);
    if (E == NO_SPACE) return PART_TABLE;
    if (E > ASKS) {
      addReport(R_MISSED, 1);
      settle(E);
      return 0;
    }
    if (E == ASKS) {
      setReport(R_MISS, MISS_RULE);
      setReport(R_KEY, askedMemo);
      setReport(R_KEY_LENGTH, askedPair);
      return MISS;
    }
  }
  setReport(R_MISS, MISS_SERIES);
  setReport(R_KEY, <u32>key);
  setReport(R_KEY_SORTED, <u32>sorted);
  setReport(R_KEY_LENGTH, <u32>L);
  setReport(R_KEY_LABELS, complete ? n : n == 0 ? 0 : <u32>MAX_LABELS + 1);
  return MISS;
}

/**
 * Whether the name of the label field [q, e) comes after that of the one at p (0: there is none), which was told before. Only fields of less than 128 bytes that
 * are written the usual way, a name and a value or none, are told; others count as not.
 */
function ascends(p: usize, q: usize, e: usize): bool {
  const n = <usize>load<u8>(q, 3);
  if (load<u8>(q, 1) > 127 || load<u8>(q, 2) != 10 || n > 127) return false;
  const value = q + 4 + n;
  if (value != e && (load<u8>(value) != 18 || value + 2 + <usize>load<u8>(value, 1) != e)) return false;
  if (p == 0) return true;
  const m = <usize>load<u8>(p, 3);
  const l = min(m, n);
  for (let i: usize = 0; i < l; i++) {
    const a = load<u8>(p + 4 + i);
    const b = load<u8>(q + 4 + i);
    if (a != b) return a < b;
  }
  return m < n;
}

/** Adds the series of the last MISS; out: table.ts. Returns 0, or PART_TABLE when the generation is full. */
export function insert(status: u32, out: usize): i32 {
  inserted = insertSeries(keyLength, keyHash, tenant, keyLabels, status, out);
  return inserted ? 0 : PART_TABLE;
}

/** Commits the drafts for series E, or counts them as refused. */
export function settle(E: usize): void {
  const ok = accepted(E);
  const first = rowsEnd;
  for (let i: usize = drafts; i > 0; i--) {
    // commit() moves rowsEnd past the draft; a refused one is passed over by its index
    const ahead: usize = ok ? 0 : drafts - i;
    const r = rowsEnd + ahead * ROW;
    const kind = <u32>load<u8>(r, 16);
    const n = load<u32>(r, 12);
    received(kind, n);
    if (ok) {
      if (described) describeDraft(0, described);
      commit(E);
    } else refused(E, kind, n);
  }
  if (bad) settleBad(E, ok);
  if (ok && classicPending) putClassic(first, rowsEnd);
  // No row points to what was made for a refused series: else many of them would fill the region, and nothing that goes out would empty it.
  if (!ok && made == madeEnd) keepMade(madeBefore);
}

function settleBad(E: usize, ok: bool): void {
  for (let slot = BAD; slot < BAD + 16 * 7; slot += 16) {
    const n = load<u32>(slot);
    if (n == 0) continue;
    const i = <u32>((slot - BAD) >>> 4);
    const kind: u32 = i < 3 ? i : i == 6 ? EXEMPLARS : HISTOGRAMS;
    received(kind, n);
    if (ok) rejected(E, load<u32>(slot, 4), kind, n, load<i64>(slot, 8));
    else refused(E, kind, n);
  }
}
