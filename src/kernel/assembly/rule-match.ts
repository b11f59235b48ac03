import {
  GAP_WORDS, SHAPE_GAP, SHAPE_GAPS, SHAPE_MIDDLE, SHAPE_MIDDLE_LENGTH, SHAPE_PREFIX, SHAPE_PREFIX_LENGTH, SHAPE_SUFFIX, SHAPE_SUFFIX_LENGTH, SHAPE_WORDS,
} from '../../wire/rule-layout';
import { differ } from './bytes';

// Regexes that need no engine, on bytes: as src/relabel/match-shape.ts does it on strings. Alternatives are tried in order; each must cover the whole value, so the first that
// fits is the one. A dot is a byte here: what matches is cut at texts of the regex only, so never inside a character.

/** Start and end of the whole and of each group, offsets in the value; a start of -1: it took no part. Groups are few: a gap has at most one. */
const BOUNDS: usize = memory.data(8 * 64, 8);
/** Groups that a matcher may have. */
export const MOST_GROUPS: u32 = 62;
let program: usize = 0;

/** Texts of matchers and templates are in this program. */
export function matchIn(at: usize): void {
  program = at;
}

// @ts-ignore: decorator
@inline
export function groupStart(g: u32): i32 {
  return load<i32>(BOUNDS + (<usize>g << 3));
}

// @ts-ignore: decorator
@inline
export function groupEnd(g: u32): i32 {
  return load<i32>(BOUNDS + (<usize>g << 3), 4);
}

function setGroup(g: u32, start: usize, end: usize): void {
  store<i32>(BOUNDS + (<usize>g << 3), <i32>start);
  store<i32>(BOUNDS + (<usize>g << 3), <i32>end, 4);
}

/** Whether the matcher matches the n bytes at p. Its groups are noted. */
export function matches(M: usize, p: usize, n: usize): bool {
  return mayBegin(M, p, n) && anyOf(M, p, n);
}

/** Whether a match may begin with what the n bytes at p begin with. */
// @ts-ignore: decorator
@inline
export function mayBegin(M: usize, p: usize, n: usize): bool {
  const b = <usize>load<u8>(p);
  return n == 0 || <bool>((load<u8>(M + 12 + (b >>> 3)) >>> <u8>(b & 7)) & 1);
}

function anyOf(M: usize, p: usize, n: usize): bool {
  const alternatives = load<u32>(M);
  const groups = load<u32>(M, 4);
  for (let g: u32 = 0; g <= groups; g++) store<i64>(BOUNDS + (<usize>g << 3), -1);
  let S = M + 44;
  for (let i: u32 = 0; i < alternatives; i++, S += 4 * SHAPE_WORDS) {
    if (!one(S, p, n)) continue;
    setGroup(0, 0, n);
    if (load<u32>(M, 8)) setGroup(1, 0, n);
    return true;
  }
  return false;
}

// @ts-ignore: decorator
@inline
function word(S: usize, i: usize): usize {
  return <usize>load<u32>(S + (i << 2));
}

// @ts-ignore: decorator
@inline
function same(p: usize, text: usize, n: usize): bool {
  return !v128.any_true(differ(p, program + text, n));
}

function one(S: usize, p: usize, n: usize): bool {
  const prefix = word(S, SHAPE_PREFIX_LENGTH);
  const gaps = word(S, SHAPE_GAPS);
  if (gaps == 0) return n == prefix && same(p, word(S, SHAPE_PREFIX), n);
  const suffix = word(S, SHAPE_SUFFIX_LENGTH);
  if (n < prefix + suffix || !same(p, word(S, SHAPE_PREFIX), prefix)) return false;
  const end = n - suffix;
  if (!same(p + end, word(S, SHAPE_SUFFIX), suffix)) return false;
  const G = S + 4 * SHAPE_GAP;
  const least = word(G, 0);
  const not = word(G, 2);
  const group = <u32>word(G, 3);
  if (gaps == 1) {
    if (end - prefix < least || (not && holds(p, <u8>(not - 1), prefix, end))) return false;
    if (group) setGroup(group, prefix, end);
    return true;
  }
  const H = G + 4 * GAP_WORDS;
  const middle = word(S, SHAPE_MIDDLE_LENGTH);
  const text = word(S, SHAPE_MIDDLE);
  const earliest = prefix + least;
  const taken = word(H, 0) + middle;
  if (end < taken || end - taken < earliest) return false;
  const latest = end - taken;
  let at: usize;
  if (not) {
    at = prefix;
    while (at < n && load<u8>(p + at) != <u8>(not - 1)) at++;
    if (at < earliest || at > latest || !same(p + at, text, middle)) return false;
  } else if (word(G, 1)) {
    at = earliest;
    while (at <= latest && !same(p + at, text, middle)) at++;
    if (at > latest) return false;
  } else {
    at = latest;
    while (!same(p + at, text, middle)) {
      if (at == earliest) return false;
      at--;
    }
  }
  const rest = at + middle;
  const notThen = word(H, 2);
  // With greed, an earlier place would leave the second gap more to hold, so it is no way out.
  if (notThen && holds(p, <u8>(notThen - 1), rest, end)) return false;
  if (group) setGroup(group, prefix, at);
  const second = <u32>word(H, 3);
  if (second) setGroup(second, rest, end);
  return true;
}

function holds(p: usize, b: u8, from: usize, to: usize): bool {
  for (let i = from; i < to; i++) if (load<u8>(p + i) == b) return true;
  return false;
}
