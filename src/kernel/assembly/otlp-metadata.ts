import { METADATA } from '../../wire/layout';
import { era, keepMade, made, madeLeft } from './made';
import { putMetadata } from './metadata';
import { length, next, putVarint } from './protobuf';
import { commitMetadata, describeRows, draft, received, roomFor } from './rows';
import { turns } from './table';
import { codePoints } from './utf8';

// Metadata of OTLP metrics. Its bytes in the table are fields of MetricMetadata, but for the help text, which is each request's own:
//
//   MetricMetadata  type=1 enum   metric_family_name=2 string   help=4 string   unit=5 string
//
// Rows of series lead to a record of it, for origins that speak 2.0. For those that speak 1.0 it is a row of its own, once a minute: that often Prometheus sends it.

/** Milliseconds between two rows about the same metric. */
const INTERVAL: u64 = 60000;
/** Longer help texts are left out. */
const LONGEST: usize = 4096;
/** {pair, minute} of the rows that were made last, by their pair. */
const SLOTS: usize = 1024;
const told: usize = memory.data(8192, 16);

let records: bool = false;
let rows: bool = false;
let minute: u32 = 0;
/** Generation that the pairs of `told` are of. */
let generation: u32 = 0;
let help: usize = 0;
let helpLength: usize = 0;
/** The record of the metric at hand, and for what it was made. */
let record: u32 = 0;
let recordEra: u32 = 0;
let recordOf: usize = 0;

/** Whether some origin wants records (2.0), or rows (1.0). */
export function configureMetadata(withRecords: bool, withRows: bool): void {
  records = withRecords;
  rows = withRows;
  memory.fill(told, 0, SLOTS << 3);
}

/** now: milliseconds, of whatever clock. */
export function beginMetadata(now: u64): void {
  minute = <u32>(now / INTERVAL);
  recordOf = 0;
}

/** The points that follow are of a metric with this description. */
export function enterDescription(at: usize, n: usize): void {
  help = at;
  helpLength = n <= LONGEST ? n : 0;
  recordOf = 0;
}

/** Bytes that describe() may write for this pair. */
export function descriptionRoom(M: usize): usize {
  return M ? <usize>load<u32>(M) + helpLength + 64 : 0;
}

/** Rows that are drafted from now on are of the metric whose metadata is this pair; M = 0: none. */
export function describe(M: usize): void {
  if (M == 0) {
    describeRows(0);
    return;
  }
  if (M != recordOf || era != recordEra) {
    recordOf = M;
    recordEra = era;
    record = records ? newRecord(M) : 0;
    if (rows) putRow(M);
  }
  describeRows(record);
}

/** What is not UTF-8 would cost receivers that look the whole request. */
function checkHelp(): void {
  if (helpLength && codePoints(help, helpLength) < 0) helpLength = 0;
}

function newRecord(M: usize): u32 {
  const e = M + 8 + <usize>load<u32>(M);
  checkHelp();
  const type = <u32>load<u8>(M, 9);
  const name = length(M + 11, e);
  const unit = next + name;
  let unitLength: usize = 0;
  if (unit < e) unitLength = length(unit + 1, e);
  return putMetadata(type, help, <u32>helpLength, unitLength ? next : unit, <u32>unitLength);
}

function putRow(M: usize): void {
  if (generation != turns) {
    generation = turns;
    memory.fill(told, 0, SLOTS << 3);
  }
  const s = told + (((M >>> 2) & (SLOTS - 1)) << 3);
  if (load<u32>(s) == <u32>M && load<u32>(s, 4) == minute) return;
  checkHelp();
  const n = <usize>load<u32>(M);
  if (!roomFor(1) || madeLeft() < n + helpLength + 16) return;
  const size = n + (helpLength ? 1 + (helpLength < 128 ? 1 : 2) + helpLength : 0);
  let op = made;
  store<u8>(op, 26);
  op = putVarint(op + 1, <u32>size);
  memory.copy(op, M + 8, n);
  op += n;
  if (helpLength) {
    store<u8>(op, 34);
    op = putVarint(op + 1, <u32>helpLength);
    memory.copy(op, help, helpLength);
    op += helpLength;
  }
  draft(0, made, <u32>(op - made), 1, METADATA, 0);
  keepMade(op);
  commitMetadata();
  received(METADATA, 1);
  store<u32>(s, <u32>M);
  store<u32>(s, minute, 4);
}
