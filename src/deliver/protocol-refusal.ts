import { isCommon, type Protocol } from './protocol.ts'

/**
 * What receivers say that can't decompress a body, or don't know its encoding, in lower case. None is a word that may be
 * part of a metric's name: an error about data quotes those.
 */
const UNDECODED: readonly string[] = [
  'cannot decompress', // VictoriaMetrics
  'snappy: corrupt input', // golang/snappy and Rust's snap: Prometheus before 2.54, Cortex, Mimir
  'snappy: unsupported',
  's2: corrupt input', // klauspost/compress: Thanos
  's2: unsupported',
  'snappy decode error', // Thanos
  'decompress snappy', // Mimir
  'snappy decoded length', // Mimir
  'decompress zstd',
  'failed to decompress', // GreptimeDB
  'failed decompressing', // Vector
  'unsupported content-encoding', // OpenTelemetry Collector
  'unsupported compression',
  'unsupported encoding',
  'encoding (compression) is not accepted', // Prometheus, should it say so with a 400
]

/**
 * Whether an answer that is neither a success nor temporary refuses the protocol, so that the same data may be taken in
 * another: a 415; with zstd also a 400 whose text says that it was not decoded, as receivers of 1.0 answer that know
 * nothing of encodings. Any other 400 is about the data. `text` is the start of the answer's body.
 */
export function refusesProtocol(status: number, text: string, protocol: Protocol): boolean {
  if (isCommon(protocol)) return false
  if (status === 415) return true
  if (status !== 400 || protocol.compression !== 'zstd') return false
  const said = text.toLowerCase()
  return UNDECODED.some((phrase) => said.includes(phrase))
}
