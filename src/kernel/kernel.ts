import { createHash } from 'node:crypto'
import {
  type Label,
  readLabel,
  readLabels,
  utf8Length,
  writeLabel,
  writeText,
} from '../wire/label.ts'
import {
  MAX_LABELS,
  MISS_CUSTOM,
  R_KEY,
  R_KEY_LABELS,
  R_KEY_LENGTH,
  R_KEY_SORTED,
  R_MISS,
  R_NOTES,
  R_OLD,
  R_YOUNG,
  ROW,
  SLACK,
} from '../wire/layout.ts'
import { layOut, type Regions, type Sizes } from './regions.ts'

/**
 * The functions that `kernel.wasm` exports, with what they read and write. All arguments are byte offsets and lengths;
 * a negative result is a code of `wire/layout.ts`. No function allocates, imports, or touches a byte outside of the
 * regions named here, but for reads of up to PAD bytes behind a region's end, on which no result depends.
 */
interface Exports {
  readonly memory: WebAssembly.Memory
  keysSize(): number
  listsSize(): number
  walkSize(): number
  otlpSize(): number
  mergeSize(): number
  encodeScratchSize(): number
  memoSize(): number
  symbolTableSize(): number
  familiesSize(): number
  rulesSize(): number
  /** Names the regions and empties the table. Once. */
  init(
    report: number,
    keys: number,
    lists: number,
    walk: number,
    keyCap: number,
    merge: number,
    rows: number,
    rowsSize: number,
    made: number,
    madeSize: number,
    otlp: number,
    table: number,
    generation: number,
  ): void
  /** Names the regions of remote write 2.0. Once, after init(). `series`: where those of a piece are written. */
  init2(
    merge: number,
    memo: number,
    symbolTable: number,
    families: number,
    series: number,
    seriesSize: number,
  ): void
  /** Names the region in which blocks that went out are remembered. Once; without it, or where it is very small, none are. */
  initStencils(at: number, size: number): void
  /** Names the region for relabel rules, and where outputs are listed. Once. */
  initRules(at: number, outputs: number): void
  /** The program at the start of that region is run on series that are missed, from now on; 0: none is. */
  setRules(on: number): void
  /** See `Kernel.answerRule`. */
  answerRule(memo: number, pair: number, answer: number): void
  /** Empties the table: every series has that many variants from now on, 1 to 16. Forgets the request, and metadata of families. */
  clear(variants: number): void
  /** Forgets the request: rows, cursors, chains. The table stays. */
  reset(): void
  /** Row numbers are close to the end of their range: `clear` is due. */
  worn(): number
  /** Snappy block [src, +n) to [dst, +cap). Returns the decoded length. */
  decode(src: number, n: number, dst: number, cap: number): number
  /** [src, +n) to a snappy block at [dst, +cap), cap at least maxEncoded(n). Returns its length. */
  encode(src: number, n: number, dst: number, cap: number, scratch: number): number
  maxEncoded(n: number): number
  /** Digest of [src, +n) to [dst, +16). */
  md5(src: number, n: number, dst: number): void
  /**
   * Walks the remote write 1.0 message [src, +n), writes rows and the report. Reads src, the table; writes rows, report,
   * walk and list scratch, the table. 0 when done, MISS, PART_TABLE, PART_ROWS or an error.
   */
  resolve1(
    src: number,
    n: number,
    how: number,
    tenant: number,
    latest: number,
    maxSeries: number,
  ): number
  /** As resolve1, for a Request of remote write 2.0: writes points and metadata anew into the made region, too. */
  resolve2(
    src: number,
    n: number,
    how: number,
    tenant: number,
    latest: number,
    maxSeries: number,
  ): number
  /** Whether classic series stand in for histograms with custom buckets, from the next body on. */
  setExpand(on: number): void
  /** Adds the group of the last MISS_CUSTOM with the members added before. 0 or PART_TABLE. */
  addCustom(status: number): number
  /** Adds the series of the last MISS with the outputs listed at `out`. 0 or PART_TABLE. */
  insert(status: number, out: number): number
  /** What the config says of OTLP: see `OtlpSwitches`. */
  configureOtlp(
    classic: number,
    native: number,
    starts: number,
    scopes: number,
    targets: number,
    silentDelta: number,
    exemplarLength: number,
    records: number,
    families: number,
  ): void
  /** As resolve1, for an ExportMetricsServiceRequest: writes points anew into the made region, too. */
  resolveOtlp(
    src: number,
    n: number,
    how: number,
    tenant: number,
    latest: number,
    maxSeries: number,
  ): number
  /** The group that follows has no members yet. */
  beginGroup(): void
  /** Adds a series with the labels and outputs listed at `list` to the group. 0 when the generation or the group is full. */
  addMember(status: number, list: number): number
  /** Adds the group of the last MISS about a point. meta: a pair or 0. 0 when the generation is full. */
  insertPoint(status: number, meta: number): number
  /** Address of the young pair with the bytes [src, +n), made when new; 0 when the generation is full. */
  intern(src: number, n: number): number
  /** The rows of this part are done with; turns the table over when told so. */
  nextPart(turn: number): void
  /**
   * Starts over with the first row for this variant. Writes links into rows and outputs. keep: superseded points go out too; message: 1 or 2; expand: with message 1,
   * classic series instead of histograms with custom buckets.
   */
  emitBegin(variant: number, kinds: number, keep: number, message: number, expand: number): void
  /** Writes the next piece to [dst, +cap). Returns its length, 0 when nothing is left. */
  emit1(dst: number, cap: number, most: number): number
  /** As emit1, to a snappy block within [to, +room), room for maxEncoded(cap): blockStart() and blockStop() tell where. Parts of the message are at dst. Remembers blocks. */
  emitBlock1(
    dst: number,
    cap: number,
    most: number,
    to: number,
    room: number,
    scratch: number,
  ): number
  blockStart(): number
  blockStop(): number
  /** As emit1, for message 2. Writes to the region for series, too. */
  emit2(dst: number, cap: number, most: number): number
  /** Writes the table's size to the report. */
  reportTable(): void
}

/** What is to be emitted. */
export interface Emission {
  readonly variant: number
  /** A bit for each kind of point that is wanted. */
  readonly kinds: number
  readonly keepSuperseded?: boolean
  readonly message: 1 | 2
  /** What the pieces are to be compressed with. */
  readonly compression: 'snappy' | 'zstd'
  /** With message 1: classic series instead of histograms with custom buckets. */
  readonly expand: boolean
}

/** What a config says of OTLP that matters to its walk. */
export interface OtlpSwitches {
  /** Explicit histograms become classic series, native ones with custom buckets, or both. */
  readonly classic: boolean
  readonly native: boolean
  /** Start timestamps are kept. */
  readonly starts: boolean
  /** Scopes make labels. */
  readonly scopes: boolean
  /** Resources make target_info. */
  readonly targets: boolean
  /** Delta points are left out in silence. */
  readonly silentDelta: boolean
  /** Code points of an exemplar's labels together. */
  readonly exemplarLength: number
  /** Metadata goes out with the series (2.0), and on its own (1.0). */
  readonly records: boolean
  readonly families: boolean
}

/** An interned label as the miss path sees it. Owned by the caller. */
export type Pair = Label

/**
 * The kernel and its one linear memory. No other file touches that memory. A kernel serves one request at a time, from
 * `use()` to its return, without an await between; what it lends is valid until the next call of the method named.
 */
export class Kernel {
  readonly sizes: Sizes
  readonly #wasm: Exports
  readonly #bytes: Uint8Array
  readonly #words: Uint32Array
  readonly #at: Regions
  readonly #lists: number
  #out = 0
  #busy = false
  #keyed = false
  #emits: 1 | 2 = 1
  /** The pieces are written as snappy blocks at once. */
  #blocks = false
  #expands = false

  /**
   * Lays the memory out, once: it is never grown afterwards. May run at module scope: hash keys, which are random, come
   * with the first `use()`.
   */
  constructor(module: WebAssembly.Module, sizes: Sizes) {
    this.sizes = sizes
    this.#wasm = new WebAssembly.Instance(module).exports as unknown as Exports
    const wasm = this.#wasm
    const { regions, pages } = layOut(sizes, {
      keys: wasm.keysSize(),
      lists: wasm.listsSize(),
      walk: wasm.walkSize(),
      otlp: wasm.otlpSize(),
      merge: wasm.mergeSize(),
      scratch: wasm.encodeScratchSize(),
      memo: wasm.memoSize(),
      symbolTable: wasm.symbolTableSize(),
      families: wasm.familiesSize(),
      rules: wasm.rulesSize(),
      maxEncoded: (n) => wasm.maxEncoded(n),
    })
    this.#at = regions
    const missing = pages - wasm.memory.buffer.byteLength / 65536
    if (missing > 0) wasm.memory.grow(missing)
    this.#bytes = new Uint8Array(wasm.memory.buffer)
    this.#words = new Uint32Array(wasm.memory.buffer)
    this.#lists = regions.lists >>> 2
    wasm.init(
      regions.report,
      regions.keys,
      regions.lists,
      regions.walk,
      sizes.key,
      regions.merge,
      regions.rows,
      sizes.rows * ROW,
      regions.made,
      sizes.made,
      regions.otlp,
      regions.table,
      sizes.table >>> 1,
    )
    // The compressed piece lies in the body region, but only after its series have been moved out of it.
    const { merge, memo, symbolTable, families, body } = regions
    const series = Math.max(sizes.body, wasm.maxEncoded(sizes.piece))
    wasm.init2(merge, memo, symbolTable, families, body, series)
    wasm.initStencils(regions.stencils, sizes.stencils)
    wasm.initRules(regions.rules, regions.outputs)
  }

  /** Runs `work` with the workspace to itself; nothing of the request is left behind. Throws `BUG:` when it is taken. */
  use<T>(work: (kernel: this) => T): T {
    if (!this.#keyed) {
      crypto.getRandomValues(
        this.#bytes.subarray(this.#at.keys, this.#at.keys + this.#wasm.keysSize()),
      )
      this.#keyed = true
    }
    return this.rehearse(work)
  }

  /** As `use`, but may run before there are random numbers, at module scope. What it put into the table must be cleared. */
  rehearse<T>(work: (kernel: this) => T): T {
    if (this.#busy) throw new Error('BUG: the workspace was entered twice')
    this.#busy = true
    try {
      return work(this)
    } finally {
      this.#wasm.reset()
      this.#busy = false
    }
  }

  /** Empties the table; series have `variants` outputs from now on. */
  clear(variants: number): void {
    this.#wasm.clear(variants)
  }

  /** Row numbers run out after four thousand million rows: the table must be cleared then. */
  get worn(): boolean {
    return this.#wasm.worn() !== 0
  }

  /** Decodes a snappy block into the message region. Returns its length or an E_ code. Copies `body`. */
  decodeSnappy(body: Uint8Array): number {
    if (body.length > this.sizes.body) throw new Error('BUG: body larger than its region')
    this.#bytes.set(body, this.#at.body)
    return this.#wasm.decode(this.#at.body, body.length, this.#at.message, this.sizes.decoded)
  }

  /** Takes a message that is decoded already. Copies it; it must fit `sizes.decoded`. */
  load(message: Uint8Array): number {
    if (message.length > this.sizes.decoded) throw new Error('BUG: message larger than its region')
    this.#bytes.set(message, this.#at.message)
    return message.length
  }

  /** A copy of the first n bytes of the message region. */
  message(n: number): Uint8Array {
    return this.#bytes.slice(this.#at.message, this.#at.message + n)
  }

  /** See `Exports.resolve1`. The message is the one that was decoded or loaded last. */
  resolve(n: number, how: number, tenant: number, latest: number, maxSeries: number): number {
    return this.#wasm.resolve1(this.#at.message, n, how, tenant, latest, maxSeries)
  }

  /** The same for a message of remote write 2.0. */
  resolve2(n: number, how: number, tenant: number, latest: number, maxSeries: number): number {
    return this.#wasm.resolve2(this.#at.message, n, how, tenant, latest, maxSeries)
  }

  /** Whether classic series stand in for histograms with custom buckets, from the next body on: when a stream expands them. */
  setExpand(on: boolean): void {
    this.#expands = on
    this.#wasm.setExpand(on ? 1 : 0)
  }

  /** What `setExpand` was told last. */
  get expands(): boolean {
    return this.#expands
  }

  /** Adds the group of the last MISS_CUSTOM, with the members since `beginGroup`. False when the generation is full. */
  addCustom(status: number): boolean {
    return this.#wasm.addCustom(status) === 0
  }

  /** See `Exports.resolveOtlp`. */
  resolveOtlp(n: number, how: number, tenant: number, latest: number, maxSeries: number): number {
    return this.#wasm.resolveOtlp(this.#at.message, n, how, tenant, latest, maxSeries)
  }

  /**
   * Series that are missed go through this program from now on, as far as the kernel can run it; without one all are the host's. It must have a block for each variant, and the
   * table must be empty. Copies it.
   */
  setRules(program: Uint8Array | undefined): void {
    if (program) this.#bytes.set(program, this.#at.rules)
    this.#wasm.setRules(program ? 1 : 0)
  }

  /** What the rule with this memo makes of the value of a pair, after MISS_RULE: an ANSWER_, or the pair that it sets (rule-layout.ts). */
  answerRule(memo: number, pair: number, answer: number): void {
    this.#wasm.answerRule(memo, pair, answer)
  }

  /** What the config says of OTLP, from now on. Points in the table must be of the same config. */
  configureOtlp(switches: OtlpSwitches): void {
    this.#wasm.configureOtlp(
      Number(switches.classic),
      Number(switches.native),
      Number(switches.starts),
      Number(switches.scopes),
      Number(switches.targets),
      Number(switches.silentDelta),
      switches.exemplarLength,
      Number(switches.records),
      Number(switches.families),
    )
  }

  /** A word of the report. */
  report(word: number): number {
    return this.#words[(this.#at.report >>> 2) + word]!
  }

  /** Labels of the series of the last MISS; more than MAX_LABELS when it can't be inserted. */
  get missLabels(): number {
    return this.report(R_KEY_LABELS)
  }

  /** Whether its labels are known to be sorted by the bytes of their names, each name once. */
  get missSorted(): boolean {
    return this.report(R_KEY_SORTED) !== 0
  }

  /** Pair i of the series of the last MISS. */
  missPair(i: number): number {
    return this.#words[this.#lists + i]!
  }

  /** The first labels of the series of the last MISS, for a message: it may have any number of them. */
  missSeries(): Pair[] {
    const at = this.report(R_KEY)
    if (this.report(R_MISS) === MISS_CUSTOM) {
      const pairs = this.#words.subarray(at >>> 2, (at >>> 2) + this.missLabels)
      return Array.from(pairs, (pair) => this.readPair(pair))
    }
    return readLabels(this.#bytes, at, at + this.report(R_KEY_LENGTH), 16)
  }

  /** The bytes of a young pair. Lent until the next call of anything. */
  pairBytes(pair: number): Uint8Array {
    return this.#bytes.subarray(pair + 8, pair + 8 + this.#words[pair >>> 2]!)
  }

  /** Number of a young pair in its generation: 0, 1, 2, … */
  pairNumber(pair: number): number {
    return this.#words[(pair >>> 2) + 1]! >>> 1
  }

  /** The label of a pair. */
  readPair(pair: number): Pair {
    return readLabel(this.#bytes, pair + 8, pair + 8 + this.#words[pair >>> 2]!)
  }

  /**
   * Note i of the report: why points were rejected, the time of the first (ms), and the labels of their series as sent; without labels when
   * the series is not in the table. Only within the part that noted it.
   */
  note(i: number): { reason: number; time: number; labels?: Pair[] } {
    const at = R_NOTES + i * 4
    const record = this.report(at)
    const reason = this.report(at + 1)
    const time = (this.report(at + 3) | 0) * 0x100000000 + this.report(at + 2)
    if (record < this.#at.table) return { reason, time }
    const n = this.#bytes[record + 6]!
    const pairs = this.#words.subarray((record >>> 2) + 2, (record >>> 2) + 2 + n)
    return { reason, time, labels: Array.from(pairs, (pair) => this.readPair(pair)) }
  }

  /** The name of the metric of note i, where it is about a point of OTLP: at most its first 200 bytes. */
  noteMetric(i: number): { reason: number; name: string } | undefined {
    const at = R_NOTES + i * 4
    const address = this.report(at)
    if (address < this.#at.message || address > this.#at.message + this.sizes.decoded)
      return undefined
    const name = this.#bytes.subarray(address, address + Math.min(this.report(at + 2), 200))
    return { reason: this.report(at + 1), name: new TextDecoder().decode(name) }
  }

  /** The pair with these bytes, made when it is new; 0 when the generation is full. They must fit `sizes.key`. */
  internBytes(bytes: Uint8Array): number {
    if (bytes.length > this.sizes.key) throw new Error('BUG: too long for a pair')
    this.#bytes.set(bytes, this.#at.label)
    return this.#wasm.intern(this.#at.label, bytes.length)
  }

  /** The pair of this label, made when it is new; 0 when the generation is full. The label must fit `sizes.key`. */
  intern(name: string, value: string): number {
    if ((name.length + value.length) * 3 > this.sizes.key - 32) this.#checkFits(name, value)
    const end = writeLabel(this.#bytes, this.#at.label, name, value)
    return this.#wasm.intern(this.#at.label, end - this.#at.label)
  }

  #checkFits(name: string, value: string): void {
    if (utf8Length(name) + utf8Length(value) <= this.sizes.key) return
    throw new Error('BUG: too long for a pair')
  }

  /** Starts the list of outputs of the series of the last MISS: one `addOutput` or `addDropped` a variant. */
  beginOutputs(): void {
    this.#out = this.#at.outputs >>> 2
  }

  /** The output is n labels: `addPair` follows so many times. */
  addOutput(n: number): void {
    if (n > MAX_LABELS) throw new Error('BUG: too many labels in an output')
    this.#words[this.#out++] = n
  }

  addPair(pair: number): void {
    this.#words[this.#out++] = pair
  }

  /** This variant's rule drops the series. */
  addDropped(rule: number): void {
    this.#words[this.#out++] = 0x80000000 | (rule << 1) | 1
  }

  /** Adds the series of the last MISS. False when the generation is full. */
  insert(status: number): boolean {
    return this.#wasm.insert(status, this.#at.outputs) === 0
  }

  /** The group of a point that follows has no members yet. */
  beginGroup(): void {
    this.#wasm.beginGroup()
  }

  /** Adds the series whose labels, sorted, and then outputs were listed since `beginOutputs`. False when the generation or the group is full. */
  addMember(status: number): boolean {
    return this.#wasm.addMember(status, this.#at.outputs) !== 0
  }

  /** Adds the point of the last MISS, with the members since `beginGroup`. meta: a pair, 0 for none. False when the generation is full. */
  insertPoint(status: number, meta: number): boolean {
    return this.#wasm.insertPoint(status, meta) !== 0
  }

  nextPart(turn: boolean): void {
    this.#wasm.nextPart(turn ? 1 : 0)
  }

  /** See `Exports.emitBegin`. */
  emitBegin(emission: Emission): void {
    const { variant, kinds, keepSuperseded = false, message, compression, expand } = emission
    this.#emits = message
    this.#blocks = message === 1 && compression === 'snappy'
    this.#wasm.emitBegin(variant, kinds, keepSuperseded ? 1 : 0, message, expand ? 1 : 0)
  }

  /** Writes the next piece, at most `bytes` long with at most `points` points. Returns its length, 0 when nothing is left. */
  emit(bytes: number, points: number): number {
    const cap = Math.min(bytes, this.sizes.piece) + SLACK
    const { piece, body, scratch } = this.#at
    if (this.#emits === 2) return this.#wasm.emit2(piece, cap, points)
    if (!this.#blocks) return this.#wasm.emit1(piece, cap, points)
    const room = this.#wasm.maxEncoded(this.sizes.piece)
    return this.#wasm.emitBlock1(piece, cap, points, body, room, scratch)
  }

  /** The piece of n bytes as a snappy block. Lent until the next call of anything. */
  compress(n: number): Uint8Array {
    if (this.#blocks) return this.#bytes.subarray(this.#wasm.blockStart(), this.#wasm.blockStop())
    const { piece, body, scratch } = this.#at
    const l = this.#wasm.encode(piece, n, body, this.#wasm.maxEncoded(n), scratch)
    if (l < 0) throw new Error(`BUG: encode returned ${l}`)
    return this.#bytes.subarray(body, body + l)
  }

  /** The piece of n bytes, of an emission that is not of 1.0 in snappy: that one is never written out. Lent until the next call of anything. */
  piece(n: number): Uint8Array {
    if (this.#blocks) throw new Error('BUG: the piece is a block already')
    return this.#bytes.subarray(this.#at.piece, this.#at.piece + n)
  }

  /** Series in the young generation. */
  get youngSeries(): number {
    this.#wasm.reportTable()
    return this.report(R_YOUNG)
  }

  /** What the table holds, both generations together. */
  tableUse(): { series: number; bytes: number } {
    this.#wasm.reportTable()
    return {
      series: this.report(R_YOUNG) + this.report(R_OLD),
      bytes: this.report(R_YOUNG + 2) + this.report(R_OLD + 2),
    }
  }

  /** MD5 of the value, its last eight bytes as a big-endian number modulo `modulus`, in decimal (spec 5.4). */
  hashmod(value: string, modulus: bigint): string {
    const size = utf8Length(value)
    if (size > this.sizes.key) return wideHashmod(value, modulus)
    writeText(this.#bytes, this.#at.label, value, size)
    this.#wasm.md5(this.#at.label, size, this.#at.digest)
    const w = this.#at.digest >>> 2
    const high = swap(this.#words[w + 2]!)
    const low = swap(this.#words[w + 3]!)
    if (modulus > 0x1fffffn) {
      return (((BigInt(high) << 32n) | BigInt(low)) % modulus).toString()
    }
    const m = Number(modulus)
    return (((high % m) * 0x100000000 + low) % m).toString()
  }
}

function swap(w: number): number {
  return ((w << 24) | ((w & 0xff00) << 8) | ((w >>> 8) & 0xff00) | (w >>> 24)) >>> 0
}

/** For values that are longer than any label may be: several of them, joined. */
function wideHashmod(value: string, modulus: bigint): string {
  const digest = createHash('md5').update(value).digest()
  return (digest.readBigUInt64BE(8) % modulus).toString()
}
