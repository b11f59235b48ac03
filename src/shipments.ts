import { countRepacked } from './accounting.ts'
import type { Batch } from './batch/batch.ts'
import { totalOf } from './batch/counts.ts'
import type { Piece } from './batch/cut.ts'
import { halve } from './batch/halve.ts'
import { repack } from './batch/repack.ts'
import type { OwnPiece } from './batch/resolve-own.ts'
import type { Stream } from './batch/streams.ts'
import type { Config, OriginConfig } from './config/types.ts'
import type { Shipment } from './deliver/fan-out.ts'
import { addCounts, type Counts, NO_COUNTS, type Payload } from './deliver/payload.ts'
import type { Fetch } from './deliver/send.ts'
import { budgetFull, type Lease, type MemoryBudget } from './receive/memory-budget.ts'
import { METADATA } from './wire/layout.ts'
import type { Workspace } from './workspace.ts'

/** What shipments are made with. */
export interface ShipmentDeps {
  readonly workspace: Workspace
  readonly budget: MemoryBudget
  /** How this origin is reached. */
  readonly fetchOf: (origin: OriginConfig) => Fetch
}

/** What was left out of payloads when they were made anew for an origin that could not read them: nothing before it has answered. */
export type LeftOut = Map<OriginConfig, { dropped: Counts; oversize: Counts }>

/** A request on its way. */
export interface Shipped {
  /** One an origin, in the config's order. */
  readonly shipments: readonly Shipment[]
  readonly leftOut: LeftOut
}

/**
 * Origins of one stream share its payloads' bytes, which the budget pays for until the last of them is
 * released. Takes the batch's pieces over; throws a RequestError, and gives them back, when the budget is full.
 */
export function ship(batch: Batch, config: Config, deps: ShipmentDeps): Shipped {
  const { pool } = deps.workspace
  const pieces = batch.cargos.flatMap((cargo) => cargo.pieces)
  const lease = deps.budget.reserve(heldBy(pieces))
  if (lease === undefined) {
    for (const { bytes } of pieces) pool.give(bytes)
    throw budgetFull()
  }
  const shipments: Shipment[] = []
  const leftOut: LeftOut = new Map()
  for (const { stream, pieces } of batch.cargos) {
    const shared = pieces.map((piece) => sharedBytes(piece, stream.origins.length, lease, deps))
    for (const i of stream.origins) {
      const origin = config.origins[i]!
      shipments[i] = {
        origin,
        payloads: shared.map((take) => take()),
        // Not before it is needed: what it throws is then about this origin alone.
        fetch: spared(origin, deps) ? noRoom : (url, init) => deps.fetchOf(origin)(url, init),
        halve: (payload) => halvesOf(payload, lease, config, deps),
        repack: (payload) => repackedOf(payload, stream, origin, lease, config, deps, leftOut),
      }
    }
  }
  if (pieces.length === 0) lease.release()
  return { shipments, leftOut }
}

/** An origin that has no say in the answer gets nothing while half of the budget is taken: one that hangs must not cost others their room. */
function spared({ onFailure }: OriginConfig, { budget }: ShipmentDeps): boolean {
  return onFailure === 'ignore' && budget.used > budget.limit / 2
}

/** `overloaded`, so that it is not tried again. */
const noRoom: Fetch = () =>
  Promise.reject(
    Object.assign(new Error('half of the memory budget is taken'), { overloaded: true }),
  )

/** Memory of pieces, bytes: of their whole buffers, which may be a few times as large. */
function heldBy(pieces: readonly Pick<Piece, 'bytes'>[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.buffer.byteLength, 0)
}

/** Hands out a piece to `holders` payloads; when the last one is released, the bytes go back to the pool and the budget. */
function sharedBytes(
  piece: Piece,
  holders: number,
  lease: Lease,
  { workspace }: ShipmentDeps,
): () => Payload {
  let left = holders
  return () => {
    let held = true
    return {
      bytes: piece.bytes,
      protocol: { message: piece.message, compression: piece.compression },
      counts: piece.points > 0 ? { ...piece.counts, points: piece.points } : piece.counts,
      after: piece.after,
      release() {
        if (!held) return
        held = false
        if (--left > 0) return
        lease.shrink(heldBy([piece]))
        workspace.pool.give(piece.bytes)
        // A half was paid for before the whole was given back, so nothing will be.
        if (lease.bytes === 0) lease.release()
      },
    }
  }
}

/** A new synchronous section: two payloads out of one that was too large for its origin. */
function halvesOf(
  payload: Payload,
  lease: Lease,
  config: Config,
  deps: ShipmentDeps,
): readonly Payload[] {
  const { workspace } = deps
  const pieces = workspace.enterAny(config, ({ kernel, table }) =>
    halve(kernel, table, workspace.pool, ownPiece(payload)),
  )
  return adopt(sharePoints(payload, pieces), lease, deps)
}

/** A new synchronous section: the data of a payload that its origin can't read, as one that every receiver can. */
function repackedOf(
  payload: Payload,
  { kinds, expand, points, bytes }: Stream,
  origin: OriginConfig,
  lease: Lease,
  config: Config,
  deps: ShipmentDeps,
  leftOut: LeftOut,
): readonly Payload[] | undefined {
  const { workspace } = deps
  // Metadata that came along with series has been counted as left out.
  const form = { kinds: kinds & ~(1 << METADATA), expand, points, bytes }
  const repacked = workspace.enterAny(config, ({ kernel, table }) =>
    repack(kernel, table, workspace.pool, ownPiece(payload), form),
  )
  if (repacked === undefined) return undefined
  const payloads = adopt(sharePoints(payload, repacked.pieces), lease, deps)
  countRepacked(origin, repacked)
  const { dropped, oversize } = leftOut.get(origin) ?? { dropped: NO_COUNTS, oversize: NO_COUNTS }
  leftOut.set(origin, {
    dropped: addCounts(dropped, apart(repacked.lost)),
    oversize: addCounts(oversize, apart(repacked.oversize)),
  })
  return payloads
}

/** Metadata of the series of 2.0 is no item of its own: it was counted before. */
function apart(counts: Counts): Counts {
  return { ...counts, metadata: 0 }
}

/** Payloads of these pieces, which the budget pays for. Throws, and gives them back, when it can't. */
function adopt(pieces: readonly Piece[], lease: Lease, deps: ShipmentDeps): readonly Payload[] {
  if (!lease.grow(heldBy(pieces))) {
    for (const { bytes } of pieces) deps.workspace.pool.give(bytes)
    throw budgetFull()
  }
  return pieces.map((piece) => sharedBytes(piece, 1, lease, deps)())
}

function ownPiece({ bytes, counts, protocol }: Payload): OwnPiece {
  return { bytes, counts, ...protocol }
}

/** Which data points are in which piece is not known any more: each gets its share of them. */
function sharePoints({ counts }: Payload, pieces: readonly Piece[]): readonly Piece[] {
  let left = counts.points ?? 0
  if (left === 0) return pieces
  let items = pieces.reduce((sum, piece) => sum + totalOf(piece.counts), 0)
  return pieces.map((piece) => {
    const own = totalOf(piece.counts)
    const points = items === 0 ? 0 : Math.round((left * own) / items)
    left -= points
    items -= own
    return { ...piece, points }
  })
}
