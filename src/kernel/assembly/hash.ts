import { keep } from './bytes';

// NH (from UMAC) with secret keys, 64 bits folded to 32: one multiply for eight bytes, and collisions can't be
// constructed without the keys, which the host draws at random per isolate.

/** Bytes that one run over the keys covers. Longer input goes in pieces. */
const SPAN: usize = 8192;
/** Bytes of secret keys. */
export const KEYS: usize = SPAN + 64;

let keys: usize = 0;

export function setKeys(at: usize): void {
  keys = at;
}

/** Hash of the n bytes at p; never 0, so that 0 can mean an empty slot. */
export function hash(p: usize, n: usize, seed: u32): u32 {
  let h: u64 = <u64>seed * 0xc2b2ae3d27d4eb4f;
  while (n > SPAN) {
    h = mix(h ^ nh(p, SPAN));
    p += SPAN;
    n -= SPAN;
  }
  h = mix(h ^ (nh(p, n) + <u64>n * 0x9e3779b97f4a7c15));
  return <u32>h + <u32>(<u32>h == 0);
}

/** Hash of n numbers (record addresses). */
export function hashList(p: usize, n: u32, seed: u32): u32 {
  let h: u64 = load<u64>(keys) ^ seed;
  for (const e = p + (<usize>n << 2); p < e; p += 4) {
    h = (h ^ load<u32>(p)) * 0xd6e8feb86659fd93;
    h ^= h >>> 29;
  }
  h = mix(h);
  return <u32>h + <u32>(<u32>h == 0);
}

// @ts-ignore: decorator
@inline
function mix(h: u64): u64 {
  h ^= h >>> 32;
  h *= 0xd6e8feb86659fd93;
  return h ^ (h >>> 32);
}

// @ts-ignore: decorator
@inline
function nh(p: usize, n: usize): u64 {
  let k = keys;
  let low = i64x2.splat(0);
  let high = i64x2.splat(0);
  if (n >= 32) {
    const e = p + n - 32;
    for (; p < e; p += 32, k += 32) {
      const a = i32x4.add(v128.load(p), v128.load(k));
      const b = i32x4.add(v128.load(p, 16), v128.load(k, 16));
      low = i64x2.add(low, i64x2.extmul_low_i32x4_u(a, b));
      high = i64x2.add(high, i64x2.extmul_high_i32x4_u(a, b));
    }
    const a = i32x4.add(v128.load(e), v128.load(k));
    const b = i32x4.add(v128.load(e, 16), v128.load(k, 16));
    low = i64x2.add(low, i64x2.extmul_low_i32x4_u(a, b));
    high = i64x2.add(high, i64x2.extmul_high_i32x4_u(a, b));
  } else {
    const x = v128.and(v128.load(p), keep(min<usize>(n, 16)));
    const y = v128.and(v128.load(p, 16), keep(n > 16 ? n - 16 : 0));
    const a = i32x4.add(x, v128.load(k));
    const b = i32x4.add(y, v128.load(k, 16));
    low = i64x2.extmul_low_i32x4_u(a, b);
    high = i64x2.extmul_high_i32x4_u(a, b);
  }
  low = i64x2.add(low, high);
  return <u64>i64x2.extract_lane(low, 0) + <u64>i64x2.extract_lane(low, 1);
}
