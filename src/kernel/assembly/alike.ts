import { ROW, SAMPLES } from '../../wire/layout';
import { kindOf } from './emission';
import { rowsEnd, rowsStart } from './rows';
import { outputLabels, outputOf, outputPair } from './table';

// Whether it pays to encode series by what is known of them (snappy-follow.ts): when most of their labels are those of the series before. So they come from
// whatever scrapes targets. A few rows tell.

const LOOKS: usize = 64;
const FEWEST: u32 = 16;
/** So many labels may differ on average, in halves: the name and two or three more. */
const DIFFERENT: u32 = 7;

/** Whether the rows of this part are single samples of series that are, in this variant, alike. */
export function alike(variant: u32): bool {
  const n = (rowsEnd - rowsStart) / ROW;
  const step = max(n / LOOKS, 1) * ROW;
  let looked: u32 = 0;
  let different: u32 = 0;
  for (let r = rowsStart + ROW; r < rowsEnd; r += step) {
    if (!isSample(r)) return false;
    if (!isSample(r - ROW)) continue;
    const A = outputOf(<usize>load<u32>(r), variant);
    const B = outputOf(<usize>load<u32>(r - ROW), variant);
    if ((A | B) & 1) continue; // dropped by a rule
    looked++;
    different += differing(A, B);
  }
  return looked >= FEWEST && different * 2 <= looked * DIFFERENT;
}

// @ts-ignore: decorator
@inline
function isSample(r: usize): bool {
  return kindOf(r) == SAMPLES && load<u32>(r, 12) == 1;
}

/** Labels of A that are not in B, about where they are in A: a label more or less before them may have moved them. */
function differing(A: usize, B: usize): u32 {
  const n = outputLabels(A);
  const m = outputLabels(B);
  let different: u32 = 0;
  for (let i: u32 = 0; i < n; i++) {
    const P = outputPair(A, i);
    if (i < m && outputPair(B, i) == P) continue;
    if (i > 0 && i <= m && outputPair(B, i - 1) == P) continue;
    if (i + 1 < m && outputPair(B, i + 1) == P) continue;
    different++;
  }
  return different;
}
