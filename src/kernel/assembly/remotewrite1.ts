import {
  E_PROTO, E_RUNS, E_SERIES, KINDS, MAX_LABELS, METADATA, MISS, PART_ROWS, PART_TABLE, REASON_FUTURE, REPORT_WORDS, RESOLVE_BEGIN,
  RESOLVE_REFUSE, ROW, R_KEY, R_KEY_LABELS, R_KEY_LENGTH, R_KEY_SORTED, R_MISSED, R_MOVED, R_SERIES, SAMPLES,
} from '../../wire/layout';
import { hash } from './hash';
import { kindOfField, metadata, point, strings, time } from './points';
import { length, next, skip, tag } from './protobuf';
import {
  accepted, addReport, commit, commitMetadata, draft, extendMetadata, growDraft, received, refused, rejected, resetRows, roomFor, rowsEnd,
  rowsStart, setReport,
} from './rows';
import { find, findOld, ids, intern, insert as insertSeries, move, peek } from './table';

// Remote write 1.0 (spec 1.1):
//
//   WriteRequest    timeseries=1 rep TimeSeries   metadata=3 rep MetricMetadata
//   TimeSeries      labels=1 rep Label   samples=2 rep Sample   exemplars=3 rep Exemplar   histograms=4 rep Histogram
//   Label           name=1 string   value=2 string
//
// A body is walked once. What a series' key is: the bytes of its label fields, in arrival order. Most series are labels and then one sample, so
// the walk guesses where the labels end; a hit in the table proves the guess, since the key is byte for byte a sequence of label fields that were
// walked when they were new.

let src: usize = 0;
let end: usize = 0;
let ip: usize = 0; //           the next field of the message
let tenant: u32 = 0;
let maxTime: i64 = 0;
let maxSeries: u32 = 0;
let seriesSeen: u32 = 0;
// the series of the last MISS
let key: usize = 0;
let keyLength: usize = 0;
let keyHash: u32 = 0;
let keyLabels: u32 = 0;
let batch: usize = 0;
let gather: usize = 0;
let maxKey: usize = 0;
let report: usize = 0;
/** The record under which a series is refused that is not in the table: +7 is its status. */
const REFUSED: usize = memory.data(16, 8);
/** Points too far ahead in the series at hand, by kind. */
const FUTURE: usize = memory.data(16, 8);

const AHEAD: usize = 8; //      series looked up together, so that their cache misses overlap
const ENTRY: usize = 24;
/** Scratch of the walk, behind which lies the region where scattered labels are gathered. */
export const WALK_SCRATCH: usize = AHEAD * ENTRY;

/** scratch: WALK_SCRATCH bytes and `keyCap` more, keyCap the longest key that is looked up. */
export function initWalk(scratch: usize, keyCap: usize, reportAt: usize): void {
  batch = scratch;
  gather = scratch + WALK_SCRATCH;
  maxKey = keyCap;
  report = reportAt;
}

/** Nothing of a request is kept. */
export function resetWalk(): void {
  src = end = ip = inserted = 0;
  resetRows();
}

/**
 * Walks the message at [at, at+n) (PAD readable bytes behind it) and writes rows. how: RESOLVE_BEGIN, and then, after a MISS that was inserted
 * or after nextPart(), RESOLVE_ON; RESOLVE_REFUSE + reason refuses the series of the MISS. latest: ms, a point ahead of it is rejected. most: series
 * that the body may have. Returns 0 when the body is done, MISS, PART_TABLE, PART_ROWS, or an error for the whole body.
 */
export function resolve1(at: usize, n: usize, how: i32, forTenant: u32, latest: f64, most: u32): i32 {
  if (how == RESOLVE_BEGIN) {
    src = ip = at;
    end = at + n;
    tenant = forTenant;
    maxTime = <i64>latest;
    maxSeries = most;
    seriesSeen = 0;
    inserted = 0;
    resetRows();
    memory.fill(report, 0, REPORT_WORDS << 2);
  }
  let warm: usize = how == RESOLVE_BEGIN ? AHEAD : 0; // off for the next series after a miss: what is not in the young generation is not hashed twice
  let result: i32 = 0;
  if (how >= RESOLVE_REFUSE) {
    store<u8>(REFUSED, <u8>(how - RESOLVE_REFUSE), 7);
    inserted = REFUSED;
  }
  if (inserted) {
    // The series of the MISS was walked already, and its runs are drafted.
    settle(inserted);
    inserted = 0;
    addReport(R_MISSED, 1);
    ip = seriesEnd;
    if (++seriesSeen > maxSeries) ip = end; // told below
  }
  if (seriesSeen > maxSeries) result = E_SERIES;
  while (ip < end) {
    if (warm >= AHEAD) {
      const done = ahead();
      if (seriesSeen > maxSeries) {
        result = E_SERIES;
        break;
      }
      if (done == <u32>AHEAD || ip >= end) continue;
      if (done == 0) warm = 0;
    }
    const t = tag(ip, end);
    if (next == 0) {
      result = E_PROTO;
      break;
    }
    if (t == 10) {
      const l = length(next, end);
      if (next == 0) {
        result = E_PROTO;
        break;
      }
      result = one(next, next + l);
      if (result < 0) break;
      if (++seriesSeen > maxSeries) {
        result = E_SERIES;
        break;
      }
      ip = seriesEnd;
      warm++;
    } else if (t == 26) {
      const l = length(next, end);
      const e = next + l;
      if (next == 0 || !metadata(next, e)) {
        result = E_PROTO;
        break;
      }
      if (!extendMetadata(ip, <u32>(e - ip))) {
        if (!roomFor(1)) {
          result = PART_ROWS;
          break;
        }
        draft(0, ip, <u32>(e - ip), 1, METADATA);
        commitMetadata();
      }
      received(METADATA, 1);
      ip = e;
    } else {
      ip = t >>> 3 == 1 || t >>> 3 == 3 ? 0 : skip(next, end, t);
      if (ip == 0) {
        result = E_PROTO;
        break;
      }
    }
  }
  setReport(R_SERIES, seriesSeen);
  return result;
}

const TIME_MASK: u64 = 0x808080808080ff00;
const TIME_FORM: u64 = 0x0080808080801000;

/** Whether [p, e) is exactly one sample field: 12 10 09 <8> 10 <6> or, with value 0, 12 07 10 <6>, <6> a time of six bytes. */
// @ts-ignore: decorator
@inline
function plain(p: usize, e: usize): bool {
  if (e - p == 18) return (load<u32>(p) & 0xffffff) == 0x091012 && (load<u64>(p, 10) & TIME_MASK) == TIME_FORM;
  return load<u8>(p) == 18 && (load<u64>(p, 1) & (TIME_MASK | 255)) == (TIME_FORM | 7);
}

/** The time in the last six bytes before e. */
// @ts-ignore: decorator
@inline
function plainTime(e: usize): i64 {
  const w = load<u64>(e - 8) >>> 16;
  return <i64>((w & 127) | ((w >>> 1) & (127 << 7)) | ((w >>> 2) & (127 << 14)) | ((w >>> 3) & (127 << 21)) | ((w >>> 4) & (<u64>127 << 28)) |
    ((w >>> 5) & (<u64>127 << 35)));
}

/**
 * Takes up to AHEAD series that are plain and known: hashes all and loads their slots, then touches the records, then compares.
 * Stops at the first that is anything else. Returns how many it took; moves ip and seriesSeen.
 */
function ahead(): u32 {
  let j = batch;
  let q = ip;
  const je = batch + AHEAD * ENTRY;
  while (j < je && q < end) {
    if (load<u8>(q) != 10) break;
    let l = <usize>load<u8>(q, 1);
    let b = q + 2;
    if (l > 127) {
      const c = <usize>load<u8>(q, 2);
      if (c > 127) break;
      l = (l & 127) | (c << 7);
      b++;
    }
    if (b > end || l > end - b || l <= 20) break;
    const e = b + l;
    let p = e - 18;
    if (!plain(p, e)) {
      p = e - 9;
      if (!plain(p, e)) break;
    }
    if (p - b > maxKey || plainTime(e) > maxTime) break;
    const h = hash(b, p - b, tenant);
    store<u32>(j, <u32>b);
    store<u32>(j, <u32>p, 4);
    store<u32>(j, <u32>e, 8);
    store<u32>(j, h, 12);
    store<u32>(j, <u32>peek(h), 16);
    j += ENTRY;
    q = e;
  }
  const found = j;
  for (j = batch; j < found; j += ENTRY) {
    const E = <usize>load<u32>(j, 16);
    if (E) store<u32>(j, load<u32>(E) ^ load<u32>(E, 44), 20); // only to have them in the cache
  }
  if (!roomFor(AHEAD)) return 0;
  let done: u32 = 0;
  for (j = batch; j < found; j += ENTRY) {
    const b = <usize>load<u32>(j);
    const p = <usize>load<u32>(j, 4);
    const e = <usize>load<u32>(j, 8);
    const E = find(b, p - b, load<u32>(j, 12), tenant);
    if (E == 0) break;
    if (accepted(E)) {
      draft(0, p, <u32>(e - p), 1, SAMPLES);
      commit(E);
    } else refused(E, SAMPLES, 1);
    ip = e;
    done++;
  }
  received(SAMPLES, done);
  seriesSeen += done;
  return done;
}

/** Where the series that one() took ends. */
let seriesEnd: usize = 0;
/** The record under which the series of the last MISS is to be settled; 0 when it is to be looked up again. */
let inserted: usize = 0;
// what walkSeries() found
let front: usize = 0; //        end of the labels at the front
let labels: u32 = 0;
let scattered: u32 = 0; //      of them behind another field
let drafts: usize = 0;
let futures: u32 = 0;
let futureTime: i64 = 0;

/** One TimeSeries, the message at [b, e). Returns 0, and then all of it is committed; or MISS, a PART or an error, and then nothing is. */
function one(b: usize, e: usize): i32 {
  seriesEnd = e;
  const walked = walkSeries(b, e);
  if (walked < 0) return walked;
  if (drafts == 0 && futures == 0) return checkLabels(b, e) ? 0 : E_PROTO;
  keyLabels = labels;
  const whole = takeKey(b, e);
  let E: usize = 0;
  if (whole && labels) {
    keyHash = hash(key, keyLength, tenant);
    E = find(key, keyLength, keyHash, tenant);
    if (E == 0) {
      const from = findOld(key, keyLength, keyHash, tenant);
      if (from) {
        E = move(from, keyHash);
        if (E == 0) return PART_TABLE;
        addReport(R_MOVED, 1);
      }
    }
  }
  if (E == 0) return whole || checkLabels(b, e) ? miss(whole) : E_PROTO;
  settle(E);
  return 0;
}

/** Walks the fields of a series: checks every point, drafts runs, counts labels. Returns 0, E_PROTO, E_RUNS or PART_ROWS. */
function walkSeries(b: usize, e: usize): i32 {
  let p = b;
  labels = scattered = futures = 0;
  drafts = 0;
  while (p < e && load<u8>(p) == 10) {
    const l = length(p + 1, e);
    if (next == 0) return E_PROTO;
    p = next + l;
    labels++;
  }
  front = p;
  let runEnd: usize = 0; // of the last draft
  let runKind: u32 = KINDS;
  while (p < e) {
    const at = p;
    const t = tag(p, e);
    if (next == 0) return E_PROTO;
    p = next;
    const field = t >>> 3;
    const kind = kindOfField(field);
    if (kind == KINDS) {
      if (field == 1) {
        if ((t & 7) != 2) return E_PROTO;
        labels++;
        scattered++;
      }
      p = skip(p, e, t);
      if (p == 0) return E_PROTO;
      continue;
    }
    if ((t & 7) != 2) return E_PROTO;
    const l = length(p, e);
    if (next == 0) return E_PROTO;
    p = next + l;
    if (!point(kind, next, p)) return E_PROTO;
    if (time > maxTime) {
      if (futures == 0) {
        memory.fill(FUTURE, 0, 16);
        futureTime = time;
      }
      futures++;
      store<u32>(FUTURE + (<usize>kind << 2), load<u32>(FUTURE + (<usize>kind << 2)) + 1);
      continue;
    }
    if (kind == runKind && at == runEnd) growDraft(drafts - 1, <u32>(p - at));
    else {
      if (!roomFor(drafts + 1)) return rowsEnd == rowsStart ? E_RUNS : PART_ROWS;
      draft(drafts, at, <u32>(p - at), 1, kind);
      drafts++;
      runKind = kind;
    }
    runEnd = p;
  }
  return 0;
}

/** Whether every label field of the series is a well-formed Label. */
function checkLabels(p: usize, e: usize): bool {
  while (p < e) {
    const t = tag(p, e);
    const q = next;
    p = skip(q, e, t);
    if (t >>> 3 == 1) {
      const l = length(q, p);
      if (!strings(next, next + l, 2)) return false;
    }
  }
  return true;
}

/** Sets key and keyLength; labels that are scattered are gathered. Returns whether the key is all there: it may be longer than maxKey. */
function takeKey(b: usize, e: usize): bool {
  key = b;
  keyLength = front - b;
  if (keyLength > maxKey) return false;
  if (scattered == 0) return true;
  key = gather;
  memory.copy(gather, b, keyLength);
  let p = front;
  while (p < e) {
    const t = tag(p, e);
    const at = next;
    p = skip(at, e, t);
    if (t >>> 3 != 1) continue;
    if (keyLength + 1 + (p - at) > maxKey) return false;
    store<u8>(gather + keyLength, 10); // its own tag may be an overlong one
    memory.copy(gather + keyLength + 1, at, p - at);
    keyLength += 1 + (p - at);
  }
  return true;
}

/** Reports the key; interns its pairs when it is whole and could be inserted. */
function miss(whole: bool): i32 {
  let complete = whole && labels > 0 && labels <= <u32>MAX_LABELS;
  let p = key;
  const e = key + keyLength;
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
    const P = intern(at, p - at);
    if (P == 0) return PART_TABLE;
    store<u32>(ids + (i << 2), <u32>P);
  }
  setReport(R_KEY, <u32>key);
  setReport(R_KEY_SORTED, <u32>sorted);
  setReport(R_KEY_LENGTH, <u32>keyLength);
  setReport(R_KEY_LABELS, complete ? labels : labels == 0 ? 0 : <u32>MAX_LABELS + 1);
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
function settle(E: usize): void {
  const ok = accepted(E);
  for (let i = drafts; i > 0; i--) {
    // commit() moves rowsEnd past the draft; a refused one is passed over by its index
    const r = rowsEnd + (ok ? 0 : (drafts - i) * ROW);
    const kind = <u32>load<u8>(r, 16);
    const n = load<u32>(r, 12);
    received(kind, n);
    if (ok) commit(E);
    else refused(E, kind, n);
  }
  if (futures == 0) return;
  for (let kind: u32 = 0; kind < <u32>METADATA; kind++) {
    const n = load<u32>(FUTURE + (<usize>kind << 2));
    if (n == 0) continue;
    received(kind, n);
    if (ok) rejected(E, REASON_FUTURE, kind, n, futureTime);
    else refused(E, kind, n);
  }
}
