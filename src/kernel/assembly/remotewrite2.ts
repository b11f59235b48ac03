import {
  E_EXPANDS, E_PROTO, E_REFS, E_SERIES, MAX_LABELS, PART_TABLE, REPORT_WORDS, RESOLVE_BEGIN, R_MOVED, R_SERIES, SAMPLES,
} from '../../wire/layout';
import { classicSeries, customPending, endsMore, findClassic } from './custom';
import { beginEnds } from './custom-ends';
import {
  beginDescription, beginMetadata, commitFamily, draftFamily, isDescribed, readMetadata, recordOf, restoreDescription, saveDescription,
} from './metadata';
import { plain, plainStarted, plainTime } from './plain';
import { length, next, skip, tag, varint } from './protobuf';
import { beginRoom, full, spend } from './room';
import { accepted, addReport, commit, describeDraft, draft, FORM_START, FORM_V2, received, refused, resetRows, roomFor, setReport } from './rows';
import { bad, beginSeries, beginSettling, describeSeries, drafts, miss, restartSeries, resume, settle, SETTLED } from './settle';
import {
  beginRefs, hashRefs, indexSymbols, labelSize, nameRef, putLabel, readRefs, refCount, REFS, sameOldPairs, samePairs, symbolsHold,
} from './symbols';
import { firstOldUnder, firstUnder, isGroup, move, nextUnder, peek } from './table';
import { takeExemplar } from './take-exemplar';
import { beginTaking, takeHistogram, takeSample } from './take-points';

// Remote write 2.0 (spec 2.1):
//
//   Request      symbols=4 rep string   timeseries=5 rep TimeSeries
//   TimeSeries   labels_refs=1 rep uint32   samples=2 rep Sample   histograms=3 rep Histogram   exemplars=4 rep Exemplar   metadata=5 Metadata
//                created_timestamp=6 int64, up to rc.3
//
// A body is walked twice: first along its top level, to find its symbols, then series by series. A series is looked up by the hashes of its labels' symbols, and its
// labels are compared with those of the record found; they are written out, as fields of 1.0, only when it is new.

let src: usize = 0;
let end: usize = 0;
let ip: usize = 0; //           the next field of the message
let tenant: u32 = 0;
let maxTime: i64 = 0;
let maxSeries: u32 = 0;
let seriesSeen: u32 = 0;
let gather: usize = 0;
let maxKey: usize = 0;
let report: usize = 0;

const AHEAD: usize = 8; //      series looked up together, so that their cache misses overlap
const ENTRY: usize = 48;
const batch: usize = memory.data(384, 16); //      AHEAD * ENTRY
const lists: usize = memory.data(8192, 16); //     AHEAD * REFS
/** Refs of the series at hand. */
const refs: usize = memory.data(1024, 16); //      REFS

/** keyAt: `keyCap` bytes for the labels of a series, written out. */
export function initWalk2(keyAt: usize, keyCap: usize, reportAt: usize): void {
  gather = keyAt;
  maxKey = keyCap;
  report = reportAt;
}

/** As resolve1() (remotewrite1.ts), for a Request of 2.0. Metadata of series makes rows of metadata, one for each family. */
export function resolve2(at: usize, n: usize, how: i32, forTenant: u32, latest: f64, most: u32): i32 {
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
    beginMetadata(n);
    resetRows();
    memory.fill(report, 0, REPORT_WORDS << 2);
  }
  if (!symbolsHold()) {
    // Another part: its walk along the top level is paid for like labels, or a body of many parts would take its own length over and over.
    if (how != RESOLVE_BEGIN && !spend(<u64>(end - src))) return E_EXPANDS;
    const indexed = indexSymbols(src, end);
    if (indexed < 0) return indexed;
  }
  let result: i32 = 0;
  let warm: usize = how == RESOLVE_BEGIN ? AHEAD : 0; // off for the next series after a miss
  const resumed = resume(how);
  if (resumed < 0) return resumed;
  if (resumed == SETTLED) {
    commitFamily();
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
    if (t != 42) {
      ip = skip(next, end, t); // indexSymbols() took it
      continue;
    }
    const l = length(next, end);
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
  }
  setReport(R_SERIES, seriesSeen);
  return result;
}

/** Where the series that one() took ends. */
let seriesEnd: usize = 0;
/** It was not known. */
let cold: bool = false;
/** Its created timestamp. */
let created: i64 = 0;

/** One TimeSeries, the message at [b, e). Returns 0, and then all of it is committed; or MISS, a PART or an error, and then nothing is. */
function one(b: usize, e: usize): i32 {
  seriesEnd = e;
  created = 0;
  beginSeries();
  let walked = walkSeries(b, e, 0);
  if (walked == 0 && created != 0 && drafts != 0) {
    restartSeries();
    walked = walkSeries(b, e, created);
  }
  if (walked < 0) return walked;
  if (refCount & 1) return E_REFS;
  const n = refCount >>> 1;
  if (isDescribed()) {
    const at = recordOf();
    if (at == 0 && drafts) return full(E_EXPANDS);
    describeSeries(at);
    const name = metricName(refs, min(n, <u32>MAX_LABELS));
    if (name && !draftFamily(name, drafts)) return full(E_EXPANDS);
  }
  if (drafts == 0 && bad == 0) {
    commitFamily();
    return 0;
  }
  const whole = n <= <u32>MAX_LABELS;
  let E: usize = 0;
  let h: u32 = 0;
  if (whole && n) {
    h = hashRefs(tenant);
    E = find(h, refs, n);
    if (E == 0) {
      const from = findOld(h, n);
      if (from) {
        E = move(from, h);
        if (E == 0) return PART_TABLE;
        addReport(R_MOVED, 1);
      }
    }
  }
  if (E == 0) {
    const result = missed(n, h, whole);
    if (result == 0) {
      commitFamily();
      cold = true;
    }
    return result;
  }
  if (!spend(load<u32>(E))) return E_EXPANDS;
  if (customPending && accepted(E)) {
    const classic = findClassic(E, drafts, h);
    if (classic < 0) return classic;
  }
  settle(E);
  commitFamily();
  return 0;
}

/** The young series of the n labels whose refs stand at `at`; 0 when there is none. */
// @ts-ignore: decorator
@inline
function find(h: u32, at: usize, n: u32): usize {
  let E = firstUnder(h);
  while (E) {
    if (!isGroup(E) && <u32>load<u8>(E, 6) == n && load<u16>(E, 4) == <u16>tenant && samePairs(E, at, n)) break;
    E = nextUnder();
  }
  return E;
}

/** The old one of the labels at hand. */
function findOld(h: u32, n: u32): usize {
  let E = firstOldUnder(h);
  while (E) {
    if (!isGroup(E) && <u32>load<u8>(E, 6) == n && load<u16>(E, 4) == <u16>tenant && sameOldPairs(E, refs, n)) break;
    E = nextUnder();
  }
  return E;
}

/** Writes the labels of the series at hand out and reports it as missed. One with a longer key than is looked up is reported with its first labels. */
function missed(n: u32, h: u32, whole: bool): i32 {
  let L: usize = 0;
  let op = gather;
  const stored = min(n, <u32>MAX_LABELS);
  for (let at = refs, all = refs + (<usize>stored << 3); at < all; at += 8) {
    const size = labelSize(load<u32>(at), load<u32>(at, 4));
    L += size;
    if (L > maxKey) {
      whole = false;
      break;
    }
    if (!spend(size)) return E_EXPANDS;
    op = putLabel(op, load<u32>(at), load<u32>(at, 4));
  }
  return miss(gather, op - gather, n, h, whole);
}

/** The value of `__name__` among the n labels at `at`: its ref, 0 for none. */
// @ts-ignore: decorator
@inline
function metricName(at: usize, n: u32): u32 {
  if (nameRef == 0) return 0;
  for (const all = at + (<usize>n << 3); at < all; at += 8) if (load<u32>(at) == nameRef) return load<u32>(at, 4);
  return 0;
}

/** Walks the fields of a series: checks every point and ref, drafts runs. createdAt: start timestamp for points that have none. Returns 0, an error or a PART. */
function walkSeries(b: usize, e: usize, createdAt: i64): i32 {
  let p = b;
  beginRefs(refs);
  beginDescription();
  while (p < e) {
    const at = p;
    const t = tag(p, e);
    if (next == 0) return E_PROTO;
    p = next;
    const field = t >>> 3;
    let taken: i32 = 0;
    if ((t & 7) == 2 && field < 6) {
      const l = length(p, e);
      if (next == 0) return E_PROTO;
      const from = next;
      p = from + l;
      if (field == 1) taken = readRefs(from, p) ? 0 : E_REFS;
      else if (field == 2) taken = takeSample(at, from, p, createdAt);
      else if (field == 3) taken = takeHistogram(at, from, p, createdAt, FORM_V2);
      else if (field == 4) taken = takeExemplar(from, p);
      else taken = readMetadata(from, p);
    } else if (t == 8 || t == 48) {
      const v = varint(p, e);
      if (next == 0) return E_PROTO;
      const from = p;
      p = next;
      if (t == 48) created = <i64>v;
      else if (!readRefs(from, p)) taken = E_REFS;
    } else {
      if (field < 7) return E_PROTO;
      p = skip(p, e, t);
      if (p == 0) return E_PROTO;
    }
    if (taken < 0) return taken;
  }
  return 0;
}

/**
 * Takes up to AHEAD series that are refs, then one plain sample, then perhaps metadata, and are known: hashes all and loads their slots, then touches the records,
 * then compares. Stops at the first that is anything else. Returns how many it took; moves ip and seriesSeen.
 */
function ahead(): u32 {
  if (!roomFor(2 * AHEAD)) return 0;
  let j = batch;
  let list = lists;
  let q = ip;
  const je = batch + AHEAD * ENTRY;
  while (j < je && q < end) {
    if (load<u8>(q) != 42) break;
    let l = <usize>load<u8>(q, 1);
    let p = q + 2;
    if (l > 127) {
      const c = <usize>load<u8>(q, 2);
      if (c > 127) break;
      l = (l & 127) | (c << 7);
      p++;
    }
    if (p > end || l > end - p || l < 12) break;
    const e = p + l;
    const r = <usize>load<u8>(p, 1);
    p += 2;
    if (load<u8>(p - 2) != 10 || r > 127 || r > e - p) break;
    beginRefs(list);
    if (!readRefs(p, p + r) || refCount == 0 || refCount & 1 || refCount > 2 * <u32>MAX_LABELS) break;
    p += r;
    // the sample
    if (e - p < 9 || load<u8>(p) != 18) break;
    const s = <usize>load<u8>(p, 1);
    const to = p + 2 + s;
    if (s > 23 || to > e) break;
    const started = s == 23 || s == 14;
    if (started ? !plainStarted(p, to) : (s != 16 && s != 7) || !plain(p, to)) break;
    if (plainTime(started ? to - 7 : to) > maxTime) break;
    // the metadata
    beginDescription();
    if (to != e) {
      const m = <usize>load<u8>(to, 1);
      if (load<u8>(to) != 42 || m > 127 || to + 2 + m != e || readMetadata(to + 2, e) < 0) break;
    }
    const h = hashRefs(tenant);
    saveDescription(j + 32);
    store<u32>(j, <u32>p);
    store<u32>(j, <u32>(to - p), 4);
    store<u32>(j, <u32>e, 8);
    store<u32>(j, h, 12);
    store<u32>(j, <u32>peek(h), 16);
    store<u32>(j, refCount >>> 1, 20);
    store<u32>(j, started ? FORM_START : 0, 24);
    j += ENTRY;
    list += REFS;
    q = e;
  }
  const found = j;
  for (j = batch; j < found; j += ENTRY) {
    const E = <usize>load<u32>(j, 16);
    if (E) store<u32>(j, load<u32>(E) ^ load<u32>(E, 44), 28); // only to have them in the cache
  }
  let done: u32 = 0;
  list = lists;
  for (j = batch; j < found; j += ENTRY) {
    const n = load<u32>(j, 20);
    const E = find(load<u32>(j, 12), list, n);
    if (E == 0 || endsMore(load<u64>(<usize>load<u32>(j), 3), E, load<u32>(j, 12)) || !spend(load<u32>(E))) break;
    restoreDescription(j + 32);
    let at: u32 = 0;
    if (isDescribed()) {
      at = recordOf();
      if (at == 0) break;
      const name = metricName(list, n);
      if (name && !draftFamily(name, 1)) break;
    }
    if (accepted(E)) {
      draft(0, <usize>load<u32>(j), load<u32>(j, 4), 1, SAMPLES, load<u32>(j, 24));
      describeDraft(0, at);
      commit(E);
    } else refused(E, SAMPLES, 1);
    commitFamily();
    ip = <usize>load<u32>(j, 8);
    list += REFS;
    done++;
  }
  received(SAMPLES, done);
  seriesSeen += done;
  return done;
}
