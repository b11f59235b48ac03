// How most samples are written: a value and a time of the years 2004 to 2109, which takes six bytes.

const TIME_MASK: u64 = 0x808080808080ff00;
const TIME_FORM: u64 = 0x0080808080801000;
const START_FORM: u64 = 0x0080808080801800;

/** Whether [p, e) is exactly one sample field: 12 10 09 <8> 10 <6> or, with value 0, 12 07 10 <6>, <6> a time of six bytes. */
// @ts-ignore: decorator
@inline
export function plain(p: usize, e: usize): bool {
  if (e - p == 18) return (load<u32>(p) & 0xffffff) == 0x091012 && (load<u64>(p, 10) & TIME_MASK) == TIME_FORM;
  return load<u8>(p) == 18 && (load<u64>(p, 1) & (TIME_MASK | 255)) == (TIME_FORM | 7);
}

/** The same with a start timestamp behind: 12 17 09 <8> 10 <6> 18 <6> or 12 0e 10 <6> 18 <6>. */
// @ts-ignore: decorator
@inline
export function plainStarted(p: usize, e: usize): bool {
  if ((load<u64>(e - 8) & TIME_MASK) != START_FORM) return false;
  if (e - p == 25) return (load<u32>(p) & 0xffffff) == 0x091712 && (load<u64>(p, 10) & TIME_MASK) == TIME_FORM;
  return load<u8>(p) == 18 && (load<u64>(p, 1) & (TIME_MASK | 255)) == (TIME_FORM | 14);
}

/** The time in the last six bytes before e. */
// @ts-ignore: decorator
@inline
export function plainTime(e: usize): i64 {
  const w = load<u64>(e - 8) >>> 16;
  return <i64>((w & 127) | ((w >>> 1) & (127 << 7)) | ((w >>> 2) & (127 << 14)) | ((w >>> 3) & (127 << 21)) | ((w >>> 4) & (<u64>127 << 28)) |
    ((w >>> 5) & (<u64>127 << 35)));
}
