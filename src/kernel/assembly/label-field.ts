import { keep } from './bytes';
import { intern } from './table';

// Labels that are written as this project writes them, in less than 128 bytes, all of it ASCII, with a name and a value: pairs whose bytes are
//
//   0a LENGTH 0a LENGTH name 12 LENGTH value
//
// Rules are run on these in the kernel (rules.ts); the host takes care of all others.

/** Bytes of a name and a value together at the most. */
const MOST_TEXT: usize = 123;
/** Where the bytes of a pair are in its record. */
const BYTES: usize = 8;
/** A label that is being made. */
const MADE: usize = memory.data(192, 16);

/** Whether the pair is such a label. */
export function isPlainLabel(P: usize): bool {
  const n = <usize>load<u32>(P);
  const b = P + BYTES;
  const name = <usize>load<u8>(b, 3);
  if (n < 8 || n > 129 || load<u8>(b, 1) != <u8>(n - 2) || load<u8>(b) != 10 || load<u8>(b, 2) != 10 || name == 0 || name + 7 > n) return false;
  const v = b + 4 + name;
  if (load<u8>(v) != 18 || <usize>load<u8>(v, 1) + name + 6 != n) return false;
  let any = n < 16 ? v128.and(v128.load(b), keep(n)) : v128.load(b + n - 16);
  for (let i: usize = 0; i + 16 <= n; i += 16) any = v128.or(any, v128.load(b + i));
  return i8x16.bitmask(any) == 0;
}

/** The first eight bytes of what tells its name: the length and seven bytes of the name, or what stands behind it. */
// @ts-ignore: decorator
@inline
export function nameKey(P: usize): u64 {
  return load<u64>(P, BYTES + 3);
}

// @ts-ignore: decorator
@inline
export function nameAt(P: usize): usize {
  return P + BYTES + 4;
}

// @ts-ignore: decorator
@inline
export function nameLength(P: usize): usize {
  return <usize>load<u8>(P, BYTES + 3);
}

// @ts-ignore: decorator
@inline
export function valueAt(P: usize): usize {
  return P + BYTES + 6 + nameLength(P);
}

// @ts-ignore: decorator
@inline
export function valueLength(P: usize): usize {
  return <usize>load<u8>(P + BYTES + 5 + nameLength(P));
}

/** Whether the name of P comes before that of Q. */
export function namesAscend(P: usize, Q: usize): bool {
  const m = nameLength(P);
  const n = nameLength(Q);
  const p = nameAt(P);
  const q = nameAt(Q);
  const l = min(m, n);
  for (let i: usize = 0; i < l; i++) {
    const a = load<u8>(p + i);
    const b = load<u8>(q + i);
    if (a != b) return a < b;
  }
  return m < n;
}

/** A pair can't be made: the generation is full; or the label would be none that rules are run on here. */
export const NO_ROOM: usize = 0;
export const NOT_PLAIN: usize = 1;

/** The pair of this name and a value that is not empty, made when it is new; NO_ROOM or NOT_PLAIN. */
export function makeLabel(name: usize, m: usize, value: usize, n: usize): usize {
  if (m + n > MOST_TEXT) return NOT_PLAIN;
  store<u8>(MADE, 10);
  store<u8>(MADE, <u8>(m + n + 4), 1);
  store<u8>(MADE, 10, 2);
  store<u8>(MADE, <u8>m, 3);
  memory.copy(MADE + 4, name, m);
  const v = MADE + 4 + m;
  store<u8>(v, 18);
  store<u8>(v, <u8>n, 1);
  memory.copy(v + 2, value, n);
  return intern(MADE, m + n + 6);
}
