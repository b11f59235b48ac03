import { E_PROTO, E_REFS, METADATA } from '../../wire/layout';
import { adds, suffixOf } from './families';
import { hash } from './hash';
import { era, keepMade, made, madeLeft, madeSize } from './made';
import { length, next, putVarint, skip, tag, varint } from './protobuf';
import { commitMetadata, draft, received, roomFor, rowsEnd, rowsStart } from './rows';
import { isText, isTold, putString, setTold, stringSize, symbolAt, symbolCount, symbolLength } from './symbols';
import { closeField, HEAD } from './take-points';

// Metadata that series of remote write 2.0 bring along. For origins that speak 2.0, a row leads to a record in `made`:
//
//  +0 u32 type   +4 u32 address of the help   +8 u32 its length   +12 u32 address of the unit   +16 u32 its length
//
// For those that speak 1.0, each family of the request gets a row of its own, once.

const RECORD: usize = 20;

/** Bytes of metadata of 1.0 that may still be made of this body. What alone would take an eighth of all that is made is left out, too. */
let budget: usize = 0;
/** Hashes of families that have a row, 0 = empty. When it is full, the others get none. */
const TOLD: usize = 2048;
const told: usize = memory.data(8192, 16);
let toldCount: usize = 0;
/** Records that are there: {era, type, help, unit, address}, found by a hash of the three. */
const KNOWN: usize = 256;
const known: usize = memory.data(5120, 16);

// of the series at hand
let type: u32 = 0;
let help: u32 = 0;
let unit: u32 = 0;
/** Its family, for 1.0, which is not among the rows yet. */
let family: usize = 0;
let familyLength: usize = 0;
let familyHash: u32 = 0;
let familyName: u32 = 0;

/** Writes a record to `made`, for describeRows(). Returns its address, 0 when there is no room. What it points to must live as long. */
export function putMetadata(ofType: u32, helpAt: usize, helpLength: u32, unitAt: usize, unitLength: u32): u32 {
  const at = (made + 3) & ~3;
  if (madeLeft() < RECORD + 4) return 0;
  store<u32>(at, ofType);
  store<u32>(at, <u32>helpAt, 4);
  store<u32>(at, helpLength, 8);
  store<u32>(at, <u32>unitAt, 12);
  store<u32>(at, unitLength, 16);
  keepMade(at + RECORD);
  return <u32>at;
}

/** A body of n bytes begins. */
export function beginMetadata(n: usize): void {
  budget = n * 2 + 65536;
  if (toldCount) memory.fill(told, 0, TOLD << 2);
  toldCount = 0;
}

/** A series begins. */
// @ts-ignore: decorator
@inline
export function beginDescription(): void {
  type = help = unit = 0;
  family = 0;
}

/** Keeps the metadata at hand in the 12 bytes at `at`, until it is at hand again. */
// @ts-ignore: decorator
@inline
export function saveDescription(at: usize): void {
  store<u32>(at, type);
  store<u32>(at, help, 4);
  store<u32>(at, unit, 8);
}

// @ts-ignore: decorator
@inline
export function restoreDescription(at: usize): void {
  type = load<u32>(at);
  help = load<u32>(at, 4);
  unit = load<u32>(at, 8);
  family = 0;
}

// Metadata  type=1 enum   help_ref=3 uint32   unit_ref=4 uint32
/** Reads the Metadata at [p, e). Returns 0, E_PROTO or E_REFS. */
export function readMetadata(p: usize, e: usize): i32 {
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return E_PROTO;
    p = next;
    if (t == 8 || t == 24 || t == 32) {
      const v = varint(p, e);
      if (next == 0) return E_PROTO;
      p = next;
      if (t == 8) type = <u32>v;
      else {
        if (v >= <u64>symbolCount) return E_REFS;
        if (t == 24) help = <u32>v;
        else unit = <u32>v;
      }
    } else {
      const field = t >>> 3;
      if (field == 1 || field == 3 || field == 4) return E_PROTO;
      p = skip(p, e, t);
      if (p == 0) return E_PROTO;
    }
  }
  return 0;
}

/** Whether the series at hand has metadata that says something. */
// @ts-ignore: decorator
@inline
export function isDescribed(): bool {
  return (type | help | unit) != 0;
}

/** The record of the metadata at hand, made when it is new; 0 when there is no room. */
export function recordOf(): u32 {
  const k = known + <usize>(((help * 0x9e3779b1) ^ (unit * 0x85ebca6b) ^ (type * 0xc2b2ae35)) >>> 24) * 20;
  if (load<u32>(k) == era && load<u32>(k, 4) == type && load<u32>(k, 8) == help && load<u32>(k, 12) == unit) return load<u32>(k, 16);
  const at = putMetadata(type, symbolAt(help), textLength(help), symbolAt(unit), textLength(unit));
  if (at == 0) return 0;
  store<u32>(k, era);
  store<u32>(k, type, 4);
  store<u32>(k, help, 8);
  store<u32>(k, unit, 12);
  store<u32>(k, at, 16);
  return at;
}

/** Length of the symbol; 0 when it is not UTF-8: then it is left out, since its request would be refused whole. */
function textLength(ref: u32): u32 {
  return isText(ref) ? <u32>symbolLength(ref) : 0;
}

/**
 * Writes the metadata at hand for 1.0, if the family of the metric whose name is this symbol has none yet; commitFamily() gives it a row. `ahead` drafts come before it.
 * Returns false when it must wait for the rows there are to go out.
 */
export function draftFamily(name: u32, ahead: usize): bool {
  family = 0;
  if (isTold(name)) return true;
  const at = symbolAt(name);
  let n = symbolLength(name);
  const suffix = suffixOf(at, n);
  // OpenMetrics' own suffixes stay: spec 2.8
  if (suffix > 3 && suffix < n && type > 2 && type < 6 && adds(type, suffix, at + n - suffix)) n -= suffix;
  const h = hash(at, n, 1);
  familyName = name;
  if (isIn(h)) {
    setTold(name);
    return true;
  }
  const size = HEAD + 6 + stringSize(n) + stringSize(symbolLength(help)) + stringSize(symbolLength(unit));
  const helped = textLength(help) != 0;
  const counted = textLength(unit) != 0;
  if (n == 0 || !isText(name) || size > budget || size > madeSize() >>> 3 || toldCount >= TOLD >>> 1) {
    setTold(name); // it will never have one
    return true;
  }
  if (madeLeft() < size || !roomFor(ahead + 1)) return rowsEnd == rowsStart; // alone it does without
  let op = made + HEAD;
  if (type) {
    store<u8>(op, 8);
    op = putVarint(op + 1, type);
  }
  store<u8>(op, 18);
  op = putVarint(op + 1, <u32>n);
  memory.copy(op, at, n);
  op += n;
  if (helped) op = putString(op, 34, help);
  if (counted) op = putString(op, 42, unit);
  family = made;
  const to = closeField(family, 26, op);
  familyLength = to - family;
  familyHash = h;
  budget -= familyLength;
  keepMade(to);
  return true;
}

/** The family of the series at hand gets its row, behind those of the series. */
// @ts-ignore: decorator
@inline
export function commitFamily(): void {
  if (family) putFamily();
}

function putFamily(): void {
  draft(0, family, <u32>familyLength, 1, METADATA, 0);
  commitMetadata();
  received(METADATA, 1);
  family = 0;
  setTold(familyName);
  let i = <usize>familyHash & (TOLD - 1);
  while (load<u32>(told + (i << 2))) i = (i + 1) & (TOLD - 1);
  store<u32>(told + (i << 2), familyHash);
  toldCount++;
}

function isIn(h: u32): bool {
  let i = <usize>h & (TOLD - 1);
  for (let has = load<u32>(told + (i << 2)); has != 0; has = load<u32>(told + (i << 2))) {
    if (has == h) return true;
    i = (i + 1) & (TOLD - 1);
  }
  return false;
}
