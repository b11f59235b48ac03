// MD5 (RFC 1321), for the relabel action hashmod alone: Prometheus' shards depend on it. 

const S: usize = memory.data<u8>([7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]);
const T: usize = memory.data<u32>([
  0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
  0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
  0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
  0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
  0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
  0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
  0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
  0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
]);
const TAIL: usize = memory.data(128);

let a0: u32 = 0;
let b0: u32 = 0;
let c0: u32 = 0;
let d0: u32 = 0;

/** Writes the 16 bytes of the digest of [src, src+n) to dst. Reads nothing else, writes nothing else. */
export function md5(src: usize, n: usize, dst: usize): void {
  a0 = 0x67452301;
  b0 = 0xefcdab89;
  c0 = 0x98badcfe;
  d0 = 0x10325476;
  const whole = n & ~63;
  for (let i: usize = 0; i < whole; i += 64) block(src + i);
  const rest = n - whole;
  const size: usize = rest < 56 ? 64 : 128;
  memory.fill(TAIL, 0, 128);
  memory.copy(TAIL, src + whole, rest);
  store<u8>(TAIL + rest, 0x80);
  store<u64>(TAIL + size - 8, <u64>n << 3);
  block(TAIL);
  if (size == 128) block(TAIL + 64);
  store<u32>(dst, a0);
  store<u32>(dst, b0, 4);
  store<u32>(dst, c0, 8);
  store<u32>(dst, d0, 12);
}

function block(p: usize): void {
  let a = a0;
  let b = b0;
  let c = c0;
  let d = d0;
  for (let i: u32 = 0; i < 64; i++) {
    let f: u32;
    let g: u32;
    if (i < 16) {
      f = d ^ (b & (c ^ d));
      g = i;
    } else if (i < 32) {
      f = c ^ (d & (b ^ c));
      g = (5 * i + 1) & 15;
    } else if (i < 48) {
      f = b ^ c ^ d;
      g = (3 * i + 5) & 15;
    } else {
      f = c ^ (b | ~d);
      g = (7 * i) & 15;
    }
    const x = a + f + load<u32>(T + (<usize>i << 2)) + load<u32>(p + (<usize>g << 2));
    a = d;
    d = c;
    c = b;
    b += rotl<u32>(x, load<u8>(S + <usize>(((i >>> 4) << 2) | (i & 3))));
  }
  a0 += a;
  b0 += b;
  c0 += c;
  d0 += d;
}
