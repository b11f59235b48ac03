/**
 * What a Sluice instance is told to do. Built by `parseConfig`, frozen, never changed afterwards: a new config is a
 * new object. Everything is resolved: defaults are applied, `${NAME}` is replaced, durations are
 * milliseconds, sizes are bytes.
 */
export interface Config {
  /** `global.external_labels`, in the order of their names' bytes. They fill gaps only. */
  readonly externalLabels: readonly (readonly [name: string, value: string])[]
  /** `remote_write`, in the order of the file, 1 to 16 of them, their names distinct. */
  readonly origins: readonly OriginConfig[]
  /** `sluice.auth`. `none` was said in so many words. */
  readonly auth: 'none' | readonly AuthEntry[]
  /** `sluice.relabel_configs`: for everything that comes in, before external labels and the origins' own rules. */
  readonly ingressRules: readonly RelabelConfig[]
  /** `sluice.deadline`: for a whole request, all pieces and retries. Milliseconds. */
  readonly deadline: number
  readonly limits: Limits
  /** `otlp`: how OTLP metrics become series. */
  readonly otlp: OtlpConfig
}

/** How names are made of OTLP's (spec 4.1). */
export type TranslationStrategy =
  | 'UnderscoreEscapingWithSuffixes'
  | 'UnderscoreEscapingWithoutSuffixes'
  | 'NoUTF8EscapingWithSuffixes'
  | 'NoTranslation'

/** Prometheus' `otlp` block with its defaults applied; the last four are ours. */
export interface OtlpConfig {
  readonly translationStrategy: TranslationStrategy
  readonly promoteResourceAttributes: readonly string[]
  readonly promoteAllResourceAttributes: boolean
  /** Only with `promoteAllResourceAttributes`. */
  readonly ignoreResourceAttributes: readonly string[]
  readonly keepIdentifyingResourceAttributes: boolean
  readonly convertHistogramsToNhcb: boolean
  readonly promoteScopeMetadata: boolean
  readonly labelNameUnderscoreSanitization: boolean
  readonly labelNamePreserveMultipleUnderscores: boolean
  /** Whether `target_info` is made of resource attributes. */
  readonly targetInfo: boolean
  /** Code points that an exemplar's labels may have together; with more it loses its filtered attributes. */
  readonly exemplarMaxLength: number
  /** What becomes of points that are not cumulative: refused with a reason, or left out in silence. */
  readonly delta: 'reject' | 'drop'
  /** Attributes whose label names become equal and whose values are equal too: `x` instead of Prometheus' `x;x`. */
  readonly dedupeJoinedValues: boolean
}

/** One entry of `sluice.auth`: a bearer token, or a user with a password. */
export type AuthEntry = { readonly tenant: string } & (
  | { readonly bearer: string }
  | { readonly username: string; readonly password: string }
)

/** `sluice.limits`, per request. Sizes in bytes, `future` in milliseconds. */
export interface Limits {
  /** Compressed body. */
  readonly body: number
  /** Decoded body. */
  readonly decoded: number
  readonly series: number
  /** Labels of one series as it goes out, after all rules. At most 127. */
  readonly labels: number
  readonly labelName: number
  readonly labelValue: number
  /** A point further ahead of now than this is rejected. */
  readonly future: number
  /** Requests to origins that one request may cause. */
  readonly subrequests: number
}

/** One entry of `remote_write`. */
export interface OriginConfig {
  /** `name`, or the url's host and path where there is none. Never holds a credential. */
  readonly name: string
  /** Absolute http(s) URL, or `sluice://embedded`, the origin inside this Worker. */
  readonly url: string
  /** `url` as it may be shown: as written, bindings not replaced, without user and values of the query. */
  readonly shownUrl?: string
  /** Custom headers; `{tenant}` in a value is replaced per request. Reserved names were refused at load. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Value of the Authorization header, from `basic_auth`, `authorization` or `bearer_token`. A secret. */
  readonly authorization?: string
  /** `remote_timeout`. Milliseconds, for one try. */
  readonly timeout: number
  readonly writeRelabelConfigs: readonly RelabelConfig[]
  /** `queue_config.max_samples_per_send`: samples, histograms, exemplars and metadata of one request together. */
  readonly maxSamplesPerSend: number
  /** Ours: uncompressed cap of one request. Bytes. */
  readonly maxBytesPerSend: number
  /** `queue_config.min_backoff` and `max_backoff`. Milliseconds. */
  readonly minBackoff: number
  readonly maxBackoff: number
  /** `protobuf_message`: remote write 1 (`prometheus.WriteRequest`) or 2 (`io.prometheus.write.v2.Request`). */
  readonly message: 1 | 2
  /** Ours: `zstd` is VictoriaMetrics' protocol, and for message 1 only. */
  readonly compression: 'snappy' | 'zstd'
  /** Ours: what becomes of native histograms with custom buckets where the message is 1, which can't carry them. */
  readonly customBuckets: 'expand' | 'drop'
  readonly sendExemplars: boolean
  readonly sendNativeHistograms: boolean
  /** `metadata_config.send`. */
  readonly sendMetadata: boolean
  /** Ours: what a failure of this origin means to the sender. */
  readonly onFailure: 'reject' | 'ignore'
  /** Ours: what a 401, 403 or 404 of this origin means: our operator's mistake (503) or the sender's (400). */
  readonly onMisconfigured: 'retry' | 'reject'
}

/** One relabel config with Prometheus' defaults applied (spec chapter 5.1). Field names are Prometheus'. */
export interface RelabelConfig {
  readonly sourceLabels: readonly string[]
  readonly separator: string
  /** As written, without the anchors. */
  readonly regex: string
  readonly modulus: bigint
  readonly targetLabel: string
  readonly replacement: string
  readonly action: RelabelAction
  /** Which label names it may set, by `global.metric_name_validation_scheme`; any UTF-8 when missing. */
  readonly nameScheme?: 'legacy'
}

export type RelabelAction =
  | 'replace'
  | 'keep'
  | 'drop'
  | 'keepequal'
  | 'dropequal'
  | 'hashmod'
  | 'labelmap'
  | 'labeldrop'
  | 'labelkeep'
  | 'lowercase'
  | 'uppercase'

/** Something wrong, or worth a warning, in a config file. */
export interface Problem {
  readonly severity: 'error' | 'warning'
  /** Place in the file, counted from 1; 0 when the problem has no place (a missing key). */
  readonly line: number
  readonly column: number
  /** The key's path, as `remote_write[0].url`. */
  readonly path: string
  /** One line; never holds a secret's value. */
  readonly message: string
}
