import { totalOf } from './batch/counts.ts'
import { otlpIngress } from './ingress.ts'
import { exportAnswer, type PartialSuccess, statusAnswer } from './otlp/answer.ts'
import {
  type Judge,
  type PipelineDeps,
  type RequestContext,
  type Written,
  writeRequest,
} from './pipeline.ts'
import { judgeOtlp, otlpContent } from './receive/otlp-headers.ts'
import type { RequestError } from './wire/request-error.ts'

const judge: Judge = (request, limits) => otlpIngress(judgeOtlp(request, limits))

/** Takes an OTLP/HTTP metrics request and answers it (spec 3.4). Throws a RequestError for one that can't be served. */
export async function takeOtlp(
  request: Request,
  ctx: RequestContext,
  deps: PipelineDeps,
): Promise<Response> {
  const written = await writeRequest(request, judge, ctx, deps)
  const { verdict } = written
  const content = otlpContent(request)
  if (verdict.status === 503) return statusAnswer(content, { ...verdict, status: 503 }, deps.random)
  return exportAnswer(content ?? 'protobuf', partialSuccess(written))
}

/** The answer to a request that could not be served: 503 beats all, a client sends the data again after nothing else. */
export function refuseOtlp(
  request: Request,
  refusal: RequestError,
  { random }: Pick<PipelineDeps, 'random'>,
): Response {
  return statusAnswer(otlpContent(request), refusal, random)
}

const REASONS = 3

/** What could not be accepted, counted in data points, and why; undefined when all was. */
export function partialSuccess(written: Written): PartialSuccess | undefined {
  const { batch, loaded, results } = written
  const points = batch.points ?? { received: 0, dropped: 0, rejected: [] }
  const here = points.rejected.reduce((sum, { count }) => sum + count, 0)
  const unread = loaded.rejected.reduce((sum, { points }) => sum + points, 0)
  const there = Math.max(0, ...results.map((result) => refusedPoints(written, result)))
  const reasons = [
    ...loaded.rejected.map(({ reason }) => reason),
    ...batch.refusals,
    ...written.tooLarge,
    ...results.flatMap(({ messages }) => messages),
    ...(loaded.idsDropped > 0
      ? [
          `${loaded.idsDropped} trace or span ids of exemplars are not hexadecimal and were left out`,
        ]
      : []),
  ]
  const rejected = here + unread + Math.min(there, points.received - points.dropped - here)
  if (rejected === 0 && reasons.length === 0) return undefined
  return { rejected, message: first(reasons) }
}

/** Points of which this origin, or its limits, left something out. */
function refusedPoints(
  { batch, config, leftOut }: Written,
  result: Written['results'][number],
): number {
  const index = config.origins.indexOf(result.origin)
  const cargo = batch.cargos.find(({ stream }) => stream.origins.includes(index))
  const { samples, histograms, points = 0 } = result.rejected
  // An origin that took all but some does not say of which points, and those that lost only exemplars are not lost. Of a
  // point whose first series some rule dropped, the others still count as one.
  const items = samples + histograms
  const refused = Math.max(Math.min(points, items), Math.min(1, items))
  const oversize = [cargo?.oversize, leftOut.get(result.origin)?.oversize]
  return oversize.reduce((sum, counts) => sum + (counts ? totalOf(counts) : 0), refused)
}

function first(reasons: readonly string[]): string {
  const more = reasons.length - REASONS
  const shown = reasons.slice(0, REASONS).join('; ')
  return more > 0 ? `${shown}; and ${more} more` : shown
}
