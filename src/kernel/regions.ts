import { MAX_LABELS, PAD, REPORT_WORDS, ROW, SLACK } from '../wire/layout.ts'

/** What the memory is laid out for. Bytes unless said otherwise. */
export interface Sizes {
  /** Longest compressed body. */
  readonly body: number
  /** Longest decoded body. */
  readonly decoded: number
  /** Longest uncompressed piece. */
  readonly piece: number
  /** Longest key of a series: all its label fields together. */
  readonly key: number
  /** Rows (not bytes) that one part may have. */
  readonly rows: number
  /** Points of one part that are written anew. */
  readonly made: number
  /** Both generations of the table together. */
  readonly table: number
  /** What is remembered of blocks that went out (assembly/stencil.ts). */
  readonly stencils: number
}

/** Where each region starts. Behind the end of each there are PAD bytes that belong to nobody. */
export interface Regions {
  /** The compressed body; later, the compressed piece: the two are never alive together. */
  readonly body: number
  readonly message: number
  readonly piece: number
  readonly report: number
  readonly keys: number
  readonly lists: number
  readonly walk: number
  readonly otlp: number
  readonly merge: number
  readonly scratch: number
  readonly rows: number
  readonly made: number
  /** Of remote write 2.0: pairs that were compared, symbols of a piece, metadata that came apart. */
  readonly memo: number
  readonly symbolTable: number
  readonly families: number
  readonly rules: number
  readonly outputs: number
  readonly label: number
  readonly digest: number
  readonly table: number
  readonly stencils: number
}

interface FixedSizes {
  keys: number
  lists: number
  walk: number
  otlp: number
  merge: number
  scratch: number
  memo: number
  symbolTable: number
  families: number
  rules: number
  maxEncoded(n: number): number
}

/** Variants that a series may have: origins that differ in rules. */
export const MAX_VARIANTS = 16

/** Static data of the module lies below. */
const START = 65536

/** About what `layOut` takes for these sizes, bytes: it depends on the kernel by a few hundred bytes only. */
export function memoryOf(sizes: Sizes): number {
  const compressed = Math.max(sizes.body, sizes.piece + sizes.piece / 6)
  const fixed = 4 * 1024 * 1024
  return Math.ceil(
    fixed +
      compressed +
      sizes.decoded +
      sizes.piece +
      sizes.rows * ROW +
      sizes.made +
      2 * sizes.key +
      sizes.table +
      sizes.stencils,
  )
}

/** Lays the regions out one behind the other and says how many pages of 64 KiB they take. */
export function layOut(sizes: Sizes, fixed: FixedSizes): { regions: Regions; pages: number } {
  let at = START
  const take = (size: number): number => {
    const start = at
    at = (at + size + PAD + 63) & ~63
    return start
  }
  const regions = {
    report: take(REPORT_WORDS * 4),
    keys: take(fixed.keys),
    lists: take(fixed.lists),
    walk: take(fixed.walk + sizes.key),
    otlp: take(fixed.otlp),
    scratch: take(fixed.scratch),
    memo: take(fixed.memo),
    symbolTable: take(fixed.symbolTable),
    families: take(fixed.families),
    rules: take(fixed.rules),
    // One list more: a member of a group has its own labels before its outputs.
    outputs: take((MAX_VARIANTS + 1) * (MAX_LABELS + 1) * 4),
    label: take(sizes.key + 32),
    digest: take(16),
    rows: take(sizes.rows * ROW),
    made: take(sizes.made),
    merge: take(fixed.merge),
    body: take(Math.max(sizes.body, fixed.maxEncoded(sizes.piece))),
    message: take(sizes.decoded),
    piece: take(sizes.piece + SLACK),
    table: take(sizes.table),
    stencils: take(sizes.stencils),
  }
  return { regions, pages: Math.ceil(at / 65536) }
}
