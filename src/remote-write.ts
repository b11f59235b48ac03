import { addCounts, type Counts, NO_COUNTS } from './deliver/payload.ts'
import { remoteWriteIngress } from './ingress.ts'
import {
  type Judge,
  type PipelineDeps,
  type RequestContext,
  type Written,
  writeRequest,
} from './pipeline.ts'
import { answer, type Told } from './receive/answer.ts'
import { claimsVersion2, judgeRemoteWrite } from './receive/remote-write-headers.ts'

const judge: Judge = (request, limits) => remoteWriteIngress(judgeRemoteWrite(request, limits))

/** Takes a request of remote write 1.0 or 2.0 and answers it. Throws a RequestError for one that can't be served. */
export async function takeRemoteWrite(
  request: Request,
  ctx: RequestContext,
  deps: PipelineDeps,
): Promise<Response> {
  const written = await writeRequest(request, judge, ctx, deps)
  const { verdict } = written
  const counts = verdict.status === 503 ? NO_COUNTS : writtenCounts(written)
  return answerRemoteWrite(request, verdict, deps, counts)
}

/**
 * The answer to a request, served or not. To a sender of 2.0 it says how many samples, histograms and exemplars were written (spec 2.4), and to one of 1.0 never: Prometheus
 * would count by it.
 */
export function answerRemoteWrite(
  request: Request,
  told: Told,
  { random }: Pick<PipelineDeps, 'random'>,
  written: Counts = NO_COUNTS,
): Response {
  const response = answer(told, random)
  if (!claimsVersion2(request)) return response
  const { headers } = response
  headers.set('X-Prometheus-Remote-Write-Samples-Written', String(written.samples))
  headers.set('X-Prometheus-Remote-Write-Histograms-Written', String(written.histograms))
  headers.set('X-Prometheus-Remote-Write-Exemplars-Written', String(written.exemplars))
  return response
}

/** What was written wherever it had to be: of each kind the least of all origins that decide. What a rule dropped counts as written. */
export function writtenCounts({
  batch,
  results,
  config,
  leftOut,
}: Pick<Written, 'batch' | 'results' | 'config' | 'leftOut'>): Counts {
  const rejected = batch.rejected.reduce((sum, { counts }) => addCounts(sum, counts), NO_COUNTS)
  const most = without(batch.received, rejected)
  return results.reduce((least, result) => {
    const index = config.origins.indexOf(result.origin)
    const cargo = batch.cargos.find(({ stream }) => stream.origins.includes(index))
    const anew = leftOut.get(result.origin)
    const lost = [result.failed, cargo?.oversize, anew?.oversize].reduce<Counts>(
      (sum, counts) => addCounts(sum, counts ?? NO_COUNTS),
      result.rejected,
    )
    const left = [
      batch.dropped,
      cargo?.dropped,
      cargo?.unwanted,
      cargo?.superseded,
      anew?.dropped,
    ].map((counts) => counts?.histograms ?? 0)
    const accounted = left.reduce(
      (sum, n) => sum + n,
      lost.histograms + result.delivered.histograms,
    )
    // Classic series went out for the others. Whose samples were lost is not known: all that may have been.
    const unsure = Math.min(Math.max(0, most.histograms - accounted), lost.samples)
    return leastOf(least, without(most, { ...lost, histograms: lost.histograms + unsure }))
  }, most)
}

/** What is left of `all`, nothing of it below zero: classic series may stand in for histograms. */
function without(all: Counts, some: Counts): Counts {
  return {
    samples: Math.max(0, all.samples - some.samples),
    histograms: Math.max(0, all.histograms - some.histograms),
    exemplars: Math.max(0, all.exemplars - some.exemplars),
    metadata: Math.max(0, all.metadata - some.metadata),
  }
}

function leastOf(a: Counts, b: Counts): Counts {
  return {
    samples: Math.min(a.samples, b.samples),
    histograms: Math.min(a.histograms, b.histograms),
    exemplars: Math.min(a.exemplars, b.exemplars),
    metadata: Math.min(a.metadata, b.metadata),
  }
}
