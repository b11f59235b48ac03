import { create, toBinary, toJsonString } from '@bufbuild/protobuf'
import { StatusSchema } from '../../src/wire/gen/google-rpc_pb.js'
import { ExportMetricsServiceResponseSchema } from '../../src/wire/gen/opentelemetry_pb.js'
import type { Findings } from './problems.ts'
import type { PointCounts } from './take-points.ts'
import type { WriteKind } from './write-kind.ts'

/** An answer before it is sent. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Problems that an answer names. */
const MAX_NAMED = 3
const TYPES = { protobuf: 'application/x-protobuf', json: 'application/json' } as const
/** google.rpc.Code: INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNAVAILABLE. */
const CODES: Readonly<Record<number, number>> = { 400: 3, 413: 8, 415: 3, 429: 8, 503: 14 }
const UNKNOWN = 2

/** To a request that was taken: success, or 400 where something is wrong that is not allowed. 2.0 is told what was written. */
export function takenAnswer(kind: WriteKind, written: PointCounts, findings: Findings): Answer {
  const answer = findings.refused > 0 ? refusal(kind, 400, saidOf(findings)) : success(kind)
  if (kind.protocol !== 'remotewrite2') return answer
  return { ...answer, headers: { ...answer.headers, ...writtenHeaders(written) } }
}

/** Any other answer; of OTLP in the encoding of the request. `retryAfter`: milliseconds, told in whole seconds. */
export function refusal(
  kind: WriteKind | undefined,
  status: number,
  message: string,
  retryAfter?: number,
): Answer {
  const later: Record<string, string> = {}
  if (retryAfter !== undefined) later['Retry-After'] = String(Math.ceil(retryAfter / 1000))
  if (kind?.protocol !== 'otlp') {
    const body = Buffer.from(`${message}\n`)
    return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...later }, body }
  }
  const said = create(StatusSchema, { code: CODES[status] ?? UNKNOWN, message })
  const body =
    kind.content === 'json'
      ? Buffer.from(toJsonString(StatusSchema, said))
      : toBinary(StatusSchema, said)
  return { status, headers: { 'Content-Type': TYPES[kind.content], ...later }, body }
}

/** What a step says: a 2xx looks like success, but nothing was taken; 2.0 is not told what was written. */
export function scriptedAnswer(
  kind: WriteKind | undefined,
  status: number,
  retryAfter: number | undefined,
): Answer {
  if (status >= 300) return refusal(kind, status, `the script says ${status}`, retryAfter)
  return kind === undefined ? { status, headers: {}, body: EMPTY } : { ...success(kind), status }
}

/** What a sender gets that a portal keeps from its receiver. */
export function loginPage(): Answer {
  const page =
    '<!doctype html><title>Sign in</title><h1>Sign in</h1><form><input name="user"><input type="password"></form>\n'
  return {
    status: 200,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    body: Buffer.from(page),
  }
}

const EMPTY = new Uint8Array()

function success({ protocol, content }: WriteKind): Answer {
  if (protocol !== 'otlp') return { status: 204, headers: {}, body: EMPTY }
  const response = create(ExportMetricsServiceResponseSchema)
  const body =
    content === 'json'
      ? Buffer.from(toJsonString(ExportMetricsServiceResponseSchema, response))
      : toBinary(ExportMetricsServiceResponseSchema, response)
  return { status: 200, headers: { 'Content-Type': TYPES[content] }, body }
}

function writtenHeaders({ samples, histograms, exemplars }: PointCounts): Record<string, string> {
  return {
    'X-Prometheus-Remote-Write-Samples-Written': String(samples),
    'X-Prometheus-Remote-Write-Histograms-Written': String(histograms),
    'X-Prometheus-Remote-Write-Exemplars-Written': String(exemplars),
  }
}

/** The first problems, a line each. */
function saidOf({ listed, counts }: Findings): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const named = listed.slice(0, MAX_NAMED)
  const rest = total - named.length
  return [
    ...named.map(({ code, where, message }) => `${code}: ${where}: ${message}`),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ].join('\n')
}
