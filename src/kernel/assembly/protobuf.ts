// The wire format of protobuf, bounded: every function reads only inside [p, e).

/** Where the last read ended; 0 when it was malformed. */
export let next: usize = 0;

/** Varint of at most ten bytes and 64 bits. Sets `next`. */
export function varint(p: usize, e: usize): u64 {
  let v: u64 = 0;
  for (let shift: u64 = 0; shift < 70 && p < e; shift += 7) {
    const b = <u64>load<u8>(p++);
    v |= (b & 127) << shift;
    if (b < 128) {
      if (shift == 63 && b > 1) break;
      next = p;
      return v;
    }
  }
  next = 0;
  return 0;
}

/** Field tag: number << 3 | wire type, the number at least 1; of at most five bytes. 0 when malformed. Sets `next`. */
// @ts-ignore: decorator
@inline
export function tag(p: usize, e: usize): u32 {
  const b = p < e ? <u32>load<u8>(p) : 0;
  if (b > 7 && b < 128) {
    next = p + 1;
    return b;
  }
  return longTag(p, e);
}

function longTag(p: usize, e: usize): u32 {
  const t = varint(p, min(p + 5, e));
  if (next == 0 || t > 0xffffffff || t < 8) {
    next = 0;
    return 0;
  }
  return <u32>t;
}

/** Length prefix whose bytes lie before e. Sets `next` to the first of them; 0 when malformed or longer than what is left. */
// @ts-ignore: decorator
@inline
export function length(p: usize, e: usize): usize {
  const l = varint(p, e);
  if (next != 0 && l <= <u64>(e - next)) return <usize>l;
  next = 0;
  return 0;
}

/** Groups may stand in each other that deep: readers of protobuf take a hundred levels, messages among them. */
const DEEPEST: u32 = 90;

/** Steps over the payload of a field with this tag. Returns where it ends, 0 when malformed. */
export function skip(p: usize, e: usize, t: u32): usize {
  const wire = t & 7;
  if (wire == 0) {
    varint(p, e);
    return next;
  }
  if (wire == 1) return e - p >= 8 ? p + 8 : 0;
  if (wire == 2) {
    const l = length(p, e);
    return next ? next + l : 0;
  }
  if (wire == 5) return e - p >= 4 ? p + 4 : 0;
  return wire == 3 ? skipGroup(p, e, t >>> 3, 1) : 0;
}

function skipGroup(p: usize, e: usize, field: u32, depth: u32): usize {
  while (p < e) {
    const t = tag(p, e);
    if (next == 0) return 0;
    const wire = t & 7;
    if (wire == 4) return t >>> 3 == field ? next : 0;
    if (wire != 3) p = skip(next, e, t);
    else p = depth < DEEPEST ? skipGroup(next, e, t >>> 3, depth + 1) : 0;
    if (p == 0) return 0;
  }
  return 0;
}

/** Writes v as a varint at op and returns where it ends. */
// @ts-ignore: decorator
@inline
export function putVarint(op: usize, v: u32): usize {
  while (v > 127) {
    store<u8>(op++, <u8>(v | 128));
    v >>>= 7;
  }
  store<u8>(op++, <u8>v);
  return op;
}

/** The same for 64 bits. */
export function putVarint64(op: usize, v: u64): usize {
  while (v > 127) {
    store<u8>(op++, <u8>v | 128);
    v >>>= 7;
  }
  store<u8>(op++, <u8>v);
  return op;
}
