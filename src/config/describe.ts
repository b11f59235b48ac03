import { stringify } from 'yaml'
import { basicCredentials } from './authorization.ts'
import { formatDuration } from './duration.ts'
import { MESSAGES } from './origin-protocol.ts'
import { formatSize } from './size.ts'
import type { AuthEntry, Config, Limits, OriginConfig, OtlpConfig, RelabelConfig } from './types.ts'

const SECRET = '<secret>'

/**
 * The config in effect as YAML, with every default written out. Secrets are masked as `<secret>`: passwords,
 * tokens, values of headers (unless they are just `{tenant}`) and of a url's query; bindings in a url stay `${NAME}`.
 */
export function describeConfig(config: Config): string {
  const { externalLabels, origins, auth, ingressRules, deadline, limits, otlp } = config
  const global =
    externalLabels.length === 0
      ? {}
      : { global: { external_labels: Object.fromEntries(externalLabels) } }
  const document = {
    ...global,
    remote_write: origins.map(describeOrigin),
    otlp: describeOtlp(otlp),
    sluice: {
      auth: auth === 'none' ? auth : auth.map(describeAuthEntry),
      relabel_configs: ingressRules.map(describeRule),
      deadline: formatDuration(deadline),
      limits: describeLimits(limits),
    },
  }
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })
}

function describeOrigin(origin: OriginConfig): Record<string, unknown> {
  const headers = origin.headers.map(([name, value]) => [name, maskHeader(value)])
  return {
    name: origin.name,
    url: origin.shownUrl ?? origin.name,
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    ...describeAuthorization(origin.authorization),
    remote_timeout: formatDuration(origin.timeout),
    write_relabel_configs: origin.writeRelabelConfigs.map(describeRule),
    queue_config: {
      max_samples_per_send: origin.maxSamplesPerSend,
      min_backoff: formatDuration(origin.minBackoff),
      max_backoff: formatDuration(origin.maxBackoff),
    },
    metadata_config: { send: origin.sendMetadata },
    protobuf_message: origin.message === 1 ? MESSAGES[0] : MESSAGES[1],
    compression: origin.compression,
    native_histograms_with_custom_buckets: origin.customBuckets,
    send_exemplars: origin.sendExemplars,
    send_native_histograms: origin.sendNativeHistograms,
    on_failure: origin.onFailure,
    on_misconfigured: origin.onMisconfigured,
    max_bytes_per_send: formatSize(origin.maxBytesPerSend),
  }
}

function describeOtlp(otlp: OtlpConfig): Record<string, unknown> {
  return {
    translation_strategy: otlp.translationStrategy,
    promote_resource_attributes: [...otlp.promoteResourceAttributes],
    promote_all_resource_attributes: otlp.promoteAllResourceAttributes,
    ignore_resource_attributes: [...otlp.ignoreResourceAttributes],
    keep_identifying_resource_attributes: otlp.keepIdentifyingResourceAttributes,
    convert_histograms_to_nhcb: otlp.convertHistogramsToNhcb,
    promote_scope_metadata: otlp.promoteScopeMetadata,
    label_name_underscore_sanitization: otlp.labelNameUnderscoreSanitization,
    label_name_preserve_multiple_underscores: otlp.labelNamePreserveMultipleUnderscores,
    target_info: otlp.targetInfo,
    exemplar_max_length: otlp.exemplarMaxLength,
    delta: otlp.delta,
    dedupe_joined_values: otlp.dedupeJoinedValues,
  }
}

function maskHeader(value: string): string {
  return value === '{tenant}' ? value : SECRET
}

/** A user without a password is the secret itself: some services take an API key that way. */
function describeAuthorization(authorization: string | undefined): Record<string, unknown> {
  if (authorization === undefined) return {}
  const basic = basicCredentials(authorization)
  if (basic === undefined) {
    const type = authorization.slice(0, authorization.indexOf(' '))
    return { authorization: { type, credentials: SECRET } }
  }
  const username = basic.password === '' ? SECRET : basic.username
  return { basic_auth: { username, password: SECRET } }
}

function describeAuthEntry(entry: AuthEntry): Record<string, unknown> {
  const { tenant } = entry
  if ('bearer' in entry) return { bearer: SECRET, tenant }
  return { username: entry.username, password: SECRET, tenant }
}

/** As Prometheus prints a relabel config: what is empty is left out. */
function describeRule(rule: RelabelConfig): Record<string, unknown> {
  const equality = rule.action === 'keepequal' || rule.action === 'dropequal'
  return {
    ...(rule.sourceLabels.length === 0 ? {} : { source_labels: [...rule.sourceLabels] }),
    separator: rule.separator,
    ...(equality ? {} : { regex: rule.regex }),
    ...(rule.modulus === 0n ? {} : { modulus: rule.modulus }),
    ...(rule.targetLabel === '' ? {} : { target_label: rule.targetLabel }),
    replacement: rule.replacement,
    action: rule.action,
  }
}

function describeLimits(limits: Limits): Record<string, unknown> {
  return {
    body: formatSize(limits.body),
    decoded: formatSize(limits.decoded),
    series: limits.series,
    labels: limits.labels,
    label_name: formatSize(limits.labelName),
    label_value: formatSize(limits.labelValue),
    future: formatDuration(limits.future),
    subrequests: limits.subrequests,
  }
}
