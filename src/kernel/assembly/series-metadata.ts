import { output, row } from './emission';
import { familyHelp, familyHelpLength, familyOf, familyType, familyUnit, familyUnitLength, noFamilies } from './families';
import { nextRow } from './merge';
import { putVarint } from './protobuf';
import { NO_REF, refOfPlace, symbolsEra } from './symbol-table';
import { outputLabels, outputPair } from './table';

// The metadata of a TimeSeries of remote write 2.0 that is being written: what came with the series (metadata.ts), else what came apart (families.ts).
//
//   Metadata   type=1 enum   help_ref=3 uint32   unit_ref=4 uint32

/** Longest Metadata with its tag. */
export const METADATA_ROOM: usize = 24;

// of the series at hand
let type: u32 = 0;
let help: u32 = 0;
let unit: u32 = 0;
// what describe() found last, in this piece
let lastRecord: u32 = 0;
let lastEra: u32 = 0;
let lastType: u32 = 0;
let lastHelp: u32 = 0;
let lastUnit: u32 = 0;

/** Finds the metadata of the row at hand, or of the chain that it heads. Returns false when there is no room for its symbols. */
export function describe(heads: bool): bool {
  type = help = unit = 0;
  const record = heads ? chainRecord() : load<u32>(row, 24);
  if (record == 0) return noFamilies() || describeByFamily(row);
  if (record == lastRecord && lastEra == symbolsEra()) {
    type = lastType;
    help = lastHelp;
    unit = lastUnit;
    return true;
  }
  const at = <usize>record;
  if (!setMetadata(load<u32>(at), <usize>load<u32>(at, 4), load<u32>(at, 8), <usize>load<u32>(at, 12), load<u32>(at, 16))) return false;
  lastRecord = record;
  lastEra = symbolsEra();
  lastType = type;
  lastHelp = help;
  lastUnit = unit;
  return true;
}

function chainRecord(): u32 {
  let record: u32 = 0;
  for (let r = row; r != 0 && record == 0; r = nextRow(r)) record = load<u32>(r, 24);
  return record;
}

function setMetadata(ofType: u32, helpAt: usize, helpLength: u32, unitAt: usize, unitLength: u32): bool {
  type = ofType;
  help = refOfPlace(helpAt, helpLength);
  if (help == NO_REF) return false;
  unit = refOfPlace(unitAt, unitLength);
  return unit != NO_REF;
}

const NAME: u64 = 0x5f5f656d616e5f5f; // __name__

// the family of the metric name that was met last
let lastName: usize = 0;
let lastNameEra: u32 = 0;
let lastTenant: u32 = 0;
let lastFamily: usize = 0;

function describeByFamily(r: usize): bool {
  const n = outputLabels(output);
  const tenant = <u32>load<u16>(<usize>load<u32>(r), 4);
  for (let i: u32 = 0; i < n; i++) {
    const P = outputPair(output, i);
    const b = P + 8;
    // 0a LENGTH 0a 08 __name__ 12 LENGTH name; longer names than that are of no family
    if (load<u16>(b, 2) != 0x080a || load<u64>(b, 4) != NAME || load<u8>(b, 12) != 18 || load<u8>(b, 13) > 127) continue;
    const l = <usize>load<u8>(b, 13);
    if (<usize>load<u32>(P) != 14 + l) continue;
    if (P != lastName || lastNameEra != symbolsEra() || lastTenant != tenant) {
      lastFamily = familyOf(b + 14, l, tenant);
      lastName = P;
      lastNameEra = symbolsEra();
      lastTenant = tenant;
    }
    const F = lastFamily;
    return F == 0 || setMetadata(familyType(F), familyHelp(F), familyHelpLength(F), familyUnit(F), familyUnitLength(F));
  }
  return true;
}

/** Writes the metadata that describe() found to op, nothing where there is none. Returns where it ends: METADATA_ROOM bytes further at the most. */
// @ts-ignore: decorator
@inline
export function putMetadata(op: usize): usize {
  return type | help | unit ? put(op) : op;
}

function put(head: usize): usize {
  let op = head + 2;
  if (type) op = putField(op, 8, type);
  if (help) op = putField(op, 24, help);
  if (unit) op = putField(op, 32, unit);
  store<u16>(head, <u16>(42 | ((op - head - 2) << 8)));
  return op;
}

function putField(op: usize, tag: u32, v: u32): usize {
  store<u8>(op, <u8>tag);
  return putVarint(op + 1, v);
}
