import {
  CONTEXT, E_PROTO, E_RUNS, EXEMPLARS, HISTOGRAMS, KINDS, MISS, MISS_POINT, OTLP_COUNTER, OTLP_EXEMPLAR, OTLP_EXPONENTIAL, OTLP_GAUGE, OTLP_HISTOGRAM,
  OTLP_SUMMARY, OTLP_TARGET, PART_ROWS, PART_TABLE, REASON_BUCKETS, REASON_FUTURE, REASON_NO_VALUE, REASON_TOO_MANY_BUCKETS, REASON_TOO_MANY_LABELS, R_KEY_LABELS, R_MISS,
  R_MISSED, R_MOVED, R_REJECTED, SAMPLES, STATUS_GROUP,
} from '../../wire/layout';
import { customHistogram } from './custom-buckets';
import { exponentialHistogram } from './exponential';
import { hash } from './hash';
import { lastPoint, setLast } from './last-group';
import { keepMade, made, madeLeft, madeSize } from './made';
import {
  copied, copyFiltered, exemplarHasValue, exemplarIds, exemplarRoom, exemplarTime, exemplarValue, exotic, putExemplar, readExemplar,
} from './otlp-exemplar';
import { keyValue } from './otlp-attributes';
import { describe, descriptionRoom } from './otlp-metadata';
import {
  attributeCount, attributes, attributesLength, boundCount, bounds, count, countCount, counts, exemplars, exemplarsField, hasSum, hasValue, stale, start,
  time, tooLong, tooMany, value,
} from './otlp-point';
import { length, next, putVarint64, skip, tag } from './protobuf';
import {
  accepted, addReport, commit, draft, FORM_CLASSIC, FORM_CUSTOM, FORM_POINT, FORM_START, received, refused, roomFor, rowsEnd, rowsStart, setReport,
} from './rows';
import { addGroup, findGroup, findOldGroup, followerOf, ids, intern, internHashed, isGroupOf, isLast, memberOf, membersOf, metaOf, moveGroup, setFollower } from './table';

// From a data point to rows. The key of a point is CONTEXT pairs and its attributes:
//
//   resource   the Resource message
//   scope      u32 length, the InstrumentationScope message, the schema URL; empty where scopes make no labels
//   metric     u8 OTLP_ kind, u32 length of the name, name, unit
//   bounds     explicit bounds, or quantiles, as doubles: what else names its series
//
// The group that is found has as its members, in this order:
//
//   number       the series
//   histogram    a series for each finite bound, +Inf, count, sum; then the native one. Either may be left out by the config
//   exponential  the native series
//   summary      sum, count, a series for each quantile
//   target       target_info, or none
//   exemplar     none; what the host wrote is its metadata: u32 code points, label fields. Where the metric stands in the key: u8 OTLP_EXEMPLAR, u8 the ids it has besides

const NANOS: u64 = 1000000;
const STALE: u64 = 0x7ff0000000000002;
/** Bytes of a sample field at the most. */
const SAMPLE: usize = 40;
/** A sample field whose value, at +3, changes from series to series. */
const TEMPLATE: usize = memory.data(48, 16);
let sampleLength: usize = 0;
let sampleForm: u32 = 0;
/** FORM_POINT until the point has a row. */
let pointForm: u32 = 0;

// the config
/** Explicit histograms become classic series, and native ones. */
let classic: bool = true;
let native: bool = false;
/** Start timestamps are written too: some origin takes them. */
let starts: bool = false;

// the context of the point at hand: pairs and hashes of their bytes
let resource: u32 = 0;
let scope: u32 = 0;
let metric: u32 = 0;
let resourceHash: u32 = 0;
let scopeHash: u32 = 0;
let metricHash: u32 = 0;
let empty: u32 = 0;
let emptyHash: u32 = 0;
let bound: u32 = 0;
let boundHash: u32 = 0;
// the last MISS
let key: usize = 0; //       its pairs
let keyLength: usize = 0; // bytes of its attributes
let keyCount: u32 = 0;
let keyHash: u32 = 0;
let tenant: u32 = 0;
let maxTime: u64 = 0;

/** Bytes of scratch: the key of a point. */
export const SERIES_SCRATCH: usize = 4 * 256;
/** Attributes of a point at the most. */
const MOST_ATTRIBUTES: u32 = 120;
let gather: usize = 0;
let gatherSize: usize = 0;

export function initSeries(scratch: usize, gatherAt: usize, size: usize): void {
  key = scratch;
  gather = gatherAt;
  gatherSize = size;
}

/** What explicit histograms become, and whether start timestamps are wanted. */
export function configureSeries(asClassic: bool, asNative: bool, withStarts: bool): void {
  classic = asClassic;
  native = asNative;
  starts = withStarts;
}

/** Latest: milliseconds. Points are of this tenant. */
export function beginSeries(forTenant: u32, latest: i64): void {
  tenant = forTenant;
  maxTime = <u64>latest;
  leader = 0;
}

/** The pair of the n bytes at p, whose hash is put into `hashed`; 0 when the generation is full. */
function context(p: usize, n: usize): u32 {
  hashed = hash(p, n, 0);
  return <u32>internHashed(p, n, hashed);
}
let hashed: u32 = 0;

/** The points that follow are of this resource. Returns false when the generation is full. */
export function enterResource(p: usize, n: usize): bool {
  empty = context(p, 0);
  emptyHash = hashed;
  resource = context(p, n);
  resourceHash = hashed;
  return empty != 0 && resource != 0;
}

/** n = 0: scopes make no labels. */
export function enterScope(p: usize, n: usize): bool {
  scope = context(p, n);
  scopeHash = hashed;
  return scope != 0;
}

export function enterMetric(p: usize, n: usize): bool {
  metric = context(p, n);
  metricHash = hashed;
  bound = empty;
  boundHash = emptyHash;
  return metric != 0;
}

/** The group of the last lookUp(). */
let group: usize = 0;
/** The point is rejected: `why` says for what reason; `known` whether the table has it, so that its attributes are well-formed. */
export const REJECTED: i32 = 1;
export let why: u32 = 0;
export let known: bool = false;

function reject(reason: i32): i32 {
  why = <u32>reason;
  return REJECTED;
}

/** The group that was found last, if there is one and it can note which comes behind it: senders keep their order, so that one is looked at first. */
let leader: usize = 0;

/** The group that was found is what comes behind the one before. */
function follow(): void {
  if (leader) setFollower(leader, group);
  leader = load<u8>(group, 7) == <u8>STATUS_GROUP ? group : 0;
}

/** The table turned over, or another request begins: what was found last means nothing. */
export function forgetLeader(): void {
  leader = 0;
}

/** Finds the group with the context at hand and n attributes, L bytes at p. Returns 0; MISS, PART_TABLE or E_PROTO; REJECTED when it can't be in the table. */
function lookUp(p: usize, L: usize, n: u32): i32 {
  setContext(ids);
  if (leader) {
    group = followerOf(leader);
    if (group != 0 && isGroupOf(group, p, L, n, tenant, true)) {
      leader = load<u8>(group, 7) == <u8>STATUS_GROUP ? group : 0;
      return 0;
    }
  }
  let seed = resourceHash * 0x9e3779b1 + scopeHash;
  seed = seed * 0x85ebca77 + metricHash;
  seed = seed * 0xc2b2ae3d + boundHash + tenant;
  const h = hash(p, L, seed);
  group = findGroup(p, L, n, h, tenant);
  if (group) {
    follow();
    return 0;
  }
  const from = findOldGroup(p, L, n, h, tenant);
  if (from) {
    group = moveGroup(from, h);
    addReport(R_MOVED, 1);
    if (group == 0) return PART_TABLE;
    follow();
    return 0;
  }
  keyLength = L;
  keyCount = n;
  keyHash = h;
  const e = p + L;
  setContext(key);
  for (let i: usize = CONTEXT; p < e; i++) {
    const l = length(p + 1, e);
    const f = next + l;
    if (!keyValue(next, f)) return E_PROTO;
    const P = intern(p + 1, f - p - 1);
    if (P == 0) return PART_TABLE;
    store<u32>(key + (i << 2), <u32>P);
    p = f;
  }
  memory.copy(ids, key, <usize>(n + CONTEXT) << 2);
  setReport(R_KEY_LABELS, n + CONTEXT);
  setReport(R_MISS, MISS_POINT);
  return MISS;
}

// @ts-ignore: decorator
@inline
function setContext(at: usize): void {
  store<u32>(at, resource);
  store<u32>(at, scope, 4);
  store<u32>(at, metric, 8);
  store<u32>(at, bound, 12);
}

/** Adds the group of the last MISS, its members those that were added since beginGroup(). Returns false when the generation is full. */
export function insertPoint(status: u32, meta: u32): bool {
  addReport(R_MISSED, 1);
  return addGroup(key, keyLength, keyHash, tenant, keyCount + CONTEXT, status, meta);
}

/** Series that were made of the last point. */
export let series: u32 = 0;

/**
 * The rows of the point that walkPoint() has walked and judgePoint() takes, [p, e). Returns 0, and then all of it is committed; REJECTED, MISS, a PART or an error, and then
 * nothing is. R_RECEIVED counts what is made of it.
 */
export function resolvePoint(kind: u32, p: usize, e: usize): i32 {
  exemplarsRoom = 0;
  series = 0;
  const from = halted ? haltedAt : p;
  if (halted) {
    group = halted;
    halted = 0;
  } else {
    const found = findPoint(kind);
    if (found) return found;
  }
  const G = group;
  const members = membersOf(G);
  let wanted = kind == OTLP_GAUGE || kind == OTLP_SUMMARY ? 0 : exemplars;
  if (wanted) {
    // Exemplars that don't fit, even alone, cost the point nothing.
    if (!roomFor(<usize>members + 1 + <usize>wanted * (classic && native ? 2 : 1))) {
      if (!alone()) return PART_ROWS;
      wanted = 0;
    } else {
      const result = knowExemplars(kind, from, e, G);
      if (result) return result;
      if (exemplarsRoom > madeLeft()) {
        if (!alone()) return tooFew();
        wanted = 0;
        exemplarsRoom = 0;
      }
    }
  }
  if (!roomFor(<usize>members + 1) || madeLeft() < <usize>members * SAMPLE + exemplarsRoom + descriptionRoom(metaOf(G))) {
    if (wanted == 0 || !alone()) return tooFew();
    wanted = 0;
    exemplarsRoom = 0;
    if (madeLeft() < <usize>members * SAMPLE + descriptionRoom(metaOf(G))) return tooFew();
  }
  if (kind == OTLP_EXPONENTIAL || (native && kind == OTLP_HISTOGRAM)) {
    let n = nativeHistogram(G, kind, p, e);
    if (n == 0 && wanted && alone()) {
      wanted = 0;
      exemplarsRoom = 0;
      n = nativeHistogram(G, kind, p, e);
    }
    if (n == 0) return alone() ? reject(REASON_TOO_MANY_BUCKETS) : tooFew();
    if (n < 0) return n == E_PROTO ? n : reject(-n);
  }
  series = members;
  describe(metaOf(G));
  beginSamples();
  if (kind <= <u32>OTLP_COUNTER) sample(memberOf(G, 0), value, 0);
  else if (kind == OTLP_HISTOGRAM) {
    if (native) histogramRow(memberOf(G, members - 1), FORM_CUSTOM);
    if (classic) classicHistogram(G, native ? members - 1 : members);
  } else if (kind == OTLP_EXPONENTIAL) histogramRow(memberOf(G, 0), 0);
  else summary(G);
  if (wanted) putExemplars(kind, G, members, p, e);
  else if (exemplars && kind != OTLP_GAUGE && kind != OTLP_SUMMARY) leaveOut(REASON_TOO_MANY_BUCKETS, exemplars);
  exemplarsRoom = 0;
  bare = false;
  return 0;
}

/** The REASON_ why the point that was walked last is rejected whatever series it is of; 0 when there is none. */
// @ts-ignore: decorator
@inline
export function judgePoint(kind: u32): u32 {
  if (tooMany) return REASON_TOO_MANY_BUCKETS;
  if (tooLong || attributeCount > MOST_ATTRIBUTES) return REASON_TOO_MANY_LABELS;
  if (kind <= <u32>OTLP_COUNTER) return hasValue || stale ? 0 : REASON_NO_VALUE;
  return kind == OTLP_HISTOGRAM && countCount != 0 && countCount != boundCount && countCount != boundCount + 1 ? REASON_BUCKETS : 0;
}

/** Finds the group of the point at hand. Returns 0, REJECTED, MISS, PART_TABLE or E_PROTO. */
function findPoint(kind: u32): i32 {
  known = false;
  let last: usize = 0;
  if (kind == OTLP_HISTOGRAM || kind == OTLP_SUMMARY) {
    if (stale && boundCount == 0) last = lastWithBounds();
    if (last) bound = context(last + 8, <usize>load<u32>(last));
    else bound = context(bounds, <usize>boundCount << 3);
    boundHash = hashed;
    if (bound == 0) return PART_TABLE;
  }
  const found = lookUp(attributes, attributesLength, attributeCount);
  if (found) return found;
  known = true;
  const status = <i32>load<u8>(group, 7);
  if (status != STATUS_GROUP) return reject(status);
  if ((boundCount == 0 && last == 0) || isLast(group) || (kind == OTLP_HISTOGRAM && !classic)) return 0;
  return setLast(group, hashWithoutBounds(), CONTEXT - 1) ? 0 : PART_TABLE;
}

/** What the key of the point at hand hashes to, whatever its bounds. */
function hashWithoutBounds(): u32 {
  const seed = (resourceHash * 0x9e3779b1 + scopeHash) * 0x85ebca77 + metricHash;
  return hash(attributes, attributesLength, seed * 0x27d4eb2f + tenant);
}

/** The bounds, or quantiles, of the series' last point that had some: a pair of either generation, 0 when they are not known. One without a value often has none. */
function lastWithBounds(): usize {
  setContext(ids);
  const G = lastPoint(attributes, attributesLength, attributeCount, hashWithoutBounds(), tenant);
  return G ? <usize>load<u32>(G, 8 + 4 * (CONTEXT - 1)) : 0;
}

/** The rows or the room for points are used up. */
function tooFew(): i32 {
  exemplarsRoom = 0;
  return alone() ? E_RUNS : PART_ROWS;
}

/** Whether the point at hand has all the room there is. Series that are dropped leave no rows, but what was made of them. */
function alone(): bool {
  return rowsEnd == rowsStart && madeLeft() == madeSize();
}

// Samples

/** Writes the parts of a sample that are the same for all series of the point. */
function beginSamples(): void {
  const at = start / NANOS;
  let op = TEMPLATE + 11;
  store<u8>(op, 16);
  op = putVarint64(op + 1, time / NANOS);
  sampleForm = 0;
  pointForm = FORM_POINT;
  if (starts && at != 0) {
    store<u8>(op, 24);
    op = putVarint64(op + 1, at);
    sampleForm = FORM_START;
  }
  sampleLength = op - TEMPLATE;
  store<u8>(TEMPLATE, 18);
  store<u8>(TEMPLATE, <u8>(sampleLength - 2), 1);
  store<u8>(TEMPLATE, 9, 2);
}

/** One sample of the series. form: FORM_CLASSIC for one that stands in for a histogram. */
// @ts-ignore: decorator
@inline
function sample(E: usize, bits: u64, form: u32): void {
  if (!(form & FORM_CLASSIC)) received(SAMPLES, 1);
  if (!accepted(E)) {
    if (!(form & FORM_CLASSIC)) refused(E, SAMPLES, 1);
    return;
  }
  const at = made;
  v128.store(at, v128.load(TEMPLATE));
  v128.store(at, v128.load(TEMPLATE, 16), 16);
  if (sampleLength > 32) store<u64>(at, load<u64>(TEMPLATE, 32), 32);
  store<u64>(at, stale ? STALE : bits, 3);
  keepMade(at + sampleLength);
  draft(0, at, <u32>sampleLength, 1, SAMPLES, form | sampleForm | pointForm);
  pointForm = 0;
  commit(E);
}

function classicHistogram(G: usize, members: u32): void {
  const form = native ? FORM_CLASSIC : 0;
  const finite = members - 3;
  const n = min(finite, countCount);
  // Those without a value end all that they name, or that the last one named.
  if (stale) for (let i = n; i < finite; i++) sample(memberOf(G, i), STALE, form);
  let total: u64 = 0;
  for (let i: u32 = 0; i < n; i++) {
    total += load<u64>(counts + (<usize>i << 3));
    sample(memberOf(G, i), bitsOf(total), form);
  }
  sample(memberOf(G, finite), bitsOf(count), form);
  sample(memberOf(G, finite + 1), bitsOf(count), form);
  if (hasSum || (stale && finite > boundCount)) sample(memberOf(G, finite + 2), value, form);
}

function summary(G: usize): void {
  sample(memberOf(G, 0), value, 0);
  sample(memberOf(G, 1), bitsOf(count), 0);
  for (let i: u32 = 2, n = membersOf(G); i < n; i++) sample(memberOf(G, i), stale ? STALE : load<u64>(counts + (<usize>(i - 2) << 3)), 0);
}

// @ts-ignore: decorator
@inline
function bitsOf(n: u64): u64 {
  return reinterpret<u64>(<f64>n);
}

// Native histograms

/** The histogram that nativeHistogram() made: its field, where the samples of the point will begin. */
let histogramAt: usize = 0;
let histogramLength: u32 = 0;

/** Writes the point as a native histogram. Returns a length; 0: there is no room; below zero: -REASON_ or an error. */
function nativeHistogram(G: usize, kind: u32, p: usize, e: usize): i32 {
  const room = madeLeft();
  const other = <usize>membersOf(G) * SAMPLE + exemplarsRoom + descriptionRoom(metaOf(G));
  if (room <= other) return 0;
  const at = made;
  const n = kind == OTLP_EXPONENTIAL ? exponentialHistogram(p, e, starts, at + 6, room - other) : customHistogram(p, e, starts, at + 6, room - other);
  if (n <= 0) return n;
  store<u8>(at, 34);
  const to = putVarint64(at + 1, <u64>n);
  memory.copy(to, at + 6, <usize>n);
  histogramAt = at;
  histogramLength = <u32>(to + <usize>n - at);
  keepMade(at + histogramLength);
  return n;
}

function histogramRow(E: usize, form: u32): void {
  received(HISTOGRAMS, 1);
  if (!accepted(E)) {
    refused(E, HISTOGRAMS, 1);
    return;
  }
  draft(0, histogramAt, histogramLength, 1, HISTOGRAMS, pointForm | (starts && start >= NANOS ? form | FORM_START : form));
  pointForm = 0;
  commit(E);
}

// Exemplars

/** Bytes that the exemplars of the point may take. */
let exemplarsRoom: usize = 0;
/** Lookups of exotic attributes that a body may cause; the exemplars that come after keep their ids alone. */
const MOST_EXOTIC: u32 = 20000;
let exoticLeft: u32 = 0;
/** Exotic exemplars of the point at hand whose attributes are known: its first ones. */
let knownExotic: u32 = 0;
/** Attributes of the point at hand's exemplars are not looked up: not even an empty generation has room for all of them. */
let bare: bool = false;
// the point of the last MISS, where it was about an exemplar: its group, and where its walk goes on
let halted: usize = 0;
let haltedAt: usize = 0;
let haltedRoom: usize = 0;

/** A body begins, or is done. */
export function forgetExemplars(): void {
  exemplarsRoom = 0;
  exoticLeft = MOST_EXOTIC;
  bare = false;
  halted = 0;
}

/** The table has turned over; again: it had to at the same point before. */
export function forgetPoint(again: bool): void {
  halted = 0;
  bare = again;
}

/** Whether resolvePoint() goes on inside the point that was walked last. */
// @ts-ignore: decorator
@inline
export function isHalted(): bool {
  return halted != 0;
}

/** Finds what the host wrote of exotic attributes, of the exemplars from p on. Returns 0 and sets exemplarsRoom; or as lookUp(). */
function knowExemplars(kind: u32, p: usize, e: usize, G: usize): i32 {
  const field = exemplarsField(kind);
  let room: usize = haltedRoom;
  haltedRoom = 0;
  if (room == 0) knownExotic = 0;
  while (p < e) {
    const at = p;
    const t = tag(p, e);
    const from = next;
    p = skip(from, e, t);
    if (t >>> 3 != field) continue;
    const l = length(from, e);
    const q = next;
    readExemplar(q, q + l);
    if (exotic && !bare && exoticLeft > 0) {
      const found = writtenAttributes(q, q + l);
      if (found) {
        if (found == MISS) {
          halted = G;
          haltedAt = at;
          haltedRoom = room;
        }
        return found;
      }
      exoticLeft--;
      knownExotic++;
      room += written;
    }
    room += exemplarRoom(l);
  }
  exemplarsRoom = room;
  return 0;
}

/** The label fields that the host wrote of an exemplar's attributes, their length and code points. */
let labels: usize = 0;
let written: usize = 0;
let points: u32 = 0;

/** Looks the exotic attributes of the exemplar that was read last up. Returns 0, MISS, E_PROTO or PART_TABLE; sets labels, written, points: written = 0 when they make none. */
function writtenAttributes(p: usize, e: usize): i32 {
  labels = 0;
  written = 0;
  points = 0;
  const n = copyFiltered(p, e, gather, gatherSize);
  if (n < 0) return 0;
  store<u8>(KIND, <u8>OTLP_EXEMPLAR);
  store<u8>(KIND, <u8>exemplarIds(), 1);
  if (!enterOther(2)) {
    leaveOther();
    return PART_TABLE;
  }
  const found = lookUp(gather, <usize>n, copied);
  leaveOther();
  if (found) return found == REJECTED ? 0 : found;
  const M = metaOf(group);
  if (load<u8>(group, 7) != <u8>STATUS_GROUP || M == 0) return 0;
  points = load<u32>(M, 8);
  labels = M + 12;
  written = <usize>load<u32>(M) - 4;
  return 0;
}

const KIND: usize = memory.data(8, 8);
const SAVED: usize = memory.data(32, 8);

/** Puts what is no metric, the n bytes at KIND, in the context's place. Returns false when the generation is full. */
function enterOther(n: usize): bool {
  store<u32>(SAVED, resource);
  store<u32>(SAVED, resourceHash, 4);
  store<u32>(SAVED, scope, 8);
  store<u32>(SAVED, scopeHash, 12);
  store<u32>(SAVED, metric, 16);
  store<u32>(SAVED, metricHash, 20);
  store<u32>(SAVED, bound, 24);
  store<u32>(SAVED, boundHash, 28);
  metric = context(KIND, n);
  metricHash = hashed;
  scope = bound = empty;
  scopeHash = boundHash = emptyHash;
  if (load<u8>(KIND) == <u8>OTLP_EXEMPLAR) {
    resource = empty;
    resourceHash = emptyHash;
  }
  return metric != 0;
}

function leaveOther(): void {
  resource = load<u32>(SAVED);
  resourceHash = load<u32>(SAVED, 4);
  scope = load<u32>(SAVED, 8);
  scopeHash = load<u32>(SAVED, 12);
  metric = load<u32>(SAVED, 16);
  metricHash = load<u32>(SAVED, 20);
  bound = load<u32>(SAVED, 24);
  boundHash = load<u32>(SAVED, 28);
}

function putExemplars(kind: u32, G: usize, members: u32, p: usize, e: usize): void {
  const field = exemplarsField(kind);
  const last = memberOf(G, members - 1);
  let left = knownExotic;
  while (p < e) {
    const t = tag(p, e);
    const from = next;
    p = skip(from, e, t);
    if (t >>> 3 != field) continue;
    const l = length(from, e);
    const q = next;
    readExemplar(q, q + l);
    labels = written = 0;
    points = 0;
    if (exotic && left > 0) {
      left--;
      writtenAttributes(q, q + l);
    }
    if (!exemplarHasValue() || exemplarTime() > maxTime) {
      leaveOut(exemplarHasValue() ? REASON_FUTURE : REASON_NO_VALUE, 1); // it costs the point nothing
      continue;
    }
    exemplarAt = made;
    keepMade(putExemplar(q, q + l, made, labels, written, points));
    if (kind != OTLP_HISTOGRAM) exemplarRow(memberOf(G, 0), 0);
    else {
      if (classic) exemplarRow(memberOf(G, bucketOf(native ? members - 1 : members)), native ? FORM_CLASSIC : 0);
      if (native) exemplarRow(last, FORM_CUSTOM);
    }
  }
}

/** The exemplar that was made last. */
let exemplarAt: usize = 0;

/** The exemplar that was made last is one of the series. */
function exemplarRow(E: usize, form: u32): void {
  if (!(form & FORM_CLASSIC)) received(EXEMPLARS, 1);
  if (!accepted(E)) {
    if (!(form & FORM_CLASSIC)) refused(E, EXEMPLARS, 1);
    return;
  }
  draft(0, exemplarAt, <u32>(made - exemplarAt), 1, EXEMPLARS, form);
  commit(E);
}

/** Counts n exemplars that are not written, though their point is. */
function leaveOut(reason: u32, n: u32): void {
  received(EXEMPLARS, n);
  addReport(R_REJECTED + reason * KINDS + EXEMPLARS, n);
}

/** Member of the first bucket that is written and whose bound is not below the exemplar that was read last; +Inf's when there is none. */
function bucketOf(members: u32): u32 {
  const v = exemplarValue();
  let low: u32 = 0;
  const finite = members - 3;
  let high = min(min(finite, boundCount), countCount);
  const all = high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (v <= load<f64>(bounds + (<usize>middle << 3))) high = middle;
    else low = middle + 1;
  }
  return low < all ? low : finite;
}

// target_info

/** Steps of target_info: half of Prometheus' lookback. Nanoseconds. */
const STEP: u64 = 150000000000;
/** Samples of one target_info at the most: a day of them. */
const MOST_STEPS: u64 = 576;
const ONE: u64 = 0x3ff0000000000000;

/** The rows of target_info for the resource at hand, whose points have these times. Returns 0, MISS, a PART or an error; then nothing is committed. */
export function resolveTarget(earliest: u64, latest: u64): i32 {
  store<u8>(KIND, <u8>OTLP_TARGET);
  if (!enterOther(1)) {
    leaveOther();
    return PART_TABLE;
  }
  const found = lookUp(KIND, 0, 0);
  leaveOther();
  series = 0;
  if (found) return found;
  if (load<u8>(group, 7) != <u8>STATUS_GROUP || membersOf(group) == 0) return 0;
  describe(0);
  const E = memberOf(group, 0);
  let steps = latest > earliest ? (latest - earliest + STEP - 1) / STEP : 0;
  if (steps > MOST_STEPS) {
    steps = MOST_STEPS;
    earliest = latest - MOST_STEPS * STEP;
  }
  const n = <u32>steps + 1;
  series = 1;
  if (accepted(E) && (!roomFor(1) || madeLeft() < <usize>n * SAMPLE)) return tooFew();
  if (!accepted(E)) {
    received(SAMPLES, n);
    refused(E, SAMPLES, n);
    return 0;
  }
  const first = made;
  let before: u64 = u64.MAX_VALUE;
  let kept: u32 = 0;
  for (let i: u64 = 0; i < <u64>n; i++) {
    const ms = (i < steps ? earliest + i * STEP : latest) / NANOS;
    if (ms == before) continue; // sent once
    before = ms;
    const at = made;
    store<u8>(at, 18);
    store<u8>(at, 9, 2);
    store<u64>(at, ONE, 3);
    store<u8>(at, 16, 11);
    const end = putVarint64(at + 12, ms);
    store<u8>(at, <u8>(end - at - 2), 1);
    keepMade(end);
    kept++;
  }
  received(SAMPLES, kept);
  draft(0, first, <u32>(made - first), kept, SAMPLES, 0);
  commit(E);
  return 0;
}
