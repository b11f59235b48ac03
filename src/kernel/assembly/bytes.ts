// Wide compares. A wide load may see up to PAD bytes past the end of what it reads; no result depends on them.

/** 16 bytes of ones and 16 of zeros: loaded at 16 - n they keep the first n bytes of a vector. */
const MASKS: usize = memory.data<u8>([
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

/** The mask that keeps the first n bytes of a vector; n is at most 16. */
// @ts-ignore: decorator
@inline
export function keep(n: usize): v128 {
  return v128.load(MASKS + 16 - n);
}

/** Zero iff the l bytes at p and q are equal. */
// @ts-ignore: decorator
@inline
export function differ(p: usize, q: usize, l: usize): v128 {
  const x = v128.xor(v128.load(p), v128.load(q));
  if (l < 16) return v128.and(x, keep(l));
  const e = l - 16;
  let any = v128.or(x, v128.xor(v128.load(p + e), v128.load(q + e)));
  for (let i: usize = 16; i < e; i += 16) {
    any = v128.or(any, v128.xor(v128.load(p + i), v128.load(q + i)));
  }
  return any;
}
