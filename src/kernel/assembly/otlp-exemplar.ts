import { key, keyLength, keyValue, readEntry, value, valueField, valueLength } from './otlp-attributes';
import { length, next, putVarint, putVarint64, skip, tag } from './protobuf';
import { codePoints } from './utf8';

// Exemplars of OTLP (spec 3.2) as those of remote write 1.0 (spec 4.12).
//
//   Exemplar  time_unix_nano=2 fixed64   as_double=3 double | as_int=6 sfixed64   span_id=4 bytes   trace_id=5 bytes   filtered_attributes=7 rep KeyValue

/** Filtered attributes at the most; with more an exemplar keeps only its ids. */
const MOST: u32 = 64;
const NANOS: u64 = 1000000;
/** Longest decimal of an int64. */
const DIGITS: usize = 20;
const digits: usize = memory.data(32, 8);

/** Code points that an exemplar's labels may have together. */
let maxLength: u32 = 128;

export function limitExemplars(most: u32): void {
  maxLength = most;
}

// what readExemplar() found
let time: u64 = 0;
let bits: u64 = 0;
let valued: bool = false;
let spanId: usize = 0;
let traceId: usize = 0;
let filtered: u32 = 0;
/** The exemplar has attributes that only the host can write: numbers with a fraction, lists, bytes. */
export let exotic: bool = false;

/** Whether [p, e) is an Exemplar message, attributes and all. */
export function exemplar(p: usize, e: usize): bool {
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    if (t == 0x3a) {
      const l = length(p, e);
      if (next == 0 || !keyValue(next, next + l)) return false;
    } else {
      const field = t >>> 3;
      if (field >= 2 && field <= 7 && (t & 7) != (field == 4 || field == 5 ? 2 : 1)) return false;
    }
    p = skip(p, e, t);
    if (p == 0) return false;
  }
  return true;
}

/** Value of the exemplar that was read last, and its time: milliseconds. */
export function exemplarValue(): f64 { return reinterpret<f64>(bits); }
/** Whether it has one: an exemplar that has none says nothing. */
export function exemplarHasValue(): bool { return valued; }
export function exemplarTime(): u64 { return time / NANOS; }

/** Reads the Exemplar [p, e), which is well-formed. */
export function readExemplar(p: usize, e: usize): void {
  time = bits = 0;
  spanId = traceId = 0;
  filtered = 0;
  exotic = valued = false;
  while (p < e) {
    const t = tag(p, e);
    p = next;
    if (t == 0x19 || t == 0x31) valued = true;
    if (t == 0x11) time = load<u64>(p);
    else if (t == 0x19) bits = load<u64>(p);
    else if (t == 0x31) bits = reinterpret<u64>(<f64>load<i64>(p));
    else if (t == 0x22) spanId = length(p, e) == 8 && load<u64>(next) != 0 ? next : 0;
    else if (t == 0x2a) traceId = length(p, e) == 16 && (load<u64>(next) | load<u64>(next, 8)) != 0 ? next : 0;
    else if (t == 0x3a) {
      const l = length(p, e);
      readEntry(next, next + l);
      if (valueField >= 4) exotic = true;
      filtered++;
    }
    p = skip(p, e, t);
    if (p == 0) return;
  }
  if (filtered > MOST) exotic = false;
}

/**
 * Copies the filtered attributes of the Exemplar [p, e) to [dst, dst+cap), each a field with a tag of one byte. Returns their length; -1 when they don't fit. Sets `copied`.
 */
export function copyFiltered(p: usize, e: usize, dst: usize, cap: usize): isize {
  let to = dst;
  copied = 0;
  while (p < e) {
    const t = tag(p, e);
    const from = next;
    p = skip(from, e, t);
    if (t != 0x3a) continue;
    if (1 + (p - from) > cap - (to - dst)) return -1;
    store<u8>(to, <u8>t);
    memory.copy(to + 1, from, p - from);
    to += 1 + (p - from);
    copied++;
  }
  return to - dst;
}

/** How many copyFiltered() found. */
export let copied: u32 = 0;

/** Which ids the exemplar that was read last has: 1 a trace's, 2 a span's. */
export function exemplarIds(): u32 {
  return <u32>(traceId != 0) | (<u32>(spanId != 0) << 1);
}

/** Bytes that putExemplar() may write for an Exemplar of n bytes: labels of `maxLength` code points, each with at most 12 bytes besides. */
// @ts-ignore: decorator
@inline
export function exemplarRoom(n: usize): usize {
  return min<usize>(3 * n, 4 * <usize>maxLength + 12 * <usize>MOST) + 192;
}

/**
 * Writes the exemplar that was read last from [p, e) as an exemplar field of remote write 1.0 to dst, exemplarRoom(e - p) bytes and those of `labels` at the most. `labels`, n bytes
 * of `points` code points, are its filtered attributes if the host wrote them; n = 0 with points = 0: there are none, or they are written here. Returns where it ends.
 */
export function putExemplar(p: usize, e: usize, dst: usize, labels: usize, n: usize, points: u32): usize {
  let op = dst + 6;
  let total: u32 = 0;
  if (traceId) {
    op = hexLabel(op, TRACE_ID, 8, traceId, 16);
    total += 8 + 32;
  }
  if (spanId) {
    op = hexLabel(op, SPAN_ID, 7, spanId, 8);
    total += 7 + 16;
  }
  if (n > 0) {
    if (total + points <= maxLength) {
      memory.copy(op, labels, n);
      op += n;
    }
  } else if (!exotic && filtered > 0 && filtered <= MOST && fits(p, e, total)) op = putFiltered(p, e, op);
  store<u8>(op, 17);
  store<u64>(op + 1, bits);
  store<u8>(op + 9, 24);
  op = putVarint64(op + 10, time / NANOS);
  const l = op - dst - 6;
  store<u8>(dst, 26);
  const at = putVarint(dst + 1, <u32>l);
  memory.copy(at, dst + 6, l);
  return at + l;
}

const TRACE_ID: usize = memory.data<u8>([0x74, 0x72, 0x61, 0x63, 0x65, 0x5f, 0x69, 0x64]);
const SPAN_ID: usize = memory.data<u8>([0x73, 0x70, 0x61, 0x6e, 0x5f, 0x69, 0x64, 0]);

/** Whether the attribute that was read last has the name of one of our own labels, which then is there already, or makes no label. */
function ours(): bool {
  if (keyLength == 0 || valueField == 0 || (valueField == 1 && valueLength == 0)) return true;
  if (traceId && keyLength == 8 && load<u64>(key) == load<u64>(TRACE_ID)) return true;
  return spanId != 0 && keyLength == 7 && (load<u64>(key) & 0xffffffffffffff) == load<u64>(SPAN_ID);
}

/** Whether the filtered attributes are text in UTF-8, and short enough. */
function fits(p: usize, e: usize, before: u32): bool {
  let total = <u64>before;
  while (p < e) {
    const t = tag(p, e);
    const from = next;
    p = skip(from, e, t);
    if (t != 0x3a) continue;
    const l = length(from, e);
    readEntry(next, next + l);
    if (ours()) continue;
    const points = codePoints(key, keyLength);
    const more = valueField == 1 ? codePoints(value, <usize>valueLength) : valueField == 2 ? (valueLength ? 4 : 5) : <i32>(digits + DIGITS - decimal(<i64>valueLength));
    if (points < 0 || more < 0) return false;
    total += <u64>(points + more);
  }
  return total <= <u64>maxLength;
}

function putFiltered(p: usize, e: usize, op: usize): usize {
  while (p < e) {
    const t = tag(p, e);
    const from = next;
    p = skip(from, e, t);
    if (t != 0x3a) continue;
    const l = length(from, e);
    readEntry(next, next + l);
    if (ours()) continue;
    let text = value;
    let size = <usize>valueLength;
    if (valueField == 2) {
      text = valueLength ? TRUE : FALSE;
      size = valueLength ? 4 : 5;
    } else if (valueField == 3) {
      text = decimal(<i64>valueLength);
      size = digits + DIGITS - text;
    }
    op = label(op, key, keyLength, text, size);
  }
  return op;
}

const TRUE: usize = memory.data<u8>([0x74, 0x72, 0x75, 0x65]);
const FALSE: usize = memory.data<u8>([0x66, 0x61, 0x6c, 0x73, 0x65]);

/** Writes the number in decimal before digits + DIGITS. Returns where it starts. */
function decimal(v: i64): usize {
  let at = digits + DIGITS;
  let u = v < 0 ? 0 - <u64>v : <u64>v;
  do {
    store<u8>(--at, <u8>(48 + u % 10));
    u /= 10;
  } while (u != 0);
  if (v < 0) store<u8>(--at, 45);
  return at;
}

function label(op: usize, name: usize, n: usize, text: usize, l: usize): usize {
  const size: usize = 2 + n + l + sizeOf(n) + sizeOf(l);
  store<u8>(op, 10);
  op = putVarint(op + 1, <u32>size);
  store<u8>(op, 10);
  op = putVarint(op + 1, <u32>n);
  memory.copy(op, name, n);
  op += n;
  store<u8>(op, 18);
  op = putVarint(op + 1, <u32>l);
  memory.copy(op, text, l);
  return op + l;
}

/** Bytes of a length as a varint. */
function sizeOf(n: usize): usize {
  return n < 128 ? 1 : n < 16384 ? 2 : n < 2097152 ? 3 : 4;
}

function hexLabel(op: usize, name: usize, n: usize, id: usize, l: usize): usize {
  store<u8>(op, 10);
  store<u8>(op, <u8>(4 + n + 2 * l), 1);
  store<u8>(op, 10, 2);
  store<u8>(op, <u8>n, 3);
  memory.copy(op + 4, name, n);
  op += 4 + n;
  store<u8>(op, 18);
  store<u8>(op, <u8>(2 * l), 1);
  op += 2;
  for (let i: usize = 0; i < l; i++) {
    const b = load<u8>(id + i);
    store<u8>(op, hexDigit(b >>> 4));
    store<u8>(op, hexDigit(b & 15), 1);
    op += 2;
  }
  return op;
}

// @ts-ignore: decorator
@inline
function hexDigit(d: u8): u8 {
  return d < 10 ? 48 + d : 87 + d;
}
