import { MAX_LABELS, OWN_TENANT, STATUS_DROPPED, STATUS_OK } from '../../wire/layout';
import {
  ABSENT, ACTION_DROP, ACTION_DROPEQUAL, ACTION_HASHMOD, ACTION_KEEP, ACTION_KEEPEQUAL, ACTION_LABELDROP, ACTION_LABELKEEP, ACTION_LOWERCASE, ACTION_UPPERCASE,
  ANSWER_NO, ANSWER_REMOVE, ANSWER_YES, MEMO_BITS, MEMOS, PROGRAM, RULE_ACTION, RULE_FIXED, RULE_MATCHER, RULE_MEMO, RULE_MODULUS_HIGH, RULE_MODULUS_LOW,
  RULE_SEPARATOR, RULE_SEPARATOR_LENGTH, RULE_SOURCES, RULE_SOURCES_AT, RULE_TARGET, RULE_TEMPLATE, RULE_WORDS,
} from '../../wire/rule-layout';
import { differ } from './bytes';
import { isPlainLabel, makeLabel, nameAt, nameKey, nameLength, namesAscend, NO_ROOM, NOT_PLAIN, valueAt, valueLength } from './label-field';
import { md5 } from './md5';
import { groupEnd, groupStart, matches, matchIn } from './rule-match';
import { ids, insert, intern, turns } from './table';

// Relabel rules, run on a series that is met for the first time, in the order of Prometheus: ingress rules, external labels (they fill gaps only), each variant's rules. The
// host writes them as a program (rule-layout.ts). What the kernel can't do it leaves to the host, series by series: labels that are not plain (label-field.ts), and series
// that break a limit. Regexes that need an engine are the host's: it is asked about a value once, and what it said is remembered.

/** What runRules() did: the series is kept; or what keeps it from being done here. Otherwise: the number of the rule that drops it. */
const KEPT: i32 = -1;
/** The host must do it. */
const HOST: i32 = -2;
/** The generation is full. */
const FULL: i32 = -3;
/** The host must say what a value comes to: askedMemo, askedPair. */
const ASK: i32 = -4;

/** What relabelSeries() returns when it is no record. */
export const LEAVE: usize = 0;
export const NO_SPACE: usize = 1;
export const ASKS: usize = 2;

/** Bytes of the region for a program and for what is remembered. */
export const RULES: usize = <usize>PROGRAM + (<usize>MEMOS << (3 + <usize>MEMO_BITS));
/** Most labels that a series has on its way. */
const MOST: u32 = 2 * MAX_LABELS;
const TEXT: usize = 1024;

let program: usize = 0;
let memos: usize = 0;
let ready: bool = false;
/** Generation in which pairs mean something that fixed labels and memos hold. */
let turn: u32 = 0xffffffff;
let outputs: usize = 0;

/** Labels at hand, and labels as they were admitted: pairs. */
const LABELS: usize = memory.data(4 * 2 * 256, 8);
const ADMITTED: usize = memory.data(4 * 2 * 256, 8);
let count: u32 = 0;
/** A value that is joined or made, and what wide loads read behind it. */
const VALUE: usize = memory.data(1024 + 64, 16);
const DIGEST: usize = memory.data(16, 8);

export let askedMemo: u32 = 0;
export let askedPair: u32 = 0;

/** Rules will be at `at`, RULES bytes; outputs are listed at `list`. None are run before setRules(). */
export function initRules(at: usize, list: usize): void {
  program = at;
  memos = at + PROGRAM;
  outputs = list;
}

/** The program that was written to the region is run from now on; on: false: none is. */
export function setRules(on: bool): void {
  ready = on;
  turn = turns - 1;
  matchIn(program);
}

/** What the host says of the pair, or ABSENT, that was asked about: an ANSWER_, a pair of this generation that is a plain label, or 0: the series with it are the host's. */
export function answerRule(memo: u32, pair: u32, answer: u32): void {
  const at = memoAt(memo, pair);
  store<u32>(at, pair);
  store<u32>(at, answer, 4);
}

// @ts-ignore: decorator
@inline
function memoAt(memo: u32, pair: u32): usize {
  return memos + (((<usize>memo << MEMO_BITS) + <usize>((pair * 0x9e3779b1) >>> (32 - MEMO_BITS))) << 3);
}

/**
 * Adds the series with the n pairs in `ids`, sorted by their names, and the key of L bytes, with what the rules make of it. Returns its record; LEAVE, NO_SPACE or ASKS when there is
 * none yet.
 */
export function relabelSeries(L: usize, h: u32, tenant: u32, n: u32): usize {
  if (!ready || tenant == OWN_TENANT) return LEAVE;
  if (turn != turns) forget();
  let named = false;
  const name = load<u32>(program, 20);
  for (let i: usize = 0; i < <usize>n; i++) {
    const P = <usize>load<u32>(ids + (i << 2));
    if (!isPlainLabel(P)) return LEAVE;
    store<u32>(LABELS + (i << 2), <u32>P);
    if (hasName(P, program + name)) named = true;
  }
  if (!named) return LEAVE;
  count = n;
  const ingress = load<u32>(program, 4);
  const external = load<u32>(program, 8);
  if (ingress) {
    const rule = runRules(program + ingress);
    if (rule < KEPT) return failed(rule);
    if (rule >= 0 || find(program + name) < 0) return inserted(insert(L, h, tenant, n, STATUS_DROPPED, 0));
  }
  for (let i: usize = 0; i < <usize>external; i++) {
    const P = fixed(program + <usize>load<u32>(program + load<u32>(program, 12) + (i << 2)));
    if (P == NO_ROOM) return NO_SPACE;
    if (findPair(P) < 0 && !push(P)) return LEAVE;
  }
  if (ingress | external) sort();
  const out = listOutputs(load<u32>(program), program + name);
  if (out != KEPT) return failed(out);
  return inserted(insert(L, h, tenant, n, STATUS_OK, outputs));
}

// @ts-ignore: decorator
@inline
function inserted(E: usize): usize {
  return E ? E : NO_SPACE;
}

function failed(result: i32): usize {
  return result == FULL ? NO_SPACE : result == ASK ? ASKS : LEAVE;
}

/** Lists an output for each variant, of the labels at hand, as insert() (table.ts) reads them. KEPT; HOST, FULL or ASK. */
function listOutputs(variants: u32, name: usize): i32 {
  const admitted = count;
  if (variants > 1) memory.copy(ADMITTED, LABELS, <usize>admitted << 2);
  let out = outputs;
  for (let v: u32 = 0; v < variants; v++) {
    if (v > 0) {
      memory.copy(LABELS, ADMITTED, <usize>admitted << 2);
      count = admitted;
    }
    const block = load<u32>(program + (<usize>v << 2), 24);
    let rule = KEPT;
    if (block) {
      rule = runRules(program + block);
      if (rule < KEPT) return rule;
    }
    // A series without labels, or without a name, is dropped by the rules that left it so.
    if (rule == KEPT && find(name) < 0) rule = 0;
    if (rule >= 0) {
      store<u32>(out, 0x80000000 | (<u32>rule << 1) | 1);
      out += 4;
      continue;
    }
    if (count > load<u32>(program, 16) || count > <u32>MAX_LABELS) return HOST;
    if (block) sort();
    store<u32>(out, count);
    memory.copy(out + 4, LABELS, <usize>count << 2);
    out += 4 + (<usize>count << 2);
  }
  return KEPT;
}

/** Pairs of another generation mean nothing. */
function forget(): void {
  turn = turns;
  memory.fill(memos, 0, RULES - PROGRAM);
}

/** The pair of a fixed label; NO_ROOM when the generation is full. */
function fixed(F: usize): usize {
  if (load<u32>(F, 8) == turn && load<u32>(F, 4) != 0) return <usize>load<u32>(F, 4);
  const P = intern(F + 12, <usize>load<u32>(F));
  store<u32>(F, <u32>P, 4);
  store<u32>(F, turn, 8);
  return P;
}

// The labels at hand

// @ts-ignore: decorator
@inline
function labelAt(i: usize): usize {
  return <usize>load<u32>(LABELS + (i << 2));
}

/** Whether the pair has the name N. */
// @ts-ignore: decorator
@inline
function hasName(P: usize, N: usize): bool {
  if ((nameKey(P) & load<u64>(N, 8)) != load<u64>(N)) return false;
  const n = <usize>load<u32>(N, 16);
  return n < 8 || !v128.any_true(differ(nameAt(P) + 7, program + <usize>load<u32>(N, 20) + 7, n - 7));
}

/** Where the label named N is; -1 when it is absent. */
function find(N: usize): i32 {
  // Series have the same labels mostly.
  const last = load<u32>(N, 24);
  if (last < count && hasName(labelAt(<usize>last), N)) return <i32>last;
  const key = load<u64>(N);
  const mask = load<u64>(N, 8);
  for (let i: u32 = 0; i < count; i++) {
    const P = labelAt(<usize>i);
    if ((nameKey(P) & mask) != key || !hasName(P, N)) continue;
    store<u32>(N, i, 24);
    return <i32>i;
  }
  return -1;
}

/** Where the label is that has the name of P. */
function findPair(P: usize): i32 {
  const m = nameLength(P);
  for (let i: usize = 0, n = <usize>count; i < n; i++) {
    const Q = labelAt(i);
    if (nameLength(Q) == m && !v128.any_true(differ(nameAt(P), nameAt(Q), m))) return <i32>i;
  }
  return -1;
}

function push(P: usize): bool {
  if (count >= MOST) return false;
  store<u32>(LABELS + (<usize>count << 2), <u32>P);
  count++;
  return true;
}

function removeAt(i: usize): void {
  count--;
  memory.copy(LABELS + (i << 2), LABELS + ((i + 1) << 2), (<usize>count - i) << 2);
}

/** Sets the label named N to the pair P, which has that name; P = 0 removes it. */
function setLabel(N: usize, P: usize): bool {
  const at = find(N);
  if (P == 0) {
    if (at >= 0) removeAt(<usize>at);
    return true;
  }
  if (at < 0) return push(P);
  store<u32>(LABELS + (<usize>at << 2), <u32>P);
  return true;
}

/** Sorts by the bytes of the names: most are in order. */
function sort(): void {
  for (let i: usize = 1, n = <usize>count; i < n; i++) {
    const P = labelAt(i);
    let j = i;
    while (j > 0 && namesAscend(P, labelAt(j - 1))) {
      store<u32>(LABELS + (j << 2), <u32>labelAt(j - 1));
      j--;
    }
    if (j != i) store<u32>(LABELS + (j << 2), <u32>P);
  }
}

// Rules

/** Where the joined value of a rule's sources is, and its length. */
let joined: usize = 0;
let joinedLength: usize = 0;
/** The pair of the one source; ABSENT. */
let source: u32 = 0;

// @ts-ignore: decorator
@inline
function word(R: usize, i: usize): u32 {
  return load<u32>(R + (i << 2));
}

/** Runs the rules of this block on the labels at hand. KEPT, the number of the rule that drops the series; HOST, FULL or ASK. */
function runRules(block: usize): i32 {
  const n = load<u32>(block);
  let R = block + 4;
  for (let i: u32 = 0; i < n; i++, R += 4 * RULE_WORDS) {
    const result = runRule(R);
    if (result == DROPS) return <i32>i;
    if (result != KEPT) return result;
  }
  return KEPT;
}

const DROPS: i32 = 0;

/** KEPT, DROPS, HOST, FULL or ASK. */
function runRule(R: usize): i32 {
  const action = word(R, RULE_ACTION);
  if (action == ACTION_LABELDROP || action == ACTION_LABELKEEP) {
    const M = program + <usize>word(R, RULE_MATCHER);
    for (let i = <i32>count - 1; i >= 0; i--) {
      const P = labelAt(<usize>i);
      if (matches(M, nameAt(P), nameLength(P)) == (action == ACTION_LABELDROP)) removeAt(<usize>i);
    }
    return KEPT;
  }
  if (!join(R)) return HOST;
  if (action == ACTION_KEEPEQUAL || action == ACTION_DROPEQUAL) {
    const at = find(program + <usize>word(R, RULE_TARGET));
    const P: usize = at < 0 ? NO_ROOM : labelAt(<usize>at);
    const equal = P == NO_ROOM ? joinedLength == 0 : valueLength(P) == joinedLength && !v128.any_true(differ(valueAt(P), joined, joinedLength));
    return equal == (action == ACTION_KEEPEQUAL) ? KEPT : DROPS;
  }
  let answer: u32 = 0;
  const memo = word(R, RULE_MEMO);
  if (memo) {
    const at = memoAt(memo - 1, source);
    if (load<u32>(at) == source) {
      answer = load<u32>(at, 4);
      if (answer == 0) return HOST;
    }
  }
  if (answer == 0) {
    if (action == ACTION_HASHMOD) return setValue(R, hashmod(R));
    if (action == ACTION_LOWERCASE || action == ACTION_UPPERCASE) return changeCase(action == ACTION_LOWERCASE) ? setValue(R, joinedLength) : HOST;
    if (word(R, RULE_MATCHER) == 0) {
      askedMemo = memo - 1;
      askedPair = source;
      return ASK;
    }
    answer = matches(program + <usize>word(R, RULE_MATCHER), joined, joinedLength) ? ANSWER_YES : ANSWER_NO;
  }
  if (action == ACTION_KEEP || action == ACTION_DROP) return (answer == ANSWER_YES) == (action == ACTION_KEEP) ? KEPT : DROPS;
  return answer == ANSWER_NO ? KEPT : replace(R, answer);
}

/** The rule matched: its target is set. */
function replace(R: usize, answer: u32): i32 {
  const N = program + <usize>word(R, RULE_TARGET);
  let P: usize = 0;
  if (answer > <u32>ANSWER_REMOVE) P = <usize>answer;
  else if (answer == ANSWER_YES) {
    if (word(R, RULE_TEMPLATE)) {
      const n = expand(program + <usize>word(R, RULE_TEMPLATE));
      return n < 0 ? HOST : setValue(R, <usize>n);
    }
    if (word(R, RULE_FIXED)) {
      P = fixed(program + <usize>word(R, RULE_FIXED));
      if (P == NO_ROOM) return FULL;
    }
  }
  return setLabel(N, P) ? KEPT : HOST;
}

/** Sets the rule's target to the n bytes at VALUE, which is what the joined value comes to. */
function setValue(R: usize, n: usize): i32 {
  const N = program + <usize>word(R, RULE_TARGET);
  let P: usize = 0;
  if (n > 0) {
    P = makeLabel(program + <usize>load<u32>(N, 20), <usize>load<u32>(N, 16), VALUE, n);
    if (P == NO_ROOM) return FULL;
    if (P == NOT_PLAIN) return HOST;
  }
  const memo = word(R, RULE_MEMO);
  if (memo) answerRule(memo - 1, source, P ? <u32>P : ANSWER_REMOVE);
  return setLabel(N, P) ? KEPT : HOST;
}

/** Joins the values of the rule's sources. Returns whether there was room. */
function join(R: usize): bool {
  const n = <usize>word(R, RULE_SOURCES);
  const names = program + <usize>word(R, RULE_SOURCES_AT);
  joinedLength = 0;
  joined = VALUE;
  source = ABSENT;
  if (n == 1) {
    const at = find(names);
    if (at < 0) return true;
    const P = labelAt(<usize>at);
    source = <u32>P;
    joined = valueAt(P);
    joinedLength = valueLength(P);
    return true;
  }
  const separator = <usize>word(R, RULE_SEPARATOR_LENGTH);
  for (let i: usize = 0; i < n; i++) {
    if (i > 0) {
      if (joinedLength + separator > TEXT) return false;
      memory.copy(VALUE + joinedLength, program + <usize>word(R, RULE_SEPARATOR), separator);
      joinedLength += separator;
    }
    const at = find(names + i * 32);
    if (at < 0) continue;
    const P = labelAt(<usize>at);
    const l = valueLength(P);
    if (joinedLength + l > TEXT) return false;
    memory.copy(VALUE + joinedLength, valueAt(P), l);
    joinedLength += l;
  }
  return true;
}

/** Where templates are expanded: the joined value may be at VALUE. */
const EXPANDED: usize = memory.data(1024 + 64, 16);

/** Writes what the template comes to to VALUE. Returns its length, -1 when that is too long. */
function expand(T: usize): i32 {
  let n: usize = 0;
  let part = T + 4;
  for (let i = load<u32>(T); i > 0; i--, part += 12) {
    const group = load<u32>(part);
    let from: usize;
    let l: usize;
    if (group == 0) {
      from = program + <usize>load<u32>(part, 4);
      l = <usize>load<u32>(part, 8);
    } else {
      const start = groupStart(group - 1);
      if (start < 0) continue;
      from = joined + <usize>start;
      l = <usize>(groupEnd(group - 1) - start);
    }
    if (n + l > TEXT) return -1;
    memory.copy(EXPANDED + n, from, l);
    n += l;
  }
  memory.copy(VALUE, EXPANDED, n);
  return <i32>n;
}

/** Writes the joined value, which must be ASCII, in lower or upper case to VALUE. */
function changeCase(lower: bool): bool {
  for (let i: usize = 0; i < joinedLength; i++) {
    let b = <u32>load<u8>(joined + i);
    if (b > 127) return false;
    if (lower ? b - 65 < 26 : b - 97 < 26) b ^= 32;
    store<u8>(VALUE + i, <u8>b);
  }
  return true;
}

/** Writes the number of the joined value's shard to VALUE, in decimal (spec 5.4). Returns its length. */
function hashmod(R: usize): usize {
  md5(joined, joinedLength, DIGEST);
  const modulus = <u64>word(R, RULE_MODULUS_LOW) | (<u64>word(R, RULE_MODULUS_HIGH) << 32);
  let shard = bswap<u64>(load<u64>(DIGEST, 8)) % modulus;
  let n: usize = 0;
  do {
    store<u8>(DIGITS + n, <u8>(48 + <u32>(shard % 10)));
    n++;
    shard /= 10;
  } while (shard != 0);
  for (let i: usize = 0; i < n; i++) store<u8>(VALUE + i, load<u8>(DIGITS + n - 1 - i));
  return n;
}
const DIGITS: usize = memory.data(24, 8);
