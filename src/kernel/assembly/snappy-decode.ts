import { E_LENGTH, E_OFFSET, E_OVERRUN, E_PREAMBLE, E_TOO_BIG, E_TRUNCATED } from '../../wire/layout';

// Snappy block:  preamble = uncompressed length, varint of at most 5 bytes and 32 bits; then elements, by the low two bits of their tag byte
//   00 literal     length-1 in tag>>2, or (60..63) in the next 1..4 bytes, little-endian; then the bytes
//   01 copy        length-4 in 3 bits (tag>>2&7), offset in 11 bits: tag>>5 and the next byte
//   10 copy        length-1 in tag>>2, offset in the next 2 bytes
//   11 copy        length-1 in tag>>2, offset in the next 4 bytes
// A copy may be longer than its offset (a run). The output must be exactly as long as claimed.

/**
 * Decodes the block at [src, src+n) into [dst, dst+cap). Returns the decoded length, or why the block is refused. Reads and writes nothing
 * outside of the two regions; on an error what dst holds is undefined.
 */
export function decode(src: usize, n: usize, dst: usize, cap: usize): i32 {
  let ip = src;
  const end = src + n;
  let len: u32 = 0;
  let shift: u32 = 0;
  while (true) {
    if (ip >= end || shift > 28) return E_PREAMBLE;
    const b = <u32>load<u8>(ip++);
    if (shift == 28 && b > 15) return E_PREAMBLE;
    len |= (b & 127) << shift;
    if (b < 128) break;
    shift += 7;
  }
  if (len > <u32>cap || <i32>len < 0) return E_TOO_BIG;
  let op = dst;
  const oe = dst + <usize>len;
  const ipFast = n > 32 ? end - 20 : src; //       at ip < ipFast: a tag and 16 literal bytes are readable
  const opFast = cap > 80 ? dst + cap - 80 : dst; // at op < opFast: 64 + 16 bytes are writable
  while (ip < end) {
    const t = <u32>load<u8>(ip);
    ip++;
    let l: usize;
    let off: usize;
    if ((t & 3) == 0) {
      l = <usize>(t >>> 2) + 1;
      if (l <= 16 && ip < ipFast && op < opFast) {
        if (l > oe - op) return E_OVERRUN;
        v128.store(op, v128.load(ip));
        op += l;
        ip += l;
        continue;
      }
      if (l > 60) {
        const extra = l - 60;
        if (extra > end - ip) return E_TRUNCATED;
        l = load<u8>(ip);
        if (extra > 1) l |= <usize>load<u8>(ip, 1) << 8;
        if (extra > 2) l |= <usize>load<u8>(ip, 2) << 16;
        if (extra > 3) l |= <usize>load<u8>(ip, 3) << 24;
        ip += extra;
        if (l >= 0x7fffffff) return E_TRUNCATED;
        l++;
      }
      if (l > end - ip) return E_TRUNCATED;
      if (l > oe - op) return E_OVERRUN;
      if (l <= 64 && op < opFast && end - ip >= 64) {
        v128.store(op, v128.load(ip));
        v128.store(op, v128.load(ip, 16), 16);
        v128.store(op, v128.load(ip, 32), 32);
        v128.store(op, v128.load(ip, 48), 48);
      } else memory.copy(op, ip, l);
      ip += l;
      op += l;
      continue;
    }
    if ((t & 3) == 1) {
      if (ip >= end) return E_TRUNCATED;
      l = <usize>((t >>> 2) & 7) + 4;
      off = <usize>((t >>> 5) << 8) | <usize>load<u8>(ip);
      ip++;
    } else if ((t & 3) == 2) {
      if (end - ip < 2) return E_TRUNCATED;
      l = <usize>(t >>> 2) + 1;
      off = load<u16>(ip);
      ip += 2;
    } else {
      if (end - ip < 4) return E_TRUNCATED;
      l = <usize>(t >>> 2) + 1;
      off = load<u32>(ip);
      ip += 4;
    }
    if (off - 1 >= op - dst) return E_OFFSET; // an offset of 0 wraps to the maximum
    if (l > oe - op) return E_OVERRUN;
    let s = op - off;
    if (off >= 16 && op < opFast) {
      v128.store(op, v128.load(s));
      if (l > 16) {
        v128.store(op, v128.load(s, 16), 16);
        if (l > 32) {
          v128.store(op, v128.load(s, 32), 32);
          v128.store(op, v128.load(s, 48), 48);
        }
      }
      op += l;
    } else if (off >= 8 && op < opFast) {
      const e = op + l;
      let o = op;
      do {
        store<u64>(o, load<u64>(s));
        o += 8;
        s += 8;
      } while (o < e);
      op = e;
    } else {
      const e = op + l;
      do {
        store<u8>(op, load<u8>(s));
        op++;
        s++;
      } while (op < e);
    }
  }
  return op == oe ? <i32>len : E_LENGTH;
}
