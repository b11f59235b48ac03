import type { IncomingHttpHeaders } from 'node:http'
import { parseMediaType } from '../../src/receive/media-type.ts'
import type { Findings } from './problems.ts'

/** What a request holds, by its headers. */
export interface WriteKind {
  readonly protocol: Protocol
  /** JSON is of OTLP only. */
  readonly content: 'protobuf' | 'json'
  readonly encoding: Encoding
}

/** The protocols that the origin takes. */
export const PROTOCOLS = ['remotewrite1', 'remotewrite2', 'otlp'] as const
export type Protocol = (typeof PROTOCOLS)[number]

/** The values of Content-Encoding that it takes; identity is none. */
export const ENCODINGS = ['snappy', 'zstd', 'gzip', 'deflate', 'identity'] as const
export type Encoding = (typeof ENCODINGS)[number]

/**
 * What a request holds, by its path and headers; a string is why it can't be told, for a 415. Paths that end with
 * `/v1/metrics` are OTLP's, and so is JSON; all others are of remote write, the type tells the version.
 */
export function writeKind(path: string, headers: IncomingHttpHeaders): WriteKind | string {
  const given = headers['content-encoding']?.trim().toLowerCase() || 'identity'
  const encoding = ENCODINGS.find((one) => one === given)
  if (encoding === undefined)
    return `Content-Encoding is ${JSON.stringify(given)}, not one of ${ENCODINGS.join(', ')}`
  const type = parseMediaType(headers['content-type'] ?? '')
  if (type?.essence === 'application/json') return { protocol: 'otlp', content: 'json', encoding }
  if (type?.essence !== 'application/x-protobuf')
    return 'Content-Type is not application/x-protobuf, or application/json for OTLP'
  const content = 'protobuf'
  if (path.endsWith('/v1/metrics')) return { protocol: 'otlp', content, encoding }
  const proto = type.parameters.get('proto') ?? 'prometheus.WriteRequest'
  if (proto === 'prometheus.WriteRequest') return { protocol: 'remotewrite1', content, encoding }
  if (proto === 'io.prometheus.write.v2.Request')
    return { protocol: 'remotewrite2', content, encoding }
  return `there is no message ${JSON.stringify(proto)}`
}

/**
 * Checks the headers that the specifications ask senders for: those of remote write name their version and themselves;
 * vmagent's zstd has a version of its own.
 */
export function checkHeaders(
  { protocol, encoding }: WriteKind,
  headers: IncomingHttpHeaders,
  findings: Findings,
): void {
  if (protocol === 'otlp') return
  const say = (message: string) => findings.add('header', 'the headers', message)
  if (!headers['user-agent']) say('User-Agent is missing')
  const version = headers['x-prometheus-remote-write-version']
  if (version === undefined) {
    const own = headers['x-victoriametrics-remote-write-version']
    if (encoding !== 'zstd' || own !== '1') say('X-Prometheus-Remote-Write-Version is missing')
    return
  }
  const wanted = protocol === 'remotewrite1' ? '0.1.0' : '2.0.0'
  if (version !== wanted)
    say(`X-Prometheus-Remote-Write-Version is ${JSON.stringify(version)}, not ${wanted}`)
}
