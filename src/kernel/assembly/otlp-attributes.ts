import { length, next, skip, tag, varint } from './protobuf';

// Attributes of OTLP (spec 3.2), checked for their structure: whoever reads them afterwards finds nothing odd, and no more levels than DEEPEST.
//
//   KeyValue      key=1 string   value=2 AnyValue
//   AnyValue      string_value=1   bool_value=2   int_value=3 int64   double_value=4   array_value=5 ArrayValue   kvlist_value=6 KeyValueList   bytes_value=7
//   ArrayValue    values=1 rep AnyValue
//   KeyValueList  values=1 rep KeyValue

/** Values may stand in each other that deep. */
const DEEPEST: u32 = 64;

/** Whether [p, e) is a KeyValue message. */
export function keyValue(p: usize, e: usize): bool {
  return entry(p, e, 0);
}

function entry(p: usize, e: usize, depth: u32): bool {
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    const field = t >>> 3;
    if (field < 3 && (t & 7) != 2) return false;
    if (field == 2) {
      const l = length(p, e);
      if (next == 0 || !anyValue(next, next + l, depth)) return false;
    }
    p = skip(p, e, t);
    if (p == 0) return false;
  }
  return true;
}

function anyValue(p: usize, e: usize, depth: u32): bool {
  if (depth > DEEPEST) return false;
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    const field = t >>> 3;
    const wire = t & 7;
    if (field < 8 && wire != (field == 2 || field == 3 ? 0 : field == 4 ? 1 : 2)) return false;
    if (field == 5 || field == 6) {
      const l = length(p, e);
      if (next == 0 || !values(next, next + l, field, depth + 1)) return false;
    }
    p = skip(p, e, t);
    if (p == 0) return false;
  }
  return true;
}

/** The values of an ArrayValue (5) or a KeyValueList (6). */
function values(p: usize, e: usize, list: u32, depth: u32): bool {
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return false;
    p = next;
    if (t >>> 3 == 1) {
      if ((t & 7) != 2) return false;
      const l = length(p, e);
      if (next == 0) return false;
      const q = next;
      if (!(list == 5 ? anyValue(q, q + l, depth) : entry(q, q + l, depth))) return false;
    }
    p = skip(p, e, t);
    if (p == 0) return false;
  }
  return true;
}

// what readEntry() found
export let key: usize = 0;
export let keyLength: usize = 0;
/** Number of the AnyValue field that is set; 0 for none. */
export let valueField: u32 = 0;
/** Where its value starts: for text its bytes. */
export let value: usize = 0;
/** For text its length; for bool and int the value itself. */
export let valueLength: u64 = 0;

/** Reads the KeyValue at [p, e), which is well-formed: of fields that occur more than once the last one counts. */
export function readEntry(p: usize, e: usize): void {
  key = value = p;
  keyLength = 0;
  valueField = 0;
  valueLength = 0;
  while (p < e) {
    const t = tag(p, e);
    p = next;
    if (t == 10) {
      keyLength = length(p, e);
      key = next;
    } else if (t == 18) {
      const l = length(p, e);
      readValue(next, next + l);
    }
    p = skip(p, e, t);
    if (p == 0) return;
  }
}

function readValue(p: usize, e: usize): void {
  while (p < e) {
    const t = tag(p, e);
    p = next;
    const field = t >>> 3;
    if (field < 8) {
      valueField = field;
      value = p;
      if (field == 2 || field == 3) valueLength = varint(p, e);
      else if (field != 4) {
        valueLength = <u64>length(p, e);
        value = next;
      }
    }
    p = skip(p, e, t);
    if (p == 0) return;
  }
}
