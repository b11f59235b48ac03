import type { Batch, Cargo } from './batch/batch.ts'
import type { Repacked } from './batch/repack.ts'
import type { OriginConfig } from './config/types.ts'
import type { OriginResult } from './deliver/origin-result.ts'
import { addCounts, type Counts, NO_COUNTS } from './deliver/payload.ts'
import type { Loaded } from './ingress.ts'
import type { LeftOut } from './shipments.ts'
import type { OriginAccounting, RequestAccounting } from './telemetry/accounting.ts'
import type { Counter, Family } from './telemetry/instrument.ts'
import { itemKinds, metrics } from './telemetry/metrics.ts'
import { METADATA } from './wire/layout.ts'

// Every item that came in ends in exactly one sum. Handles are bound once, so that counting allocates nothing.

type Handles = Readonly<Record<keyof Counts, Counter>>

function bind(child: (kind: keyof Counts) => Counter): Handles {
  return Object.fromEntries(itemKinds.map((kind) => [kind, child(kind)])) as unknown as Handles
}

function add(handles: Handles, counts: Counts): void {
  for (const kind of itemKinds) if (counts[kind] > 0) handles[kind].add(counts[kind])
}

const received = bind((kind) => metrics.received.with(kind))
const droppedAtIngress = bind((kind) => metrics.dropped.with('ingress', kind))
const tableHits = metrics.tableHits.with()
const tableMisses = metrics.tableMisses.with()
const labelsJoined = metrics.labelsJoined.with()
const tableTurnOvers = metrics.tableTurnOvers.with()
const compressedBytes = metrics.receivedCompressedBytes.with()
const decodedBytes = metrics.receivedDecodedBytes.with()

/** Counts what came in and what no origin gets. */
export function countBatch(batch: Batch, loaded: Loaded, compressed: number): void {
  add(received, batch.received)
  add(droppedAtIngress, batch.dropped)
  for (const { code, counts } of batch.rejected) {
    for (const kind of itemKinds) {
      if (counts[kind] > 0) metrics.rejected.with('ingress', code, kind).add(counts[kind])
    }
  }
  // What stands for an exemplar, or for a point that is rejected, is missed too, but no series comes of it.
  tableHits.add(Math.max(0, batch.series - batch.missed))
  tableMisses.add(batch.missed)
  tableTurnOvers.add(batch.turnOvers)
  labelsJoined.add(batch.joined)
  compressedBytes.add(compressed)
  decodedBytes.add(loaded.n)
  const unread = loaded.rejected.reduce((sum, { points }) => sum + points, 0)
  if (unread > 0) metrics.pointsRejected.with('malformed_json').add(unread)
  if (batch.points === undefined) return
  metrics.points.with().add(batch.points.received + unread)
  metrics.pointsDropped.with().add(batch.points.dropped)
  for (const { code, count } of batch.points.rejected) metrics.pointsRejected.with(code).add(count)
}

interface OriginHandles {
  readonly dropped: Handles
  readonly oversize: Handles
  readonly superseded: Handles
  readonly delivered: Handles
  readonly rejected: Handles
  readonly failed: Handles
  readonly compressed: Counter
  readonly uncompressed: Counter
}

const handlesOf = new Map<string, OriginHandles>()

function originHandles(name: string): OriginHandles {
  let handles = handlesOf.get(name)
  if (handles === undefined) {
    const of = (family: Family<Counter, readonly ['origin', 'kind']>) =>
      bind((kind) => family.with(name, kind))
    handles = {
      dropped: bind((kind) => metrics.dropped.with(name, kind)),
      oversize: bind((kind) => metrics.rejected.with(name, 'too_large', kind)),
      superseded: of(metrics.superseded),
      delivered: of(metrics.delivered),
      rejected: of(metrics.originRejected),
      failed: of(metrics.failed),
      compressed: metrics.sentCompressedBytes.with(name),
      uncompressed: metrics.sentUncompressedBytes.with(name),
    }
    handlesOf.set(name, handles)
  }
  return handles
}

/** Counts what one origin's rules and limits left out of a batch. */
export function countCargo(origin: OriginConfig, cargo: Cargo): void {
  const handles = originHandles(origin.name)
  add(handles.dropped, cargo.dropped)
  add(handles.dropped, unwantedOf(cargo))
  const attached = attachedMetadata(cargo)
  if (attached > 0) metrics.attached.with(origin.name).add(attached)
  add(handles.oversize, cargo.oversize)
  add(handles.superseded, cargo.superseded)
  if (cargo.expanded > 0) metrics.expanded.with(origin.name).add(cargo.expanded)
  if (cargo.made > 0) metrics.expandedSamples.with(origin.name).add(cargo.made)
  for (const { uncompressed } of cargo.pieces) handles.uncompressed.add(uncompressed)
}

/** Metadata that goes out with series, since remote write 2.0 has none apart: nothing of it is lost. */
function attachedMetadata({ stream, unwanted }: Cargo): number {
  const wanted = (stream.kinds >>> METADATA) & 1
  return stream.message === 2 && wanted === 1 ? unwanted.metadata : 0
}

function unwantedOf(cargo: Cargo): Counts {
  const { unwanted } = cargo
  return { ...unwanted, metadata: unwanted.metadata - attachedMetadata(cargo) }
}

/** Counts what a payload lost, and what it gained, when it was made anew for an origin that could not read it. */
export function countRepacked(
  origin: OriginConfig,
  { lost, oversize, expanded, made }: Repacked,
): void {
  const handles = originHandles(origin.name)
  add(handles.dropped, { ...lost, metadata: 0 })
  add(handles.oversize, { ...oversize, metadata: 0 })
  if (expanded > 0) metrics.expanded.with(origin.name).add(expanded)
  if (made > 0) metrics.expandedSamples.with(origin.name).add(made)
}

/** Counts what became of the pieces at one origin. */
export function countResult(result: OriginResult): void {
  const { name } = result.origin
  const handles = originHandles(name)
  add(handles.delivered, result.delivered)
  add(handles.rejected, result.rejected)
  add(handles.failed, result.failed)
  handles.compressed.add(result.bytesOut)
  for (const [kind, n] of Object.entries(result.requests)) {
    const outcome = kind === 'too-large' ? 'too_large' : (kind as Exclude<typeof kind, 'too-large'>)
    if (n > 0) metrics.originRequests.with(name, outcome).add(n)
  }
}

/** The line for the log: what became of a request whose batch was made. */
export function accountFor(
  batch: Batch,
  results: readonly OriginResult[],
  answer: Omit<RequestAccounting, 'received' | 'dropped' | 'rejected' | 'origins'>,
  origins: readonly OriginConfig[],
  leftOut: LeftOut = new Map(),
): RequestAccounting {
  return {
    ...answer,
    received: batch.received,
    dropped: batch.dropped,
    rejected: batch.rejected.reduce((sum, { counts }) => addCounts(sum, counts), NO_COUNTS),
    origins: results.map((result) =>
      originAccounting(batch, result, origins.indexOf(result.origin), leftOut),
    ),
  }
}

function originAccounting(
  batch: Batch,
  result: OriginResult,
  index: number,
  leftOut: LeftOut,
): OriginAccounting {
  const cargo = batch.cargos.find(({ stream }) => stream.origins.includes(index))
  const { dropped = NO_COUNTS } = cargo ?? {}
  const { superseded = NO_COUNTS, oversize = NO_COUNTS } = cargo ?? {}
  const anew = leftOut.get(result.origin) ?? { dropped: NO_COUNTS, oversize: NO_COUNTS }
  return {
    origin: result.origin.name,
    delivered: result.delivered,
    dropped: addCounts(cargo ? addCounts(dropped, unwantedOf(cargo)) : dropped, anew.dropped),
    rejected: addCounts(addCounts(result.rejected, oversize), anew.oversize),
    superseded,
    failed: result.failed,
    ...(result.messages.length > 0 && { message: result.messages.join('; ') }),
  }
}
