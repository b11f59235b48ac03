// UTF-8, strictly: no overlong forms, no surrogates, nothing above U+10FFFF.

/** Number of code points in the n bytes at p, -1 when they are not UTF-8. */
export function codePoints(p: usize, n: usize): i32 {
  const e = p + n;
  let points: i32 = 0;
  while (p < e) {
    const b = <u32>load<u8>(p++);
    points++;
    if (b < 0x80) continue;
    if (b < 0xc2 || b > 0xf4) return -1;
    const more: usize = b < 0xe0 ? 1 : b < 0xf0 ? 2 : 3;
    if (e - p < more) return -1;
    const second = <u32>load<u8>(p);
    const low: u32 = b == 0xe0 ? 0xa0 : b == 0xf0 ? 0x90 : 0x80;
    const high: u32 = b == 0xed ? 0x9f : b == 0xf4 ? 0x8f : 0xbf;
    if (second < low || second > high) return -1;
    for (let i: usize = 1; i < more; i++) {
      if ((<u32>load<u8>(p + i) & 0xc0) != 0x80) return -1;
    }
    p += more;
  }
  return points;
}
