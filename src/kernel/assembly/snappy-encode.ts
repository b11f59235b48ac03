import { E_SPACE } from '../../wire/layout';

// The format stands in snappy-decode.ts. The encoder works on independent blocks of 64 KiB, as the reference does: offsets fit in 16 bits.

const BLOCK: usize = 65536;
const HASH_BITS: u32 = 14;
/** Bytes of the scratch table that encode() wants. */
export const ENCODE_SCRATCH: usize = 2 << HASH_BITS;

/** Room that encode() wants for n bytes. */
export function maxEncoded(n: usize): usize {
  return 32 + n + n / 6 + 64;
}

/**
 * Encodes [src, src+n) as one snappy block into [dst, dst+cap), cap at least maxEncoded(n); scratch is ENCODE_SCRATCH bytes. Returns the
 * length, or E_SPACE. Reads nothing outside of src, writes nothing outside of dst and scratch.
 */
export function encode(src: usize, n: usize, dst: usize, cap: usize, scratch: usize): i32 {
  if (cap < maxEncoded(n) || <i32>n < 0) return E_SPACE;
  let op = dst;
  let v = <u32>n;
  while (v > 127) {
    store<u8>(op++, <u8>(v | 128));
    v >>>= 7;
  }
  store<u8>(op++, <u8>v);
  return <i32>(encodeBlocks(src, src + n, op, scratch) - dst);
}

/** Writes the elements that [src, fin) comes to, without a length before them, to op: less than maxEncoded() of it. Returns where they end. */
export function encodeBlocks(src: usize, fin: usize, op: usize, scratch: usize): usize {
  for (let base = src; base < fin; base += BLOCK) op = encodeBlock(base, min(base + BLOCK, fin), op, scratch);
  return op;
}

// @ts-ignore: decorator
@inline
function slot(v: u32, shift: u32): usize {
  return <usize>((v * 0x1e35a7bd) >>> shift) << 1;
}

function encodeBlock(base: usize, end: usize, op: usize, scratch: usize): usize {
  const size = end - base;
  let next = base; // first byte not yet written
  if (size < 32) return last(op, next, end);
  let bits: u32 = 8;
  while (<usize>1 << bits < size && bits < HASH_BITS) bits++;
  const shift = 32 - bits;
  memory.fill(scratch, 0, <usize>2 << bits);
  const limit = end - 31; // at ip < limit all 16-byte loads stay inside the block
  let ip = base + 1;
  let cur = load<u32>(ip);
  while (true) {
    let skip: u32 = 32;
    let cand: usize;
    while (true) {
      const h = scratch + slot(cur, shift);
      cand = base + <usize>load<u16>(h);
      store<u16>(h, <u16>(ip - base));
      if (load<u32>(cand) == cur) break;
      ip += <usize>(skip >>> 5); // steps grow where nothing matches
      skip++;
      if (ip >= limit) return last(op, next, end);
      cur = load<u32>(ip);
    }
    if (next < ip) op = literal(op, next, ip - next, true);
    while (true) {
      const from = ip;
      let s = cand + 4;
      ip += 4;
      while (true) {
        if (ip + 8 <= end) {
          const x = load<u64>(ip) ^ load<u64>(s);
          if (x == 0) {
            ip += 8;
            s += 8;
            continue;
          }
          ip += <usize>(ctz<u64>(x) >>> 3);
          break;
        }
        while (ip < end && load<u8>(ip) == load<u8>(s)) {
          ip++;
          s++;
        }
        break;
      }
      op = copy(op, from - cand, ip - from);
      next = ip;
      if (ip >= limit) return last(op, next, end);
      const w = load<u64>(ip - 1);
      store<u16>(scratch + slot(<u32>w, shift), <u16>(ip - 1 - base));
      cur = <u32>(w >>> 8);
      const h = scratch + slot(cur, shift);
      cand = base + <usize>load<u16>(h);
      store<u16>(h, <u16>(ip - base));
      if (load<u32>(cand) != cur) {
        cur = <u32>(w >>> 16);
        ip++;
        break;
      }
    }
  }
}

function last(op: usize, next: usize, end: usize): usize {
  return next < end ? literal(op, next, end - next, false) : op;
}

/** Writes the l bytes at s, 65,536 at the most, as they are. wide: 15 bytes behind them are readable. Returns where the element ends. */
// @ts-ignore: decorator
@inline
export function literal(op: usize, s: usize, l: usize, wide: bool): usize {
  if (l <= 16 && wide) {
    store<u8>(op, <u8>((l - 1) << 2));
    v128.store(op, v128.load(s), 1);
    return op + 1 + l;
  }
  if (l <= 60) store<u8>(op++, <u8>((l - 1) << 2));
  else if (l <= 256) {
    store<u8>(op, 60 << 2);
    store<u8>(op, <u8>(l - 1), 1);
    op += 2;
  } else {
    store<u8>(op, 61 << 2);
    store<u16>(op, <u16>(l - 1), 1);
    op += 3;
  }
  if (l <= 64 && wide) {
    const e = op + l;
    let o = op;
    do {
      v128.store(o, v128.load(s));
      o += 16;
      s += 16;
    } while (o < e);
  } else memory.copy(op, s, l);
  return op + l;
}

/** Writes a copy of l bytes, four at least, from off bytes before. Returns where its elements end. */
// @ts-ignore: decorator
@inline
export function copy(op: usize, off: usize, l: usize): usize {
  while (l >= 68) {
    store<u8>(op, (63 << 2) | 2);
    store<u16>(op, <u16>off, 1);
    op += 3;
    l -= 64;
  }
  if (l > 64) {
    store<u8>(op, (59 << 2) | 2);
    store<u16>(op, <u16>off, 1);
    op += 3;
    l -= 60;
  }
  if (l < 12 && off < 2048) {
    store<u16>(op, <u16>(1 | ((l - 4) << 2) | ((off >>> 8) << 5) | ((off & 255) << 8)));
    return op + 2;
  }
  store<u32>(op, <u32>(((l - 1) << 2) | 2) | <u32>(off << 8));
  return op + 3;
}
