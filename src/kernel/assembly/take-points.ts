import { E_PROTO, HISTOGRAMS, REASON_FUTURE, REASON_TOO_MANY_BUCKETS, SAMPLES } from '../../wire/layout';
import { noteCustom, noteEnd } from './custom';
import { customs, stale, startTime as histogramStart, time as histogramTime } from './histogram-fields';
import { STALE } from './histogram-writer';
import { made, madeLeft } from './made';
import { checkHistogram, reduceHistogram } from './native-histogram';
import { bits, hasStart, sample, time } from './points';
import { putVarint, putVarint64 } from './protobuf';
import { FORM_CUSTOM, FORM_START, FORM_V2 } from './rows';
import { addMade, addPoint, rejectPoint } from './settle';

// Samples and histograms of a series, of either version: checked, and drafted as they came where they can go out like that.

/** Tag and longest length of a field. */
export const HEAD: usize = 6;
/** Longest start timestamp, with its tag. */
const START_ROOM: usize = 12;

/** Points later than this are rejected: ms. */
export let latest: i64 = 0;

export function beginTaking(latestTime: i64): void {
  latest = latestTime;
}

/** The sample in the field [at, e), its message from p on. created: start timestamp for one that has none, 0 for none. Returns 0 or an error or PART. */
export function takeSample(at: usize, p: usize, e: usize, created: i64): i32 {
  if (!sample(p, e)) return E_PROTO;
  if (time > latest) {
    rejectPoint(REASON_FUTURE, SAMPLES, time);
    return 0;
  }
  if (bits == STALE) noteEnd();
  if (created == 0 || hasStart) return addPoint(SAMPLES, at, e - at, hasStart ? FORM_START : 0);
  const n = e - p;
  if (madeLeft() < n + HEAD + START_ROOM) return addMade(SAMPLES, 0, 0);
  const from = made + HEAD;
  memory.copy(from, p, n);
  store<u8>(from + n, 24);
  const to = putVarint64(from + n + 1, <u64>created);
  return addMade(SAMPLES, closeField(made, 18, to), FORM_START);
}

/** The same for a histogram. form: FORM_V2 or 0. */
export function takeHistogram(at: usize, p: usize, e: usize, created: i64, form: u32): i32 {
  const verdict = checkHistogram(p, e);
  if (verdict == E_PROTO) return verdict;
  const when = histogramTime;
  const started = histogramStart != 0;
  if (verdict < 0 || when > latest) {
    rejectPoint(verdict < 0 ? -verdict : REASON_FUTURE, HISTOGRAMS, when);
    return 0;
  }
  let kept: u32 = started || created != 0 ? FORM_START : 0;
  if (verdict == 2) {
    if (!noteCustom()) {
      rejectPoint(REASON_TOO_MANY_BUCKETS, HISTOGRAMS, when);
      return 0;
    }
    kept |= FORM_CUSTOM;
  }
  if (stale && customs == 0) noteEnd();
  if (verdict != 1 && (started || created == 0)) return addPoint(HISTOGRAMS, at, e - at, form | kept);
  const room = madeLeft();
  if (room < HEAD + START_ROOM) return addMade(HISTOGRAMS, 0, 0);
  const from = made + HEAD;
  let n = e - p;
  if (verdict == 1) {
    n = <usize>reduceHistogram(p, e, from, room - HEAD - START_ROOM);
    if (n == 0) return addMade(HISTOGRAMS, 0, 0);
  } else {
    if (room < n + HEAD + START_ROOM) return addMade(HISTOGRAMS, 0, 0);
    memory.copy(from, p, n);
  }
  let to = from + n;
  if (!started && created != 0) {
    store<u16>(to, 0x0188); // start_timestamp=17
    to = putVarint64(to + 2, <u64>created);
  }
  return addMade(HISTOGRAMS, closeField(made, 34, to), kept);
}

/** Gives the message that was written to [op + HEAD, to) its tag and length at op. Returns where it ends. */
export function closeField(op: usize, tag: u32, to: usize): usize {
  const n = to - op - HEAD;
  store<u8>(op, <u8>tag);
  const fields = putVarint(op + 1, <u32>n);
  if (fields != op + HEAD) memory.copy(fields, op + HEAD, n);
  return fields + n;
}
