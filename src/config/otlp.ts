import { readAttributes } from './attributes.ts'
import { error, type Value, warn } from './config-file.ts'
import { EMBEDDED } from './origin-url.ts'
import { type Fields, readBoolean, readFields, readInteger, readWord } from './read.ts'
import type { NameScheme } from './relabel-config.ts'
import type { OriginConfig, OtlpConfig, TranslationStrategy } from './types.ts'

const STRATEGIES: readonly TranslationStrategy[] = [
  'UnderscoreEscapingWithSuffixes',
  'UnderscoreEscapingWithoutSuffixes',
  'NoUTF8EscapingWithSuffixes',
  'NoTranslation',
]
const KEYS = [
  'translation_strategy',
  'promote_resource_attributes',
  'promote_all_resource_attributes',
  'ignore_resource_attributes',
  'keep_identifying_resource_attributes',
  'convert_histograms_to_nhcb',
  'promote_scope_metadata',
  'label_name_underscore_sanitization',
  'label_name_preserve_multiple_underscores',
  'target_info',
  'exemplar_max_length',
  'delta',
  'dedupe_joined_values',
]
/** As many code points are at most 16 KB, what a label's value may have too. */
const LONGEST_EXEMPLAR = 4096

/** `otlp` when nothing was written. Frozen. */
export const defaultOtlp: OtlpConfig = Object.freeze({
  translationStrategy: 'UnderscoreEscapingWithSuffixes',
  promoteResourceAttributes: Object.freeze([]),
  promoteAllResourceAttributes: false,
  ignoreResourceAttributes: Object.freeze([]),
  keepIdentifyingResourceAttributes: false,
  convertHistogramsToNhcb: false,
  promoteScopeMetadata: false,
  labelNameUnderscoreSanitization: true,
  labelNamePreserveMultipleUnderscores: true,
  targetInfo: true,
  exemplarMaxLength: 128,
  delta: 'reject',
  dedupeJoinedValues: false,
})

/** Reads `otlp`. What its settings mean to `origins`, all that could be read, is worth warnings. */
export function readOtlp(
  value: Value | undefined,
  scheme: NameScheme,
  origins: readonly OriginConfig[],
): OtlpConfig {
  const fields = value && readFields(value, KEYS)
  if (fields === undefined) return defaultOtlp
  const boolean = (key: string, fallback: boolean) => readBoolean(fields.get(key), fallback)
  const otlp: OtlpConfig = {
    translationStrategy: readStrategy(fields.get('translation_strategy'), scheme),
    ...readPromotion(fields),
    keepIdentifyingResourceAttributes: boolean('keep_identifying_resource_attributes', false),
    convertHistogramsToNhcb: boolean('convert_histograms_to_nhcb', false),
    promoteScopeMetadata: boolean('promote_scope_metadata', false),
    labelNameUnderscoreSanitization: boolean('label_name_underscore_sanitization', true),
    labelNamePreserveMultipleUnderscores: boolean('label_name_preserve_multiple_underscores', true),
    targetInfo: boolean('target_info', true),
    exemplarMaxLength: readInteger(
      fields.get('exemplar_max_length'),
      defaultOtlp.exemplarMaxLength,
      { min: 0, max: LONGEST_EXEMPLAR },
    ),
    delta: readWord(fields.get('delta'), ['reject', 'drop'], 'reject'),
    dedupeJoinedValues: boolean('dedupe_joined_values', false),
  }
  if (scheme !== 'legacy') warnOfNames(fields.get('translation_strategy'), otlp, origins)
  warnOfHistograms(fields.get('convert_histograms_to_nhcb'), otlp, origins)
  return otlp
}

function readStrategy(value: Value | undefined, scheme: NameScheme): TranslationStrategy {
  const strategy = readWord(value, STRATEGIES, defaultOtlp.translationStrategy)
  if (scheme === 'legacy' && !escapes(strategy)) error(value!, NO_UTF8)
  return strategy
}

/** Whether names hold nothing but letters, digits, underscores and colons. */
function escapes(strategy: TranslationStrategy): boolean {
  return strategy.startsWith('UnderscoreEscaping')
}

/** Prometheus' checks: all attributes but some, or none but some. */
function readPromotion(
  fields: Fields,
): Pick<
  OtlpConfig,
  'promoteResourceAttributes' | 'promoteAllResourceAttributes' | 'ignoreResourceAttributes'
> {
  const promote = fields.get('promote_resource_attributes')
  const ignore = fields.get('ignore_resource_attributes')
  const promoted = promote === undefined ? [] : readAttributes(promote)
  const ignored = ignore === undefined ? [] : readAttributes(ignore)
  const all = readBoolean(fields.get('promote_all_resource_attributes'), false)
  if (all && promoted.length > 0) error(promote!, ALL_AND_SOME)
  if (!all && ignored.length > 0) error(ignore!, NOTHING_TO_IGNORE)
  return {
    promoteResourceAttributes: promoted,
    promoteAllResourceAttributes: all,
    ignoreResourceAttributes: ignored,
  }
}

/** Remote write 1.0 promises its receivers names of letters, digits, underscores and colons. */
function warnOfNames(
  at: Value | undefined,
  { translationStrategy }: OtlpConfig,
  origins: readonly OriginConfig[],
): void {
  if (at === undefined || escapes(translationStrategy)) return
  const names = origins
    .filter(({ message, url }) => message === 1 && url !== EMBEDDED)
    .map(({ name }) => name)
  if (names.length === 0) return
  warn(
    at,
    `check that names such as http.server.duration are taken by ${names.join(', ')}: remote write 1.0 knows no UTF-8 names, ` +
      'and what refuses them loses them (Prometheus takes them since 3.0); if not, choose a strategy with UnderscoreEscaping',
  )
}

/** All histograms of OTLP would be gone. */
function warnOfHistograms(
  at: Value | undefined,
  { convertHistogramsToNhcb }: OtlpConfig,
  origins: readonly OriginConfig[],
): void {
  if (at === undefined || !convertHistogramsToNhcb) return
  const names = origins
    .filter(({ message, customBuckets, sendNativeHistograms }) =>
      message === 1 ? customBuckets === 'drop' : !sendNativeHistograms,
    )
    .map(({ name }) => name)
  if (names.length > 0) {
    warn(at, `no histogram with explicit buckets will reach ${names.join(', ')}: ${DROPPED}`)
  }
}

const NO_UTF8 =
  'this makes UTF-8 names, which global.metric_name_validation_scheme: legacy does not allow: write ' +
  'UnderscoreEscapingWithSuffixes or UnderscoreEscapingWithoutSuffixes'
const ALL_AND_SOME =
  'promote_all_resource_attributes is true, so there is nothing to choose: remove one of the two'
const NOTHING_TO_IGNORE = 'this needs promote_all_resource_attributes: true'
const DROPPED =
  'they become native ones with custom buckets, which are dropped there (native_histograms_with_custom_buckets, send_native_histograms)'
