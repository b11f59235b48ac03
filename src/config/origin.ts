import { AUTHORIZATION_KEYS, readAuthorization } from './authorization.ts'
import { error, type Value, warn } from './config-file.ts'
import { readCustomHeaders } from './custom-headers.ts'
import {
  IGNORED,
  METADATA_IGNORED,
  QUEUE_IGNORED,
  QUEUE_REFUSED,
  REFUSED,
  TLS_IGNORED,
  TLS_REFUSED,
} from './origin-keys.ts'
import { PROTOCOL_KEYS, readProtocol } from './origin-protocol.ts'
import { readOriginUrl } from './origin-url.ts'
import {
  type Fields,
  kindOf,
  readBoolean,
  readDuration,
  readFields,
  readInteger,
  readSize,
  readText,
  readWord,
} from './read.ts'
import type { NameScheme } from './relabel-config.ts'
import { readRules } from './rules.ts'
import type { OriginConfig } from './types.ts'
import { ignore, refuse } from './unsupported.ts'

const KEYS = [
  'name',
  'url',
  'headers',
  'http_headers',
  ...AUTHORIZATION_KEYS,
  'remote_timeout',
  'write_relabel_configs',
  'queue_config',
  'metadata_config',
  'send_exemplars',
  'send_native_histograms',
  ...PROTOCOL_KEYS,
  'follow_redirects',
  'tls_config',
  'on_failure',
  'on_misconfigured',
  'max_bytes_per_send',
  ...Object.keys(REFUSED),
  ...Object.keys(IGNORED),
]
const QUEUE_KEYS = [
  'max_samples_per_send',
  'min_backoff',
  'max_backoff',
  'retry_on_http_429',
  ...Object.keys(QUEUE_IGNORED),
  ...Object.keys(QUEUE_REFUSED),
]
const MEGABYTE = 1 << 20

/** What an entry of `remote_write` says. */
export interface ReadOrigin {
  /** Where it stands. */
  readonly at: Value
  /** Undefined where none was written, or it was wrong. */
  readonly name: string | undefined
  /** The name it gets then. */
  readonly derivedName: string
  readonly tenantHeaders: readonly Value[]
  readonly rest: Omit<OriginConfig, 'name'>
}

/** Reads one entry of `remote_write`. Whatever is wrong is noted, and the rest read. */
export function readOrigin(value: Value, scheme: NameScheme): ReadOrigin | undefined {
  const fields = readFields(value, KEYS)
  if (fields === undefined) return undefined
  refuse(fields, REFUSED)
  ignore(fields, IGNORED)
  readTls(fields.get('tls_config'))
  if (!readBoolean(fields.get('follow_redirects'), true)) {
    warn(fields.get('follow_redirects')!, 'ignored: a 307 or 308 to the same host is followed once')
  }
  const urlField = fields.get('url')
  const url = urlField && readOriginUrl(urlField)
  if (urlField === undefined) error(value, 'url is missing')
  const authorization = readAuthorization(value, fields, url?.authorization)
  const { headers, tenantHeaders } = readCustomHeaders(fields)
  const rest = {
    url: url?.url ?? '',
    shownUrl: url?.shown ?? '',
    headers,
    ...(authorization === undefined ? {} : { authorization }),
    timeout: readDuration(fields.get('remote_timeout'), 30_000, { min: 1, range: ', more than 0' }),
    writeRelabelConfigs: readRules(fields.get('write_relabel_configs'), scheme),
    maxBytesPerSend: readSize(fields.get('max_bytes_per_send'), 3 * MEGABYTE, {
      min: 1024,
      max: 8 * MEGABYTE,
      range: ', from 1KB to 8MB',
    }),
    ...readQueue(fields.get('queue_config')),
    ...readProtocol(fields, url?.url),
    sendExemplars: readBoolean(fields.get('send_exemplars'), true),
    sendNativeHistograms: readBoolean(fields.get('send_native_histograms'), true),
    sendMetadata: readMetadata(fields.get('metadata_config')),
    onFailure: readOnFailure(fields.get('on_failure')),
    onMisconfigured: readWord(fields.get('on_misconfigured'), ['retry', 'reject'], 'retry'),
  }
  const name = readName(fields.get('name'))
  return { at: value, name, derivedName: url?.name ?? '', tenantHeaders, rest }
}

/** What metrics call the stage before all origins. */
export const INGRESS = 'ingress'

/** `name`: part of logs, pages and metrics, so printable and short. */
function readName(value: Value | undefined): string | undefined {
  const name = value && readText(value)
  if (value === undefined || name === undefined || name === '') return undefined
  if (name === INGRESS) {
    return error(value, 'choose another: in the metrics this is the stage before all origins')
  }
  if (name.length <= 128 && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name)) return name
  return error(value, 'wanted a name of at most 128 printable characters')
}

function readQueue(
  value: Value | undefined,
): Pick<OriginConfig, 'maxSamplesPerSend' | 'minBackoff' | 'maxBackoff'> {
  const fields: Fields = (value && readFields(value, QUEUE_KEYS)) ?? new Map()
  refuse(fields, QUEUE_REFUSED)
  ignore(fields, QUEUE_IGNORED)
  readInteger(fields.get('capacity'), 10_000)
  readDuration(fields.get('batch_send_deadline'), 5000)
  readDuration(fields.get('sample_age_limit'), 0)
  const maxShards = readInteger(fields.get('max_shards'), 50)
  const minShards = readInteger(fields.get('min_shards'), 1)
  if (minShards > maxShards) {
    error(fields.get('min_shards') ?? value!, 'min_shards must not be greater than max_shards')
  }
  const tooMany = fields.get('retry_on_http_429')
  if (!readBoolean(tooMany, true)) {
    warn(tooMany!, 'ignored: a 429 of an origin is told to the sender as 503, so that it retries')
  }
  const minBackoff = readDuration(fields.get('min_backoff'), 30)
  const maxBackoff = readDuration(fields.get('max_backoff'), 5000)
  if (maxBackoff < minBackoff) {
    const at = fields.get('max_backoff') ?? fields.get('min_backoff')!
    error(at, 'max_backoff must not be less than min_backoff')
  }
  const maxSamplesPerSend = readInteger(fields.get('max_samples_per_send'), 2000)
  return { maxSamplesPerSend, minBackoff, maxBackoff }
}

function readMetadata(value: Value | undefined): boolean {
  const fields = value && readFields(value, ['send', ...Object.keys(METADATA_IGNORED)])
  if (fields === undefined) return true
  ignore(fields, METADATA_IGNORED)
  return readBoolean(fields.get('send'), true)
}

function readTls(value: Value | undefined): void {
  const known = [...Object.keys(TLS_REFUSED), ...Object.keys(TLS_IGNORED)]
  const fields = value && readFields(value, known, true)
  if (fields === undefined) return
  refuse(fields, TLS_REFUSED)
  ignore(fields, TLS_IGNORED)
}

function readOnFailure(value: Value | undefined): OriginConfig['onFailure'] {
  if (value !== undefined && kindOf(value) === 'a string' && readText(value) === 'spool') {
    return error(value, 'spool is not supported yet: write reject or ignore') ?? 'reject'
  }
  return readWord(value, ['reject', 'ignore'], 'reject')
}
