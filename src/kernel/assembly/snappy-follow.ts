import { MAX_LABELS } from '../../wire/layout';
import { putVarint } from './protobuf';
import { copy, literal } from './snappy-encode';
import { outputLabels, outputPairs, putPair } from './table';

// Writes the snappy block of a remote write 1.0 message while emit1() writes the message, for series that are like those before them (alike.ts). What a series has in
// common with earlier ones is known then: a label pair is where that pair was written last, a time where the last time was. So matches are looked for at the
// starts of tokens (the head of a series, each label, the value, the time) and against one earlier text only, byte by byte from there; text that is new is searched for in
// other new text. A match stays open from token to token for as long as both texts agree, so one copy may span many labels and series.
//
// Measured against the plain encoder (snappy-encode.ts) with the whole proxy: 18 % smaller and 7 % less CPU where pods of 50 series are sent together; 12 % smaller,
// but 10 % more CPU, where hardly a label is that of the series before.

/** Farthest that a copy reaches back: two bytes of offset, as every encoder has it. */
const WINDOW: usize = 65535;
/** Pairs whose last place is known: {u32 pair, u32 address}, by a hash of the pair's address. */
const SEEN_BITS: u32 = 10;
/** Last new pair by its name: u32 address. */
const NAMES_BITS: u32 = 7;
/** Four bytes of new text: u32 address. */
const NEW_BITS: u32 = 10;
/** Values, and times, by their bytes: u32 address of their token. */
const NUMBERS_BITS: u32 = 6;
const SEEN: usize = 8 << SEEN_BITS;
const NAMES: usize = 4 << NAMES_BITS;
const NEW: usize = 4 << NEW_BITS;
const NUMBERS: usize = 4 << NUMBERS_BITS;
const LIST: usize = 4 * (MAX_LABELS + 1);
/** Bytes of the scratch that beginFollow() wants. */
export const FOLLOW_SCRATCH: usize = SEEN + NAMES + NEW + 2 * NUMBERS + LIST;
/** `12 10 09` and the value; `10` and the time: a sample as everybody writes it. */
const SAMPLE: usize = 18;
const VALUE: usize = 11;

let following: bool = false;
let message: usize = 0;
let op: usize = 0;
let seen: usize = 0;
let names: usize = 0;
let news: usize = 0;
let values: usize = 0;
let times: usize = 0;
let list: usize = 0;
/** First byte of the text that has no element yet. */
let lit: usize = 0;
/** The open match: its distance, 0 for none, and where it starts. */
let distance: usize = 0;
let from: usize = 0;
let lastValue: usize = 0;
let lastTime: usize = 0;

/**
 * From now on the elements of the text at `at` are written to `to`, which has room for maxEncoded() of the text; scratch is FOLLOW_SCRATCH bytes. All that is written of the
 * text must go through putFollowed() or follow(), in order.
 */
export function beginFollow(at: usize, to: usize, scratch: usize): void {
  following = true;
  message = lit = at;
  op = to;
  seen = scratch;
  names = seen + SEEN;
  news = names + NAMES;
  values = news + NEW;
  times = values + NUMBERS;
  list = times + NUMBERS;
  memory.fill(scratch, 0, SEEN + NAMES + NEW + 2 * NUMBERS);
  distance = from = lastValue = lastTime = 0;
}

// @ts-ignore: decorator
@inline
export function isFollowing(): bool { return following; }

/** Writes the series with output O, whose labels have that length, and the points [at, at+n) to w, and up to 31 bytes more. Returns where it ends. */
export function putFollowed(w: usize, O: usize, labels: usize, at: usize, n: usize): usize {
  store<u8>(w, 10);
  let p = putVarint(w + 1, <u32>(labels + n));
  if (distance) go(w, p);
  const pairs = outputPairs(O, list);
  for (let k = pairs, e = pairs + (<usize>outputLabels(O) << 2); k < e; k += 4) p = pair(p, <usize>load<u32>(k));
  const q = p + n;
  if (n == SAMPLE && (load<u32>(at) & 0xffffff) == 0x091012) {
    v128.store(p, v128.load(at));
    store<u16>(p, load<u16>(at, 16), 16);
    value(p, p + VALUE);
    time(p + VALUE, q);
    return q;
  }
  memory.copy(p, at, n);
  let a = p;
  if (distance) a = go(p, q);
  if (a < q) search(a, q);
  return q;
}

/** [a, e) is written, whatever it is. */
export function follow(a: usize, e: usize): void {
  if (distance) a = go(a, e);
  if (a < e) search(a, e);
}

/** The text ends at e. Returns where its elements end. */
export function endFollow(e: usize): usize {
  following = false;
  if (distance) close(e);
  flush(e);
  return op;
}

/** The open match goes on over [a, b), or ends in it. Returns how far it goes. */
// @ts-ignore: decorator
@inline
function go(a: usize, b: usize): usize {
  const n = common(a, a - distance, b);
  if (a + n < b) close(a + n);
  return a + n;
}

/** Writes the label pair P at a. Returns where it ends. */
// @ts-ignore: decorator
@inline
function pair(a: usize, P: usize): usize {
  const b = putPair(a, P);
  const slot = seen + (<usize>((<u32>P * 0x9e3779b1) >>> (32 - SEEN_BITS)) << 3);
  const was = load<u64>(slot);
  store<u64>(slot, <u64>P | (<u64>a << 32));
  const c = <usize>(was >>> 32);
  if (<u32>was == <u32>P && a - c <= WINDOW) {
    if (a - distance != c) known(a, b, c);
  } else fresh(a, b);
  return b;
}

/** [a, b) is the same text as at c. */
function known(a: usize, b: usize, c: usize): void {
  if (distance) {
    const n = common(a, a - distance, b);
    if (a + n == b) return;
    close(a);
  }
  if (b - a >= 4) open(a, a - c);
}

/** [a, b) is a label that was not there before. */
function fresh(a: usize, b: usize): void {
  const k = names + (<usize>((load<u32>(a, 3) * 0x9e3779b1) >>> (32 - NAMES_BITS)) << 2);
  const like = <usize>load<u32>(k);
  store<u32>(k, <u32>a);
  let p = a;
  if (distance) {
    p = go(a, b);
    if (p == b) return;
  }
  if (like != 0 && a - like <= WINDOW) {
    // Length and name, and what values begin with, are often those of the label before.
    const skip: usize = p == a ? (load<u8>(a, 1) == load<u8>(like, 1) ? 0 : 2) : p - a;
    const n = common(a + skip, like + skip, b);
    if (n >= 4) {
      open(a + skip, a - like);
      p = a + skip + n;
      if (p == b) return;
      close(p);
    }
  }
  search(p, b);
}

/** Looks for what [p, b) has in common with other text that was new. */
function search(p: usize, b: usize): void {
  while (p + 4 <= b) {
    const v = load<u32>(p);
    const k = news + (<usize>((v * 0x9e3779b1) >>> (32 - NEW_BITS)) << 2);
    const c = <usize>load<u32>(k);
    store<u32>(k, <u32>p);
    if (c != 0 && p - c <= WINDOW && load<u32>(c) == v) {
      const n: usize = 4 + common(p + 4, c + 4, b);
      open(p, p - c);
      p += n;
      if (p == b) return;
      close(p);
    } else p++;
  }
}

/** The value, with its tags, is written at [a, b). */
// @ts-ignore: decorator
@inline
function value(a: usize, b: usize): void {
  const c = before(values, load<u64>(a, 3), a);
  if (c != 0 && load<u64>(c, 3) == load<u64>(a, 3)) known(a, b, c);
  else if (distance) go(a, b);
  else begin(a, b, lastValue);
  lastValue = a;
}

/** The time, with its tag, is written at [a, b). */
// @ts-ignore: decorator
@inline
function time(a: usize, b: usize): void {
  const c = before(times, load<u64>(a) << 8, a);
  if (c != 0 && common(a, c, b) == b - a) known(a, b, c);
  else if (distance) go(a, b);
  else begin(a, b, lastTime);
  lastTime = a;
}

/** Where a number with these bits was written before, which is now written at a: perhaps; 0 when that is not known, or too far away. */
// @ts-ignore: decorator
@inline
function before(table: usize, bits: u64, a: usize): usize {
  const k = table + (<usize>((bits * 0x9e3779b97f4a7c15) >>> (64 - NUMBERS_BITS)) << 2);
  const c = <usize>load<u32>(k);
  store<u32>(k, <u32>a);
  return a - c <= WINDOW ? c : 0;
}

/** What [a, b) begins with may be what c does. */
function begin(a: usize, b: usize, c: usize): void {
  if (c == 0 || a - c > WINDOW) return;
  const n = common(a, c, b);
  if (n < 4) return;
  open(a, a - c);
  if (a + n < b) close(a + n);
}

/** A match of distance d begins at p, or some bytes before. */
function open(p: usize, d: usize): void {
  const first = max(lit, message + d);
  while (p > first && load<u8>(p - 1) == load<u8>(p - 1 - d)) p--;
  flush(p);
  from = p;
  distance = d;
}

/** The open match ends at p. */
// @ts-ignore: decorator
@inline
function close(p: usize): void {
  op = copy(op, distance, p - from);
  distance = 0;
  lit = p;
}

/** What is before p and not in the block yet is written as it is. */
// @ts-ignore: decorator
@inline
function flush(p: usize): void {
  while (lit < p) {
    const n = min<usize>(p - lit, 65536);
    op = literal(op, lit, n, true);
    lit += n;
  }
}

/** Number of equal bytes at p and q, up to p = e. */
// @ts-ignore: decorator
@inline
function common(p: usize, q: usize, e: usize): usize {
  const start = p;
  while (p < e) {
    const x = load<u64>(p) ^ load<u64>(q);
    if (x != 0) {
      p += <usize>(ctz<u64>(x) >>> 3);
      break;
    }
    p += 8;
    q += 8;
  }
  return min(p, e) - start;
}
