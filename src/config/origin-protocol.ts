import { error } from './config-file.ts'
import { EMBEDDED } from './origin-url.ts'
import { type Fields, readBoolean, readWord } from './read.ts'
import type { OriginConfig } from './types.ts'

/** The keys of an origin that say what it is sent. */
export const PROTOCOL_KEYS = [
  'protobuf_message',
  'compression',
  'native_histograms_with_custom_buckets',
  'convert_nhcb_to_classic',
] as const

/** The messages of remote write 1.0 and 2.0, as `protobuf_message` names them. */
export const MESSAGES = ['prometheus.WriteRequest', 'io.prometheus.write.v2.Request'] as const

/** Reads what the origin at `url` is sent: which message, how compressed, and what becomes of what the message can't carry. */
export function readProtocol(
  fields: Fields,
  url: string | undefined,
): Pick<OriginConfig, 'message' | 'compression' | 'customBuckets'> {
  const embedded = url === EMBEDDED
  const [messageField, compressionField] = PROTOCOL_KEYS.map((key) => fields.get(key))
  const message = readWord(messageField, MESSAGES, MESSAGES[0]) === MESSAGES[0] ? 1 : 2
  const compression = readWord(compressionField, ['snappy', 'zstd'], 'snappy')
  if (embedded && message === 2) error(messageField!, 'the embedded store takes remote write 1.0')
  if (compression === 'zstd') {
    if (embedded) error(compressionField!, 'the embedded store takes snappy')
    else if (message === 2) error(compressionField!, ONLY_1)
  }
  return { message, compression, customBuckets: readCustomBuckets(fields, message) }
}

/**
 * Our key, or Prometheus' own: a `false` that was written means what it means there, that message 1 goes without such
 * histograms. Only where nothing was written do we differ: a proxy passes on what it got.
 */
function readCustomBuckets(fields: Fields, message: 1 | 2): OriginConfig['customBuckets'] {
  const ours = fields.get('native_histograms_with_custom_buckets')
  const theirs = fields.get('convert_nhcb_to_classic')
  const said = readWord(ours, ['expand', 'drop'], 'expand')
  if (theirs === undefined) return said
  const convert = readBoolean(theirs, true)
  if (ours !== undefined && convert !== (said === 'expand')) error(theirs, contradicts(said))
  else if (convert && message === 2) error(theirs, CARRIED)
  return convert ? 'expand' : 'drop'
}

function contradicts(said: OriginConfig['customBuckets']): string {
  return `native_histograms_with_custom_buckets: ${said} says the opposite, remove one of the two`
}

const ONLY_1 =
  "zstd is VictoriaMetrics' own protocol, which is remote write 1.0: remove this, or protobuf_message"
const CARRIED =
  'not supported with io.prometheus.write.v2.Request, which carries histograms with custom buckets as they are: remove this'
