import type { Limits } from '../config/types.ts'
import type { RequestError } from '../wire/request-error.ts'
import { parseMediaType } from './media-type.ts'
import {
  bodyLength,
  contentEncoding,
  onlyPost,
  type RequestHead,
  unsupportedEncoding,
  unsupportedType,
} from './request-head.ts'

/** What the headers of a remote write request say about its body. */
export interface RemoteWriteHeaders {
  /** 1: `prometheus.WriteRequest`; 2: `io.prometheus.write.v2.Request`. */
  readonly version: 1 | 2
  /** Of version 2 always snappy. */
  readonly encoding: 'snappy' | 'zstd'
  /** Declared bytes of the body; undefined when none were declared. */
  readonly length: number | undefined
}

const VERSIONS: ReadonlyMap<string, 1 | 2> = new Map([
  ['prometheus.WriteRequest', 1],
  ['io.prometheus.write.v2.Request', 2],
])
/** The newest first: that is what a sender should choose. */
const ACCEPTED =
  'application/x-protobuf;proto=io.prometheus.write.v2.Request, application/x-protobuf;proto=prometheus.WriteRequest'

/**
 * Judges a remote write request by its headers alone (remote write 1.0 and 2.0, "Protocol"). The
 * content type is the only thing that selects the version. A missing type means 1.0, a missing
 * encoding snappy; zstd is vmagent's own protocol, of 1.0 only. Throws a RequestError with
 * 405, 415, 400 (bad Content-Length) or 413 (over `limits.body`).
 */
export function judgeRemoteWrite(
  request: RequestHead,
  limits: Pick<Limits, 'body'>,
): RemoteWriteHeaders {
  onlyPost(request, 'remote write')
  const version = versionOf(request.headers.get('content-type'))
  const encoding = encodingOf(contentEncoding(request), version)
  return { version, encoding, length: bodyLength(request, limits) }
}

/** Whether the sender says that its body is of version 2: then every answer has the headers of 2.0. */
export function claimsVersion2({ headers }: Pick<RequestHead, 'headers'>): boolean {
  const type = parseMediaType(headers.get('content-type') ?? '')
  return VERSIONS.get(type?.parameters.get('proto') ?? '') === 2
}

function versionOf(contentType: string | null): 1 | 2 {
  if (contentType === null || contentType === '') return 1
  const type = parseMediaType(contentType)
  if (type === undefined) throw refusedType('the Content-Type header is malformed')
  if (type.essence !== 'application/x-protobuf') throw refusedType(`not ${type.essence}`)
  const proto = type.parameters.get('proto')
  if (proto === undefined) return 1
  const version = VERSIONS.get(proto)
  if (version === undefined) throw refusedType(`not the message ${proto}`)
  return version
}

function encodingOf(encoding: string | undefined, version: 1 | 2): 'snappy' | 'zstd' {
  if (encoding === undefined || encoding === 'snappy') return 'snappy'
  if (encoding === 'zstd' && version === 1) return 'zstd'
  const taken = version === 1 ? 'snappy (block format) or zstd' : 'snappy (block format)'
  throw unsupportedEncoding(
    `this receiver takes Content-Encoding ${taken} for remote write ${version}.0, not ${encoding}`,
    version === 1 ? 'snappy, zstd' : 'snappy',
  )
}

function refusedType(why: string): RequestError {
  return unsupportedType(
    `this receiver takes application/x-protobuf of prometheus.WriteRequest (1.0) or io.prometheus.write.v2.Request (2.0): ${why}`,
    ACCEPTED,
  )
}
