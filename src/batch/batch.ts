import type { Kernel } from '../kernel/kernel.ts'
import { describePointRefusal, describeRefusal, reasonCode } from '../series/refusal.ts'
import type { SeriesTable } from '../series/series-table.ts'
import {
  KINDS,
  MISS,
  NOTES,
  PART_ROWS,
  PART_TABLE,
  R_DROPPED,
  R_EXPANDED,
  R_MADE,
  R_MISSED,
  R_NOTED,
  R_OVERSIZE,
  R_POINTS,
  R_POINTS_DROPPED,
  R_POINTS_REJECTED,
  R_RECEIVED,
  R_REJECTED,
  R_SERIES,
  R_SUPERSEDED,
  R_UNWANTED,
  R_VARIANT_DROPPED,
  REASONS,
  RESOLVE_BEGIN,
  RESOLVE_ON,
  RESOLVE_REFUSE,
} from '../wire/layout.ts'
import { tooLarge } from '../wire/request-error.ts'
import { bodyRefusal } from './body-refusal.ts'
import { addReport, type MutableCounts, reportCounts, totalOf, zeroCounts } from './counts.ts'
import { cut, type Piece } from './cut.ts'
import { boundedPool, type PayloadPool } from './payload-pool.ts'
import { type Protocol, walk } from './protocol.ts'
import type { Stream } from './streams.ts'

/**
 * Everything one request has for the origins of one stream. received - expanded + made = dropped + unwanted + superseded + oversize + what the pieces
 * carry.
 */
export interface Cargo {
  readonly stream: Stream
  readonly pieces: Piece[]
  /** By the stream's own rules. */
  readonly dropped: MutableCounts
  /** Of kinds that its origins are not to get. */
  readonly unwanted: MutableCounts
  readonly superseded: MutableCounts
  /** Alone larger than `max_bytes_per_send`. */
  readonly oversize: MutableCounts
  /** Histograms with custom buckets for which classic series went out, and the samples of those: they are in the pieces instead. */
  expanded: number
  made: number
}

/** Data points of an OTLP request: what its sender counts in. */
export interface Points {
  readonly received: number
  /** Left out in silence: delta points, where the config says so. */
  readonly dropped: number
  readonly rejected: readonly { readonly code: string; readonly count: number }[]
}

/** A request, decoded, relabelled and cut. */
export interface Batch {
  /** Of an OTLP request only. */
  readonly points?: Points
  readonly received: Readonly<MutableCounts>
  /** By ingress rules, or of rejected series: what no origin gets. */
  readonly dropped: Readonly<MutableCounts>
  readonly rejected: readonly { readonly code: string; readonly counts: Readonly<MutableCounts> }[]
  /** The first rejected series, for the sender. */
  readonly refusals: readonly string[]
  readonly cargos: readonly Cargo[]
  readonly series: number
  /** Of them not in the table. */
  readonly missed: number
  readonly turnOvers: number
  /** OTLP: new sets of labels in which values were joined. */
  readonly joined: number
}

/** What `batchUp` is to keep to. */
export interface BatchOptions {
  readonly protocol: Protocol
  /** Number of the tenant: series of different tenants share no entry. */
  readonly tenant: number
  /** Points later than this are rejected. Epoch milliseconds. */
  readonly latest: number
  /** Series that the body may have. */
  readonly maxSeries: number
  /** Requests that all origins together may get. */
  readonly subrequests: number
  /** Bytes that all pieces together may hold while they wait. */
  readonly held?: number
}

/**
 * Walks the message of n bytes that lies in the kernel, resolves its series and cuts the pieces of every stream. To be called inside of `use()`. The pieces' bytes
 * are the caller's. Throws a RequestError, and then no piece is left: nothing is sent before the whole body is known to be sound.
 */
export function batchUp(
  kernel: Kernel,
  table: SeriesTable,
  streams: readonly Stream[],
  pool: PayloadPool,
  n: number,
  options: BatchOptions,
): Batch {
  const cargos = streams.map(emptyCargo)
  const run = new Run(kernel, table, cargos, boundedPool(pool, options.held ?? Infinity), options)
  try {
    run.all(n)
    return run.batch()
  } catch (error) {
    for (const { pieces } of cargos) for (const { bytes } of pieces) pool.give(bytes)
    throw error
  }
}

function emptyCargo(stream: Stream): Cargo {
  return {
    stream,
    pieces: [],
    dropped: zeroCounts(),
    unwanted: zeroCounts(),
    superseded: zeroCounts(),
    oversize: zeroCounts(),
    expanded: 0,
    made: 0,
  }
}

/** One body under way. */
class Run {
  readonly #kernel: Kernel
  readonly #table: SeriesTable
  readonly #cargos: readonly Cargo[]
  readonly #pool: PayloadPool
  readonly #options: BatchOptions
  /** Of refused series that are not in the table. */
  readonly #refusals: string[] = []
  #turnOvers = 0
  /** Series of the body that were settled when the table last turned over. */
  #settled = -1
  readonly #joined: number
  /** Noted rejections that are described already. */
  #described = 0

  constructor(
    kernel: Kernel,
    table: SeriesTable,
    cargos: readonly Cargo[],
    pool: PayloadPool,
    options: BatchOptions,
  ) {
    this.#kernel = kernel
    this.#table = table
    this.#cargos = cargos
    this.#pool = pool
    this.#options = options
    this.#joined = table.joined
  }

  all(n: number): void {
    const { protocol, tenant, latest, maxSeries } = this.#options
    let how = RESOLVE_BEGIN
    for (;;) {
      const result = walk(this.#kernel, protocol, n, { how, tenant, latest, maxSeries })
      if (result === 0) break
      how = this.#next(result)
    }
    this.#emit(0)
  }

  /** What to go on with after resolve() stopped. */
  #next(result: number): number {
    if (result === MISS) {
      const missed = this.#table.miss()
      if (missed === 'inserted') return RESOLVE_ON
      if (missed === 'full') return this.#part(true)
      if (this.#refusals.length < NOTES)
        this.#refusals.push(describeRefusal(missed, this.#kernel.missSeries()))
      return RESOLVE_REFUSE + missed
    }
    if (result === PART_TABLE) return this.#part(true)
    if (result === PART_ROWS) return this.#part(false)
    throw bodyRefusal(result, this.#options.protocol, this.#options.maxSeries)
  }

  /** The rows there are go out; the next ones start with room. */
  #part(turn: boolean): number {
    if (turn && this.#isStuck()) {
      throw tooLarge('series_too_large', 'one series is too large for the series table')
    }
    this.#emit(this.#roomLeft() / 2)
    this.#kernel.nextPart(turn)
    if (turn) {
      this.#table.forget()
      this.#turnOvers++
    }
    return RESOLVE_ON
  }

  /** Whether the generation at hand, which was empty, is full of what one series takes. */
  #isStuck(): boolean {
    const kernel = this.#kernel
    const before = this.#settled
    this.#settled = kernel.report(R_SERIES)
    if (this.#turnOvers === 0) return false
    // A point of OTLP turns the table over a second time to be rejected alone.
    const alone = this.#options.protocol !== 'otlp' && before === this.#settled
    return alone || kernel.youngSeries === 0
  }

  /** `spare`: requests that are left to later parts, if that is possible. */
  #emit(spare: number): void {
    this.#note()
    const before = this.#cargos.map(({ pieces }) => pieces.length)
    const done = this.#cutAll(false, spare, 0)
    if (done === this.#cargos.length) return
    // Too many: cut this part again, by bytes alone.
    this.#cargos.forEach(({ pieces }, i) => {
      for (const { bytes } of pieces.splice(before[i]!)) this.#pool.give(bytes)
    })
    if (this.#cutAll(true, 0, done) === this.#cargos.length) return
    throw tooLarge(
      'subrequests',
      `this request would cause too many requests to origins, limits.subrequests is ${this.#options.subrequests}: send less at once`,
    )
  }

  /** Requests that may still be caused. */
  #roomLeft(): number {
    return this.#cargos.reduce(
      (n, { stream, pieces }) => n - stream.origins.length * pieces.length,
      this.#options.subrequests,
    )
  }

  /** Cuts this part for one stream after the other while there is room, and says for how many. The first `counted` have been counted before. */
  #cutAll(byBytes: boolean, spare: number, counted: number): number {
    const kernel = this.#kernel
    for (const [i, cargo] of this.#cargos.entries()) {
      const { stream, pieces } = cargo
      const points = byBytes ? 0x7fffffff : stream.points
      const most = Math.floor((this.#roomLeft() - spare) / stream.origins.length)
      kernel.emitBegin(stream)
      if (!cut(kernel, { ...stream, points }, this.#pool, pieces, most)) return i
      if (i < counted) continue
      addReport(cargo.dropped, kernel, R_VARIANT_DROPPED)
      addReport(cargo.unwanted, kernel, R_UNWANTED)
      addReport(cargo.superseded, kernel, R_SUPERSEDED)
      addReport(cargo.oversize, kernel, R_OVERSIZE)
      cargo.expanded += kernel.report(R_EXPANDED)
      cargo.made += kernel.report(R_MADE)
    }
    return this.#cargos.length
  }

  /** Describes the rejected series that the kernel noted: their records last as long as the part. */
  #note(): void {
    const kernel = this.#kernel
    const noted = kernel.report(R_NOTED)
    for (let i = this.#described; i < noted; i++) {
      const about = kernel.noteMetric(i)
      if (about !== undefined) {
        if (this.#refusals.length < NOTES) {
          this.#refusals.push(describePointRefusal(about.reason, about.name))
        }
        continue
      }
      const note = kernel.note(i)
      // One without labels was refused outside of the table, and described when it was missed.
      if (note.labels && this.#refusals.length < NOTES) {
        this.#refusals.push(describeRefusal(note.reason, note.labels, note.time))
      }
    }
    this.#described = noted
  }

  batch(): Batch {
    const kernel = this.#kernel
    const rejected = []
    for (let reason = 0; reason < REASONS; reason++) {
      const counts = reportCounts(kernel, R_REJECTED + reason * KINDS)
      if (totalOf(counts) > 0) rejected.push({ code: reasonCode(reason), counts })
    }
    return {
      ...(this.#options.protocol === 'otlp' && { points: pointsOf(kernel) }),
      received: reportCounts(kernel, R_RECEIVED),
      dropped: reportCounts(kernel, R_DROPPED),
      rejected,
      refusals: this.#refusals,
      cargos: this.#cargos,
      series: kernel.report(R_SERIES),
      missed: kernel.report(R_MISSED),
      turnOvers: this.#turnOvers,
      joined: this.#table.joined - this.#joined,
    }
  }
}

function pointsOf(kernel: Kernel): Points {
  const rejected = []
  for (let reason = 0; reason < REASONS; reason++) {
    const count = kernel.report(R_POINTS_REJECTED + reason)
    if (count > 0) rejected.push({ code: reasonCode(reason), count })
  }
  return {
    received: kernel.report(R_POINTS),
    dropped: kernel.report(R_POINTS_DROPPED),
    rejected,
  }
}
