import { OWN_TENANT } from '../../wire/layout';
import { differ } from './bytes';
import { hash } from './hash';
import { length, next, skip, tag, varint } from './protobuf';
import { codePoints } from './utf8';

// Metadata of metric families as senders of remote write 1.0 send it, apart from the series: kept until the region is full, for origins that speak 2.0. A tenant
// finds its own only.
//
//  family  +0 u16 tenant   +2 u16 type   +4 u32 length of the name   +8 u32 length of the help   +12 u32 length of the unit
//          +16 name, help, unit
//
// Slots are {hash u32, address u32} with linear probing, hash 0 = empty.

const SLOTS: usize = 4096;
const TABLE: usize = SLOTS * 8;
const PROBES: u32 = 32;
/** Bytes of the region; a smaller one keeps less, one that has no room for the slots nothing. */
export const FAMILIES: usize = 256 * 1024;
/** Longer help texts, names and units are not kept. */
const LONGEST: usize = 4096;
/** Records are 4-aligned. */
const HEAD: usize = 16;

const COUNTER: u32 = 1;
const HISTOGRAM: u32 = 3;
const GAUGE_HISTOGRAM: u32 = 4;
const SUMMARY: u32 = 5;
const INFO: u32 = 6;

let slots: usize = 0;
let arena: usize = 0;
let arenaEnd: usize = 0;
let free: usize = 0;

export function initFamilies(at: usize, size: usize): void {
  slots = size > TABLE ? at : 0;
  arena = at + TABLE;
  arenaEnd = at + size;
  clearFamilies();
}

/** Forgets all. */
export function clearFamilies(): void {
  if (slots == 0) return;
  memory.fill(slots, 0, TABLE);
  free = arena;
}

/** Nothing is kept. */
// @ts-ignore: decorator
@inline
export function noFamilies(): bool {
  return slots == 0 || free == arena;
}

// MetricMetadata  type=1 enum   metric_family_name=2 string   help=4 string   unit=5 string
/** Keeps the MetricMetadata at [p, e), which is well-formed; not that of messages of our own making, which are of any tenant. */
export function rememberFamily(p: usize, e: usize, tenant: u32): void {
  if (slots == 0 || tenant == <u32>OWN_TENANT) return;
  let type: u32 = 0;
  let name: usize = 0;
  let help: usize = 0;
  let unit: usize = 0;
  let nameLength: usize = 0;
  let helpLength: usize = 0;
  let unitLength: usize = 0;
  while (p < e) {
    const t = tag(p, e);
    const q = next;
    p = skip(q, e, t);
    if (t == 8) type = <u32>varint(q, p);
    else if (t == 18) {
      nameLength = length(q, p);
      name = next;
    } else if (t == 34) {
      helpLength = length(q, p);
      help = next;
    } else if (t == 42) {
      unitLength = length(q, p);
      unit = next;
    }
  }
  if (nameLength == 0 || type > 0xffff || max(nameLength, max(helpLength, unitLength)) > LONGEST) return;
  // A request with what is not UTF-8 would be refused whole.
  if (codePoints(name, nameLength) < 0 || codePoints(help, helpLength) < 0 || codePoints(unit, unitLength) < 0) return;
  keep(tenant, type, name, nameLength, help, helpLength, unit, unitLength);
}

function keep(
  tenant: u32, type: u32, name: usize, nameLength: usize, help: usize, helpLength: usize, unit: usize, unitLength: usize,
): void {
  const h = hash(name, nameLength, tenant);
  const size = (HEAD + nameLength + helpLength + unitLength + 3) & ~3;
  let s = slotOf(h, name, nameLength, tenant);
  if (s != 0 && load<u32>(s) != 0) {
    const F = <usize>load<u32>(s, 4);
    if (
      <u32>load<u16>(F, 2) == type && load<u32>(F, 8) == <u32>helpLength && load<u32>(F, 12) == <u32>unitLength &&
      memory.compare(F + HEAD + nameLength, help, helpLength) == 0 && memory.compare(F + HEAD + nameLength + helpLength, unit, unitLength) == 0
    ) return;
  }
  if (arenaEnd - arena < size) return;
  if (s == 0 || arenaEnd - free < size) {
    clearFamilies();
    s = slotOf(h, name, nameLength, tenant);
  }
  const F = free;
  free += size;
  store<u16>(F, <u16>tenant);
  store<u16>(F, <u16>type, 2);
  store<u32>(F, <u32>nameLength, 4);
  store<u32>(F, <u32>helpLength, 8);
  store<u32>(F, <u32>unitLength, 12);
  memory.copy(F + HEAD, name, nameLength);
  memory.copy(F + HEAD + nameLength, help, helpLength);
  memory.copy(F + HEAD + nameLength + helpLength, unit, unitLength);
  store<u32>(s, h);
  store<u32>(s, <u32>F, 4);
}

/** The slot of this family, or the empty one where it would be; 0 when there are too many others. */
function slotOf(h: u32, name: usize, n: usize, tenant: u32): usize {
  let i = <usize>h & (SLOTS - 1);
  for (let probe: u32 = 0; probe < PROBES; probe++) {
    const s = slots + (i << 3);
    const h2 = load<u32>(s);
    if (h2 == 0) return s;
    if (h2 == h) {
      const F = <usize>load<u32>(s, 4);
      if (<u32>load<u16>(F) == (tenant & 0xffff) && load<u32>(F, 4) == <u32>n && !v128.any_true(differ(F + HEAD, name, n))) return s;
    }
    i = (i + 1) & (SLOTS - 1);
  }
  return 0;
}

/** The family with exactly this name; 0 when it is not kept. */
function familyNamed(name: usize, n: usize, tenant: u32): usize {
  const s = slotOf(hash(name, n, tenant), name, n, tenant);
  return s != 0 && load<u32>(s) != 0 ? <usize>load<u32>(s, 4) : 0;
}

/** The family of the series of this name, the tenant's: of the name itself, else of the name without what its type adds. 0 when it is not kept. */
export function familyOf(name: usize, n: usize, tenant: u32): usize {
  if (slots == 0 || n > LONGEST) return 0;
  const F = familyNamed(name, n, tenant);
  if (F) return F;
  const suffix = suffixOf(name, n);
  if (suffix == 0 || suffix >= n) return 0;
  const G = familyNamed(name, n - suffix, tenant);
  return G && adds(familyType(G), suffix, name + n - suffix) ? G : 0;
}

/** Length of the suffix that a type may have added to the name; 0 for none. */
export function suffixOf(name: usize, n: usize): usize {
  let i = n;
  const least = n > 8 ? n - 8 : 0;
  while (i > least) if (load<u8>(name + --i) == 95) return n - i;
  return 0;
}

// Suffixes as little-endian numbers.
const BUCKET: u64 = 0x74656b6375625f; // _bucket
const TOTAL: u64 = 0x6c61746f745f; //   _total
const COUNT: u64 = 0x746e756f635f; //   _count
const INFO_SUFFIX: u64 = 0x6f666e695f; // _info
const SUM: u64 = 0x6d75735f; //         _sum

/** Whether series of a family of this type have the suffix that is the n bytes at p, 8 at the most: spec 2.8, and what OpenMetrics adds. */
export function adds(type: u32, n: usize, p: usize): bool {
  const text = n < 8 ? load<u64>(p) & (((<u64>1) << (<u64>n << 3)) - 1) : 0;
  const histogram = type == HISTOGRAM || type == GAUGE_HISTOGRAM;
  if (text == BUCKET) return histogram;
  if (text == COUNT || text == SUM) return histogram || type == SUMMARY;
  if (text == TOTAL) return type == COUNTER;
  return text == INFO_SUFFIX && type == INFO;
}

// @ts-ignore: decorator
@inline
export function familyType(F: usize): u32 {
  return <u32>load<u16>(F, 2);
}

// @ts-ignore: decorator
@inline
export function familyHelp(F: usize): usize {
  return F + HEAD + <usize>load<u32>(F, 4);
}

// @ts-ignore: decorator
@inline
export function familyHelpLength(F: usize): u32 {
  return load<u32>(F, 8);
}

// @ts-ignore: decorator
@inline
export function familyUnit(F: usize): usize {
  return familyHelp(F) + <usize>load<u32>(F, 8);
}

// @ts-ignore: decorator
@inline
export function familyUnitLength(F: usize): u32 {
  return load<u32>(F, 12);
}
