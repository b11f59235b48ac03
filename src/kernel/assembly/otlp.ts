import {
  E_PROTO, E_SERIES, NOTES, OTLP_COUNTER, OTLP_EXPONENTIAL, OTLP_GAUGE, OTLP_HISTOGRAM, OTLP_SUM, OTLP_SUMMARY, PART_TABLE, REASON_DELTA,
  REASON_FUTURE, REASON_METRIC_NAME, REASON_NO_TIME, REASON_TEMPORALITY, REASON_TOO_MANY_LABELS, REPORT_WORDS, RESOLVE_BEGIN, RESOLVE_REFUSE, R_NOTED, R_NOTES, R_POINTS,
  R_POINTS_DROPPED, R_POINTS_REJECTED, R_SERIES,
} from '../../wire/layout';
import { keyValue } from './otlp-attributes';
import { limitExemplars } from './otlp-exemplar';
import { beginMetadata, configureMetadata, enterDescription } from './otlp-metadata';
import { checkAttributes, initPoint, POINT_SCRATCH, time, walkPoint } from './otlp-point';
import {
  beginSeries, configureSeries, enterMetric, enterResource, enterScope, forgetExemplars, forgetPoint, initSeries, isHalted, judgePoint, known, REJECTED, resolvePoint,
  resolveTarget, series, SERIES_SCRATCH, why,
} from './otlp-series';
import { length, next, skip, tag, varint } from './protobuf';
import { addReport, resetRows, setReport } from './rows';
import { turns } from './table';

// OTLP metrics (spec 3.2):
//
//   ExportMetricsServiceRequest  resource_metrics=1 rep
//   ResourceMetrics              resource=1   scope_metrics=2 rep   schema_url=3
//   ScopeMetrics                 scope=1   metrics=2 rep   schema_url=3
//   Metric                       name=1   description=2   unit=3   gauge=5 | sum=7 | histogram=9 | exponential_histogram=10 | summary=11
//   Gauge, Summary               data_points=1 rep
//   Sum                          data_points=1 rep   aggregation_temporality=2   is_monotonic=3
//   Histogram, ExponentialHistogram  data_points=1 rep   aggregation_temporality=2
//
// A level's own fields may stand behind what they are about, so each level is walked twice: once for them, once to go down. A part that occurs twice where there can
// be one only (a resource, the data of a metric) makes the message malformed: protobuf would merge the two, and no sender writes that.

/** Fields of a Metric that hold its data; all that are messages or text. */
const DATA: u32 = (1 << 5) | (1 << 7) | (1 << 9) | (1 << 10) | (1 << 11);
const KNOWN: u32 = (1 << 1) | (1 << 2) | (1 << 3) | (1 << 12) | DATA;
const CUMULATIVE: u64 = 2;
const DELTA: u64 = 1;
const NANOS: u64 = 1000000;

let src: usize = 0;
let end: usize = 0;
let maxTime: u64 = 0;
let maxSeries: u32 = 0;
let seen: u32 = 0;
let generation: u32 = 0;
/** The point at hand when the table turned over last. */
let turnedAt: usize = 0;
let report: usize = 0;
// the config
let targets: bool = true;
let scopes: bool = false;
let dropDelta: bool = false;
// a cursor into each level, and where the level ends
let ip: usize = 0;
let resourceIp: usize = 0;
let resourceEnd: usize = 0;
let scopeIp: usize = 0;
let scopeEnd: usize = 0;
let pointIp: usize = 0;
let pointEnd: usize = 0;
// what the levels at hand say of themselves
let resourceAt: usize = 0;
let resourceLength: usize = 0;
let scopeBlob: usize = 0;
let scopeLength: usize = 0;
let metricBlob: usize = 0;
let metricLength: usize = 0;
let name: usize = 0;
let nameLength: usize = 0;
let kind: u32 = 0;
/** Why all points of the metric, of the scope, of the resource are rejected; 0: they are not. */
let reason: u32 = 0;
let scopeReason: u32 = 0;
let resourceReason: u32 = 0;
/** Levels whose context is in the table: 0 none, 1 the resource, 2 the scope too, 3 the metric too. What no point asks for is not put there. */
let entered: u32 = 0;
// times of the resource's points
let earliest: u64 = 0;
let latest: u64 = 0;
/** The target_info of the resource at hand is due. */
let targetDue: bool = false;

let scopeScratch: usize = 0;
let metricScratch: usize = 0;
let maxResource: usize = 0;

/** Longest scope and metric, names and all. */
const LONGEST: usize = 131072;
/** Bytes of scratch. */
export const OTLP_SCRATCH: usize = POINT_SCRATCH + SERIES_SCRATCH + 2 * LONGEST;

/** scratch: OTLP_SCRATCH bytes; gather: keyCap bytes for attributes that are scattered. */
export function initOtlp(scratch: usize, gather: usize, keyCap: usize, reportAt: usize): void {
  report = reportAt;
  initPoint(scratch, gather, keyCap);
  initSeries(scratch + POINT_SCRATCH, gather, keyCap);
  scopeScratch = scratch + POINT_SCRATCH + SERIES_SCRATCH;
  metricScratch = scopeScratch + LONGEST;
  maxResource = keyCap;
}

/**
 * What the config says: explicit histograms become classic series, native ones, or both; start timestamps are written too; scopes make labels; there is a target_info; delta points
 * are left out in silence; code points of an exemplar's labels; metadata goes out with the series (2.0), and on its own (1.0).
 */
export function configureOtlp(
  classic: bool, native: bool, starts: bool, withScopes: bool, withTargets: bool, silentDelta: bool, exemplarLength: u32, records: bool,
  families: bool,
): void {
  configureMetadata(records, families);
  configureSeries(classic, native, starts);
  limitExemplars(exemplarLength);
  scopes = withScopes;
  targets = withTargets;
  dropDelta = silentDelta;
}

/** Nothing of a request is kept. */
export function resetOtlp(): void {
  src = end = ip = resourceIp = resourceEnd = scopeIp = scopeEnd = pointIp = pointEnd = 0;
  turnedAt = 0;
  entered = 0;
  targetDue = false;
  forgetExemplars();
}

/** As resolve1(), for an ExportMetricsServiceRequest. RESOLVE_REFUSE + reason rejects the point of the last MISS. */
export function resolveOtlp(at: usize, n: usize, how: i32, tenant: u32, until: f64, most: u32): i32 {
  if (how == RESOLVE_BEGIN) {
    resetOtlp();
    src = ip = at;
    end = at + n;
    maxTime = <u64>until;
    maxSeries = most;
    seen = 0;
    generation = turns;
    resetRows();
    memory.fill(report, 0, REPORT_WORDS << 2);
  }
  beginSeries(tenant, <i64>until);
  if (how == RESOLVE_BEGIN) beginMetadata(<u64>until);
  const result = walk(how >= RESOLVE_REFUSE ? <u32>(how - RESOLVE_REFUSE) : 0);
  setReport(R_SERIES, seen);
  return result;
}

/** refuse: why the point at hand is rejected, 0 for none. */
function walk(refuse: u32): i32 {
  if (generation != turns) {
    forgetPoint(pointIp < pointEnd && pointIp == turnedAt);
    turnedAt = pointIp;
    generation = turns;
    entered = 0;
  }
  while (true) {
    if (pointIp < pointEnd) {
      const result = stepPoint(refuse);
      if (result < 0) return result;
      refuse = 0;
      if (seen > maxSeries) return E_SERIES;
    } else if (scopeIp < scopeEnd) {
      const result = stepMetric();
      if (result < 0) return result;
    } else if (resourceIp < resourceEnd) {
      const result = stepScope();
      if (result < 0) return result;
    } else if (targetDue) {
      if (latest != 0) {
        if (!enter(1)) return PART_TABLE;
        const result = resolveTarget(earliest, latest);
        if (result < 0) return result;
        seen += series;
      }
      targetDue = false;
      if (seen > maxSeries) return E_SERIES;
    } else if (ip < end) {
      const result = stepResource();
      if (result < 0) return result;
    } else return 0;
  }
}

/** Puts the contexts of the levels at hand into the table, up to this one. Returns false when the generation is full. */
function enter(level: u32): bool {
  if (entered == 0) {
    if (!enterResource(resourceAt, resourceLength)) return false;
    entered = 1;
  }
  if (entered == 1 && level > 1) {
    if (!enterScope(scopeBlob, scopeLength)) return false;
    entered = 2;
  }
  if (entered == 2 && level > 2) {
    if (!enterMetric(metricBlob, metricLength)) return false;
    entered = 3;
  }
  return true;
}

/** Goes down into the next ResourceMetrics. */
function stepResource(): i32 {
  const t = tag(ip, end);
  if (next == 0) return E_PROTO;
  if (t != 10) {
    ip = t >>> 3 == 1 ? 0 : skip(next, end, t);
    return ip ? 0 : E_PROTO;
  }
  const l = length(next, end);
  if (next == 0) return E_PROTO;
  const from = next;
  const e = from + l;
  resourceAt = from;
  resourceLength = 0;
  let found = false;
  for (let p = from; p < e; ) {
    const t = tag(p, e);
    if (next == 0) return E_PROTO;
    const at = next;
    p = skip(at, e, t);
    if (p == 0 || (t >>> 3 < 4 && (t & 7) != 2)) return E_PROTO;
    if (t != 10) continue;
    if (found) return E_PROTO;
    found = true;
    resourceLength = length(at, e);
    resourceAt = next;
  }
  if (!attributesIn(resourceAt, resourceAt + resourceLength, 1)) return E_PROTO;
  scopeIp = scopeEnd = pointIp = pointEnd = 0;
  resourceIp = from;
  resourceEnd = e;
  resourceReason = resourceLength > maxResource ? REASON_TOO_MANY_LABELS : 0;
  entered = 0;
  earliest = u64.MAX_VALUE;
  latest = 0;
  targetDue = targets && resourceReason == 0;
  ip = e;
  return 0;
}

/** Whether [p, e) is a message whose field of that number are attributes, and whose fields below it are text or bytes: a Resource (1), an InstrumentationScope (3). */
function attributesIn(p: usize, e: usize, field: u32): bool {
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    if (t >>> 3 <= field && (t & 7) != 2) return false;
    if (t >>> 3 == field) {
      const l = length(p, e);
      if (next == 0 || !keyValue(next, next + l)) return false;
    }
    p = skip(p, e, t);
    if (p == 0) return false;
  }
  return true;
}

/** Goes down into the next ScopeMetrics. */
function stepScope(): i32 {
  const t = tag(resourceIp, resourceEnd);
  const from = next;
  const e = skip(from, resourceEnd, t); // walked before
  if (t != 18) {
    resourceIp = e;
    return 0;
  }
  const l = length(from, resourceEnd);
  const begin = next;
  let at: usize = begin;
  let n: usize = 0;
  let url: usize = begin;
  let urlLength: usize = 0;
  let found = false;
  for (let p = begin; p < e; ) {
    const t = tag(p, e);
    if (next == 0) return E_PROTO;
    const f = next;
    p = skip(f, e, t);
    if (p == 0 || (t >>> 3 < 4 && (t & 7) != 2)) return E_PROTO;
    if (t == 10) {
      if (found) return E_PROTO;
      found = true;
      n = length(f, e);
      at = next;
    } else if (t == 26) {
      urlLength = length(f, e);
      url = next;
    }
  }
  if (!attributesIn(at, at + n, 3)) return E_PROTO;
  scopeBlob = scopeScratch;
  scopeLength = 0;
  scopeReason = 0;
  if (scopes && n + urlLength + 4 > LONGEST) scopeReason = REASON_TOO_MANY_LABELS;
  else if (scopes) {
    store<u32>(scopeBlob, <u32>n);
    memory.copy(scopeBlob + 4, at, n);
    memory.copy(scopeBlob + 4 + n, url, urlLength);
    scopeLength = 4 + n + urlLength;
  }
  entered = min(entered, 1);
  pointIp = pointEnd = 0;
  scopeIp = begin;
  scopeEnd = begin + l;
  resourceIp = e;
  return 0;
}

/** Goes down into the next Metric. */
function stepMetric(): i32 {
  const t = tag(scopeIp, scopeEnd);
  const from = next;
  const e = skip(from, scopeEnd, t); // walked before
  if (t != 18) {
    scopeIp = e;
    return 0;
  }
  length(from, scopeEnd);
  let data: usize = 0;
  let dataEnd: usize = 0;
  let dataField: u32 = 0;
  let help: usize = next;
  let helpLength: usize = 0;
  let unit: usize = next;
  let unitLength: usize = 0;
  name = next;
  nameLength = 0;
  for (let p = next; p < e; ) {
    const t = tag(p, e);
    if (next == 0) return E_PROTO;
    const f = next;
    p = skip(f, e, t);
    const field = t >>> 3;
    if (p == 0 || (KNOWN >>> field & 1 && field < 32 && (t & 7) != 2)) return E_PROTO;
    if (field == 1) {
      nameLength = length(f, e);
      name = next;
    } else if (field == 2) {
      helpLength = length(f, e);
      help = next;
    } else if (field == 3) {
      unitLength = length(f, e);
      unit = next;
    } else if (field < 12 && DATA >>> field & 1) {
      if (data) return E_PROTO;
      const l = length(f, e);
      data = next;
      dataEnd = data + l;
      dataField = field;
    }
  }
  scopeIp = e;
  if (data == 0 || data == dataEnd) return 0;
  if (!readKind(dataField, data, dataEnd)) return E_PROTO;
  const n: usize = 5 + nameLength + unitLength;
  metricBlob = metricScratch;
  metricLength = 0;
  store<u8>(metricBlob, <u8>kind);
  if (n <= LONGEST) {
    store<u32>(metricBlob, <u32>nameLength, 1);
    copyText(metricBlob + 5, name, nameLength);
    copyText(metricBlob + 5 + nameLength, unit, unitLength);
    metricLength = n;
  } else if (reason == 0) reason = REASON_METRIC_NAME;
  if (reason == 0) reason = resourceReason ? resourceReason : scopeReason;
  entered = min(entered, 2);
  enterDescription(help, helpLength);
  pointIp = data;
  pointEnd = dataEnd;
  return 0;
}

/** Copies n bytes, and writes up to 15 more: for text, which is short mostly. */
// @ts-ignore: decorator
@inline
function copyText(to: usize, from: usize, n: usize): void {
  for (let i: usize = 0; i < n; i += 16) v128.store(to + i, v128.load(from + i));
}

/** Reads what a metric's data say besides the points: sets kind and reason. */
function readKind(field: u32, p: usize, e: usize): bool {
  let temporality: u64 = 0;
  let monotonic = false;
  const aggregated = field == 7 || field == 9 || field == 10;
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    const f = next;
    p = skip(f, e, t);
    if (p == 0 || (t >>> 3 == 1 && (t & 7) != 2)) return false;
    if (!aggregated) continue;
    if (t == 16) temporality = varint(f, e);
    else if (t == 24 && field == 7) monotonic = varint(f, e) != 0;
    else if (t >>> 3 == 2 || (t >>> 3 == 3 && field == 7)) return false;
  }
  kind = field == 5 ? OTLP_GAUGE : field == 7 ? (monotonic ? OTLP_COUNTER : OTLP_SUM) : field == 9 ? OTLP_HISTOGRAM : field == 10 ? OTLP_EXPONENTIAL : OTLP_SUMMARY;
  reason = !aggregated || temporality == CUMULATIVE ? 0 : temporality == DELTA ? REASON_DELTA : REASON_TEMPORALITY;
  return true;
}

/** The next point of the metric at hand. refuse: why it is rejected, 0 for nothing that is known. */
function stepPoint(refuse: u32): i32 {
  const t = tag(pointIp, pointEnd);
  const from = next;
  const e = skip(from, pointEnd, t); // walked before
  if (t != 10) {
    pointIp = e;
    return 0;
  }
  length(from, pointEnd);
  const p = next;
  if (!isHalted() && !walkPoint(kind, p, e)) return E_PROTO;
  const ms = time / NANOS;
  const timely = time != 0 && ms <= maxTime;
  let sound = false; // its attributes are known to be well-formed
  let because = refuse ? refuse : reason ? reason : time == 0 ? REASON_NO_TIME : timely ? 0 : REASON_FUTURE;
  if (timely) {
    earliest = min(earliest, time);
    latest = max(latest, time);
  }
  if (because == 0) because = judgePoint(kind);
  if (because == 0) {
    if (!enter(3)) return PART_TABLE;
    const result = resolvePoint(kind, p, e);
    if (result < 0) return result;
    if (result == REJECTED) {
      because = why;
      sound = known;
    } else seen += series;
  }
  if (because) {
    if (!sound && !checkAttributes()) return E_PROTO;
    if (because == REASON_DELTA && dropDelta) addReport(R_POINTS_DROPPED, 1);
    else reject(because);
  }
  addReport(R_POINTS, 1);
  pointIp = e;
  return 0;
}

/** Counts the point as rejected for this reason, and notes it with the metric's name, the first few times. */
function reject(because: u32): void {
  addReport(R_POINTS_REJECTED + because, 1);
  const noted = load<u32>(report + (R_NOTED << 2));
  if (noted >= <u32>NOTES) return;
  const at = report + ((<usize>R_NOTES + <usize>noted * 4) << 2);
  if (noted && load<u32>(at - 16) == <u32>name && load<u32>(at - 12) == because) return;
  store<u32>(at, <u32>name);
  store<u32>(at, because, 4);
  store<u32>(at, <u32>nameLength, 8);
  store<u32>(at, 0, 12);
  setReport(R_NOTED, noted + 1);
}
