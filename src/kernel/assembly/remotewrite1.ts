import {
  E_PROTO, E_SERIES, E_VERSION, HISTOGRAMS, KINDS, METADATA, PART_ROWS, PART_TABLE, REASON_FUTURE, REASON_UTF8, REPORT_WORDS, RESOLVE_BEGIN, R_MOVED, R_REJECTED,
  R_SERIES, SAMPLES,
} from '../../wire/layout';
import { classicSeries, customPending, endsMore, findClassic } from './custom';
import { beginEnds } from './custom-ends';
import { rememberFamily } from './families';
import { hash } from './hash';
import { plain, plainTime } from './plain';
import { isMetadataText, isText, kindOfField, metadata, point, strings, time } from './points';
import { length, next, skip, tag } from './protobuf';
import { beginRoom } from './room';
import {
  accepted, addReport, commit, commitMetadata, draft, extendMetadata, received, refused, resetRows, roomFor, setReport,
} from './rows';
import { addPoint, bad, beginSeries, beginSettling, drafts, miss, rejectPoint, resetSettling, resume, settle, SETTLED } from './settle';
import { find, findOld, move, peek } from './table';
import { beginTaking, takeHistogram, takeSample } from './take-points';

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
// of the series at hand
let key: usize = 0;
let keyLength: usize = 0;
let batch: usize = 0;
let gather: usize = 0;
let maxKey: usize = 0;
let report: usize = 0;

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
  src = end = ip = 0;
  resetSettling();
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
    beginSettling(forTenant);
    beginTaking(maxTime);
    beginRoom(n, forTenant);
    beginEnds(n, forTenant);
    resetRows();
    memory.fill(report, 0, REPORT_WORDS << 2);
  }
  let warm: usize = how == RESOLVE_BEGIN ? AHEAD : 0; // off for the next series after a miss: what is not in the young generation is not hashed twice
  let result: i32 = 0;
  const resumed = resume(how);
  if (resumed < 0) return resumed;
  if (resumed == SETTLED) {
    ip = seriesEnd;
    seriesSeen += 1 + classicSeries();
    if (seriesSeen > maxSeries) ip = end; // told below
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
      seriesSeen += 1 + classicSeries();
      if (seriesSeen > maxSeries) {
        result = E_SERIES;
        break;
      }
      ip = seriesEnd;
      warm = cold ? 0 : warm + 1;
      cold = false;
    } else if (t == 26) {
      const l = length(next, end);
      const from = next;
      const e = from + l;
      if (from == 0 || !metadata(from, e)) {
        result = E_PROTO;
        break;
      }
      if (!isMetadataText(from, e)) {
        addReport(R_REJECTED + REASON_UTF8 * KINDS + METADATA, 1); // its request would be refused whole
        received(METADATA, 1);
        ip = e;
        continue;
      }
      if (!extendMetadata(ip, <u32>(e - ip))) {
        if (!roomFor(1)) {
          result = PART_ROWS;
          break;
        }
        draft(0, ip, <u32>(e - ip), 1, METADATA, 0);
        commitMetadata();
      }
      received(METADATA, 1);
      rememberFamily(from, e, tenant);
      ip = e;
    } else {
      if (t == 34 || t == 42) {
        result = E_VERSION; // symbols or series of 2.0
        break;
      }
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
    if (E == 0 || endsMore(load<u64>(p, 3), E, load<u32>(j, 12))) break;
    if (accepted(E)) {
      draft(0, p, <u32>(e - p), 1, SAMPLES, 0);
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
/** It was not known. */
let cold: bool = false;
// what walkSeries() found
let front: usize = 0; //        end of the labels at the front
let labels: u32 = 0;
let scattered: u32 = 0; //      of them behind another field

/** One TimeSeries, the message at [b, e). Returns 0, and then all of it is committed; or MISS, a PART or an error, and then nothing is. */
function one(b: usize, e: usize): i32 {
  seriesEnd = e;
  const walked = walkSeries(b, e);
  if (walked < 0) return walked;
  if (drafts == 0 && bad == 0) return checkLabels(b, e) ? 0 : E_PROTO;
  const whole = takeKey(b, e);
  let E: usize = 0;
  let h: u32 = 0;
  if (whole && labels) {
    h = hash(key, keyLength, tenant);
    E = find(key, keyLength, h, tenant);
    if (E == 0) {
      const from = findOld(key, keyLength, h, tenant);
      if (from) {
        E = move(from, h);
        if (E == 0) return PART_TABLE;
        addReport(R_MOVED, 1);
      }
    }
  }
  if (E == 0) {
    cold = true;
    return whole || checkLabels(b, e) ? miss(key, keyLength, labels, h, whole) : E_PROTO;
  }
  if (customPending && accepted(E)) {
    const classic = findClassic(E, drafts, h);
    if (classic < 0) return classic;
  }
  settle(E);
  return 0;
}

/** Walks the fields of a series: checks every point, drafts runs, counts labels. Returns 0, an error or a PART. */
function walkSeries(b: usize, e: usize): i32 {
  let p = b;
  labels = scattered = 0;
  beginSeries();
  while (p < e && load<u8>(p) == 10) {
    const l = length(p + 1, e);
    if (next == 0) return E_PROTO;
    p = next + l;
    labels++;
  }
  front = p;
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
    const from = next;
    p = from + l;
    let taken: i32 = 0;
    if (kind == SAMPLES) taken = takeSample(at, from, p, 0);
    else if (kind == HISTOGRAMS) taken = takeHistogram(at, from, p, 0, 0);
    else if (!point(kind, from, p)) taken = E_PROTO;
    else if (time > maxTime) rejectPoint(REASON_FUTURE, kind, time);
    else if (!isText(from, p)) rejectPoint(REASON_UTF8, kind, time); // its request would be refused whole
    else taken = addPoint(kind, at, p - at, 0);
    if (taken < 0) return taken;
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
